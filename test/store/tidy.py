#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tidy.py BUILD KIND ROUNDS: roll-ups and prunes, several at once.  KIND is sqlite or postgresql.

In each round two roll-ups and two prunes run at the same time, and a third roll-up is killed.  Afterwards the store must equal the merge of the files
that were not pruned, every sum must have the counts of its own runs, and no roll-up may remain half done.
"""
import os, pathlib, random, subprocess, sys, tempfile, time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from servers import Server

build, kind, rounds = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2], int(sys.argv[3])
waymark = build / "waymark"
source = pathlib.Path(__file__).parent / "program.c"
LABELS, FILES = 12, 3
chance = random.Random(1)


def run(*command, code=0):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=100)
    if done.returncode != code:
        raise SystemExit(f"FAILED: exit code {done.returncode}: {' '.join(map(str, command))}\n{done.stdout}")
    return done.stdout


def expect(is_so, text):
    if not is_so:
        raise SystemExit(f"FAILED: {text}")


class Store:
    """An empty store, and the files that are to be pushed."""

    def __init__(self, work, server):
        self.work, self.server = work, server
        self.url = server.url() if server else str(work / "fleet.db")

    def create(self):
        if self.server:
            self.server.sql("DROP SCHEMA IF EXISTS waymark CASCADE")
        else:
            pathlib.Path(self.url).unlink(missing_ok=True)
        run(waymark, "store", "init", self.url)

    def sql(self, text):
        if self.server:
            return self.server.sql("SET search_path = waymark; " + text).strip()
        return run("sqlite3", self.url, text).strip()

    def push(self, label, *files, machine="m"):
        run(waymark, "store", "push", "--machine", machine, "--label", label, self.url, *files)

    def check(self, filters, files):
        run(waymark, "store", "pull", "-o", self.work / "pulled.wmprof", self.url + filters)
        run(waymark, "merge", "-o", self.work / "merged.wmprof", *files)
        expect((self.work / "pulled.wmprof").read_bytes() == (self.work / "merged.wmprof").read_bytes(),
            f"what '{filters}' selects differs from the merge of the files")


def race(store, files):
    """Every second label is pruned."""
    store.create()
    for label in range(LABELS):
        store.push(f"group=g{label},version=1", *files[label])
    pruned = [label for label in range(LABELS) if label % 2]
    half = len(pruned) // 2
    commands = [["roll-up", "--before", "2100-01-01", store.url]] * 2
    commands += [["prune", store.url + "#" + "&".join(f"group=g{label}" for label in part)] for part in (pruned[:half], pruned[half:])]
    victim = subprocess.Popen([waymark, "store", *commands[0]], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(chance.random() * 0.1)
    victim.kill()
    victim.wait()
    children = [subprocess.Popen([waymark, "store", *command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for command in commands]
    for child, command in zip(children, commands):
        text = child.communicate(timeout=100)[0]
        expect(child.returncode == 0, f"{command}: {text}")
    expect(store.sql("SELECT count(*) FROM roll_up") == "0", "a roll-up is half done: " + store.sql("SELECT * FROM roll_up"))
    left = [label for label in range(LABELS) if label not in pruned]
    for label in left:
        store.check(f"#group=g{label}", files[label])
    store.check("", [file for label in left for file in files[label]])
    run(waymark, "store", "roll-up", "--before", "2100-01-01", store.url)
    expect(store.sql("SELECT count(*), min(sums), count(DISTINCT label_set) FROM bundle") == f"{len(left)}|1|{len(left)}", "not everything is added up")
    for table in ("path", "tally"):
        expect(store.sql(f"SELECT count(*) FROM {table} WHERE bundle NOT IN (SELECT id FROM bundle)") == "0", f"rows of {table} are left behind")


def machines(store, files):
    """A sum of several machines cannot be divided; runs without a machine are not those of a machine."""
    one, two, three, four = files[0] + files[1][:1]
    store.create()
    store.push("version=1", one, machine="m1")
    store.push("version=1", two, machine="m2")
    store.push("version=2", three, machine="m1")
    store.push("version=2", four, machine="unknown")
    store.sql("DELETE FROM machine WHERE machine = 'unknown'")
    run(waymark, "store", "roll-up", "--before", "2100-01-01", store.url)
    refused = run(waymark, "store", "prune", store.url + "#machine=m2", code=1)
    expect("cannot be divided by machine" in refused and "roll-up" in refused, refused)
    expect("cannot be divided by machine" in run(waymark, "store", "pull", "-o", store.work / "x", store.url + "#machine=m1", code=1), "pull")
    store.check("", [one, two, three, four])
    store.check("#machine=m1&version=2", [three])
    run(waymark, "store", "prune", store.url + "#machine=m1&version=2")
    store.check("", [one, two, four])


def objects(store, files, other):
    """The filters program and build remove only these objects."""
    mixed, first, second = store.work / "mixed.wmprof", files[0][0], files[0][1]
    run(waymark, "merge", "-o", mixed, first, other)
    store.create()
    store.push("version=1", mixed)
    store.push("version=1", second)
    expect(run(waymark, "store", "pull", "-o", store.work / "x", store.url + "#program=other") == "1 run of 1 object\n", "runs of one object")
    expect(run(waymark, "store", "prune", store.url + "#program=other") == "1 bundle changed or removed\n", "prune of an object")
    expect("no profile" in run(waymark, "store", "pull", "-o", store.work / "x", store.url + "#program=other", code=1), "the object is there")
    expect(store.sql("SELECT count(*) FROM path p JOIN function f ON f.id = p.function WHERE NOT EXISTS (SELECT 1 FROM content c"
        " WHERE c.bundle = p.bundle AND c.build = f.build)") == "0", "rows of the object are left behind")
    listed = run(waymark, "store", "list", store.url)
    expect("other" not in listed and listed.startswith("program  "), listed)
    run(waymark, "store", "roll-up", "--before", "2100-01-01", store.url)
    # mixed.wmprof counts a run of `program` and one of `other`; the run of the latter stays known.
    expect("0 stored, 1 known" in run(waymark, "store", "push", store.url, other), "the run is forgotten")
    # A bundle that consists of nothing else goes.
    run(waymark, "store", "prune", store.url + "#program=program")
    expect(store.sql("SELECT count(*) FROM bundle") == "0" and store.sql("SELECT count(*) FROM path") == "0", "something is left")


def main(work):
    program, other = work / "program", work / "other"
    run(waymark, "cc", "-O1", "-g", source, "-o", program)
    run(waymark, "cc", "-O1", "-g", "-Dmix=other_mix", source, "-o", other)
    def profile(binary, number):
        file = work / f"{binary.name}{number}.wmraw"
        subprocess.run([binary, str(number % 31 + 5)], check=True, stdout=subprocess.DEVNULL, env={**os.environ, "WAYMARK_FILE": str(file)})
        return file
    files = [[profile(program, FILES * label + i) for i in range(FILES)] for label in range(LABELS)]
    server = Server(work / "server") if kind == "postgresql" else None
    try:
        if server:
            server.start()
            server.create_database()
        store = Store(work, server)
        for _ in range(rounds):
            race(store, files)
        machines(store, files)
        objects(store, files, profile(other, 3))
    finally:
        if server:
            server.stop()


with tempfile.TemporaryDirectory(prefix="wm-tidy-") as name:
    directory = pathlib.Path(name)
    directory.chmod(0o755)
    main(directory)
