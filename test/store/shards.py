#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""shards.py BUILD KILLS SEED: a store on three PostgreSQL servers, one of which fails again and again.

The first server is the coordinator, and the tables with the counts are foreign partitions on the other two.  Agents push while a
random server, or a process of it, is killed.  Beside them a reader pulls the store again and again: each time the number of
runs must not fall, and every count must be that of one run times the number of runs, because all runs take the same paths: no
run is seen twice or in part.  Roll-ups run beside both, and are killed too.  In the end the store equals the merge of the files.
"""
import json, os, pathlib, random, shutil, subprocess, sys, tempfile, threading, time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from servers import Server

build, wanted, chance = pathlib.Path(sys.argv[1]).resolve(), int(sys.argv[2]), random.Random(sys.argv[3])
waymark = build / "waymark"
source = pathlib.Path(__file__).parent / "program.c"


def run(*command, code=0, **options):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if code is not None and done.returncode != code:
        raise SystemExit(f"FAILED: exit code {done.returncode}: {' '.join(map(str, command))}\n{done.stdout}")
    return done.stdout


class Reader(threading.Thread):
    """Pulls until it is told to end."""

    def __init__(self, work, url, program, one):
        super().__init__(daemon=True)
        self.work, self.url, self.program, self.one = work, url, program, one
        self.is_over, self.seen, self.trouble, self.last = False, 0, None, 0

    def run(self):
        while not self.is_over and not self.trouble:
            self.look()

    def wait_for_state(self):
        """Until it has seen a state that is later than this call."""
        seen = self.seen
        while self.seen < seen + 2 and not self.trouble:
            time.sleep(0.01)

    def look(self):
        pulled = self.work / "reader.wmprof"
        done = subprocess.run([waymark, "store", "pull", "-o", pulled, self.url], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if done.returncode:
            return # a server is away, or the store is empty
        runs = int(done.stdout.split()[0])
        counts = paths(pulled, self.program)
        self.seen += 1
        if runs < self.last:
            self.trouble = f"{runs} runs, and {self.last} runs before"
        if counts != {path: runs * count for path, count in self.one.items()}:
            self.trouble = f"{runs} runs have counted {counts}, and one run counts {self.one}"
        self.last = runs


def paths(profile, program):
    report = json.loads(run(waymark, "report", "--json", profile, program))
    return {(function["name"], path["id"]): path["count"] for function in report["functions"] for path in function["paths"]}


class Fleet:
    def __init__(self, work):
        self.work, self.watched, self.copies, self.program = work, work / "watched", work / "copies", work / "program"
        self.watched.mkdir()
        self.copies.mkdir()
        run(waymark, "cc", "-O1", "-g", source, "-o", self.program)
        self.number = 0

    def profile(self):
        name = f"{self.number}.wmraw"
        self.number += 1
        run(self.program, 17, env={**os.environ, "WAYMARK_FILE": str(self.copies / name)})
        shutil.copy(self.copies / name, self.watched / name)

    def command(self, url):
        return [waymark, "push", "--once", "-q", "--watch", self.watched, "--machine", "m", url]


def start_servers(work):
    servers = [Server(work / "0")]
    servers += [Server(work / str(i), servers[0]) for i in (1, 2)]
    for server in servers:
        server.start()
        server.create_database()
    shards = work / "shards"
    shards.write_text("# two of three\n" + "".join(server.url() + "\n" for server in servers[1:]))
    return servers, shards


def check_division(servers):
    """Each shard has some of the rows, and the coordinator none."""
    partitions = " + ".join(f"(SELECT count(*) FROM waymark.path_{i})" for i in range(8))
    rows = [int(server.sql(f"SELECT {partitions}")) for server in servers]
    if not rows[1] or not rows[2] or rows[0] != rows[1] + rows[2]:
        raise SystemExit(f"FAILED: rows are divided as {rows}")


def main(work):
    servers, shards = start_servers(work)
    fleet, url = Fleet(work), servers[0].url()
    try:
        run(waymark, "store", "init", "--shards", shards, url)
        run(waymark, "store", "init", "--shards", shards, url, code=1) # there is one already
        # A migration changes the coordinator only: an older store has the same shards.
        servers[0].sql("DROP TABLE waymark.unfinished")
        servers[0].sql("UPDATE waymark.meta SET value = '2' WHERE key = 'version'")
        run(waymark, "store", "migrate", url)
        for role in ("writer", "reader"):
            servers[0].sql(f"CREATE ROLE {role} LOGIN")
            run(waymark, "store", "grant", url, role, *(["--reader"] if role == "reader" else []))
        fleet.profile()
        run(*fleet.command(servers[0].url(user="writer")))
        check_division(servers)
        run(waymark, "store", "pull", "-o", work / "one.wmprof", url)
        reader = Reader(work, servers[0].url(user="reader"), fleet.program, paths(work / "one.wmprof", fleet.program))
        reader.start()
        kills, roll_up = 0, [waymark, "store", "roll-up", "--before", "2100-01-01", url]
        while kills < wanted:
            for _ in range(chance.randrange(1, 4)):
                fleet.profile()
            agents = [subprocess.Popen(fleet.command(servers[0].url(user="writer")), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for _ in range(2)]
            agents.append(subprocess.Popen(roll_up, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
            time.sleep(chance.random() * 0.3)
            victim = chance.choice(servers)
            if chance.random() < 0.3:
                agents[-1].kill()
                kills += 1
            else:
                kills += victim.kill_backend(chance) if chance.random() < 0.6 else victim.kill()
            for agent in agents:
                agent.wait()
            for server in servers:
                server.start()
            run(*fleet.command(url))
            reader.wait_for_state()
        run(*roll_up)
        reader.wait_for_state()
        reader.is_over = True
        reader.join()
        if reader.trouble or not reader.seen:
            raise SystemExit(f"FAILED: the reader saw {reader.trouble}, and {reader.seen} states")
        if int(servers[0].sql("SELECT count(*) FROM waymark.bundle WHERE sums = 1")) != 1:
            raise SystemExit("FAILED: the runs of one day are not added up")
        run(waymark, "store", "pull", "-o", work / "pulled.wmprof", url)
        run(waymark, "merge", "-o", work / "merged.wmprof", fleet.copies)
        if (work / "pulled.wmprof").read_bytes() != (work / "merged.wmprof").read_bytes():
            raise SystemExit("FAILED: the store differs from the merge of the files")
        print(f"{fleet.number} runs on three servers, {kills} kills, {reader.seen} states seen by the reader")
    finally:
        for server in servers:
            server.stop()


with tempfile.TemporaryDirectory(prefix="wm-shards-") as name:
    directory = pathlib.Path(name)
    directory.chmod(0o755)
    main(directory)
