#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""faults.py BUILD KIND KILLS SEED: kills, cuts and full disks; afterwards the store equals the merge of the files.

KIND is sqlite or postgresql.  Each round lets programs write raw profiles, some of programs that are still running, and
lets agents (`waymark push`) fail in one way or another.  Then an agent without faults finishes, sometimes a roll-up adds up
what is stored, parts of living processes included, and `waymark store pull` must give byte by byte the file that `waymark
merge` makes of all raw profiles.  Rounds are repeated until KILLS processes were killed.  What happens in round N depends on SEED and N alone; only the moment of a kill depends on the machine.

In the suite `long`, $SHARD_KEPT remembers how many kills are done, and the test continues there after an interruption.
"""
import os, pathlib, random, resource, shutil, signal, subprocess, sys, tempfile, time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from servers import Server, Cutter

build, kind, wanted, seed = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2], int(sys.argv[3]), sys.argv[4]
waymark = build / "waymark"
here = pathlib.Path(__file__).parent


def run(*command, **options):
    """Must succeed."""
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode:
        sys.exit(f"FAILED: exit code {done.returncode}: {' '.join(map(str, command))}\n{done.stdout}")
    return done.stdout


class Fleet:
    """A directory that programs write to, and copies of all that they wrote."""

    def __init__(self, work, chance):
        self.work, self.chance = work, chance
        self.watched, self.copies = work / "watched", work / "copies"
        self.copies.mkdir()
        self.program = work / "program"
        run(waymark, "cc", "-O1", "-g", here / "program.c", "-o", self.program)
        self.residual = work / "residual"
        tested = work / "tested.wmraw"
        run(self.program, "0", env={**os.environ, "WAYMARK_FILE": str(tested)})
        run(waymark, "merge", "-o", work / "tested.wmprof", tested)
        run(waymark, "cc", "-O1", "-g", f"-fwaymark-residual={work}/tested.wmprof", here / "program.c", "-o", self.residual)
        self.number = 0

    def begin(self):
        shutil.rmtree(self.watched, ignore_errors=True)
        self.watched.mkdir()

    def name(self):
        self.number += 1
        return f"{self.number}.wmraw"

    def environment(self, name):
        return {**os.environ, "WAYMARK_FILE": str(self.watched / name)}

    def keep(self, name):
        shutil.copy(self.watched / name, self.copies / name)

    def ended(self):
        """A program that has ended."""
        name = self.name()
        run(self.chance.choice([self.program, self.residual]), self.chance.randrange(1000), env=self.environment(name))
        self.keep(name)

    def living(self):
        return Living(self)


class Living:
    """A program that counts a little when it is told to."""

    def __init__(self, fleet):
        self.fleet, self.name = fleet, fleet.name()
        self.process = subprocess.Popen([fleet.chance.choice([fleet.program, fleet.residual])], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, env=fleet.environment(self.name))
        self.count()

    def count(self):
        self.process.stdin.write(b"%d\n" % self.fleet.chance.randrange(1000))
        self.process.stdin.flush()
        self.process.stdout.readline()

    def end(self):
        if self.fleet.chance.random() < 0.3:
            self.process.kill()
        self.process.stdin.close()
        self.process.wait()
        self.fleet.keep(self.name)


class Sqlite:
    """The server is the pusher itself."""

    def __init__(self, work):
        self.url = str(work / "store.db")
        self.plain = self.url

    def fault(self, chance):
        return None

    def repair(self):
        pass

    def close(self):
        pass


class Postgresql:
    def __init__(self, work):
        self.server = Server(work / "server")
        self.server.start()
        self.server.create_database()
        self.plain = self.url = self.server.url("waymark")

    def fault(self, chance):
        """Something that happens to the server or on the way to it, while agents work."""
        return chance.choice([None, self.kill_backend, self.kill_postmaster, self.fill_disk, self.cut])

    def kill_backend(self, chance):
        return self.server.kill_backend(chance)

    def kill_postmaster(self, chance):
        return self.server.kill()

    def fill_disk(self, chance):
        return self.server.fill_disk(chance)

    def cut(self, chance):
        """The agent goes through a Cutter."""

    def repair(self):
        self.server.start()

    def close(self):
        self.server.stop()


def full_disk(limit):
    """As little as an agent may write: the store or what the agent remembers cannot be written."""
    def prepare():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    return prepare


class Round:
    def __init__(self, fleet, store, chance):
        self.fleet, self.store, self.chance = fleet, store, chance
        self.kills = 0
        self.typical = 0.05 # seconds that a pass takes

    def agent(self, url, **options):
        return subprocess.Popen([waymark, "push", "--once", "-q", "--watch", self.fleet.watched, "--label", "region=eu",
            "--machine", "m", url], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)

    def kill_soon(self, process):
        try:
            process.wait(timeout=self.chance.random() * 1.2 * self.typical)
        except subprocess.TimeoutExpired:
            process.kill()
            self.kills += 1
        process.wait()

    def one_killed(self):
        self.kill_soon(self.agent(self.store.url))

    def two_one_killed(self):
        other = self.agent(self.store.url)
        self.kill_soon(self.agent(self.store.url))
        other.wait()

    def disk_is_full(self):
        self.agent(self.store.url, preexec_fn=full_disk(self.chance.choice([0, 4096, 40000, 200000]))).wait()

    def server_fails(self):
        fault = self.store.fault(self.chance)
        if fault == getattr(self.store, "cut", None) and fault:
            with Cutter(self.store.server, self.chance.randrange(200, 60000)) as cutter:
                self.agent(cutter.url("waymark")).wait()
            return
        agent = self.agent(self.store.url)
        time.sleep(self.chance.random() * self.typical)
        if fault:
            self.kills += fault(self.chance)
        agent.wait()
        self.store.repair()

    def faults(self):
        for _ in range(self.chance.randrange(2, 6)):
            self.chance.choice([self.one_killed, self.one_killed, self.two_one_killed, self.disk_is_full, self.server_fails])()

    def finish(self):
        begun = time.monotonic()
        done = run(waymark, "push", "--once", "--watch", self.fleet.watched, "--label", "region=eu", "--machine", "m", self.store.url)
        self.typical = max(0.02, time.monotonic() - begun)
        if self.chance.random() < 0.3:
            run(waymark, "store", "roll-up", "--before", "2100-01-01", self.store.plain)
        return done

    def play(self):
        self.fleet.begin()
        living = [self.fleet.living() for _ in range(self.chance.randrange(3))]
        for _ in range(self.chance.randrange(1, 5)):
            self.fleet.ended()
        self.faults()
        for program in living:
            program.count()
        if living:
            self.faults()
        for program in living:
            program.end()
        said = self.finish()
        left = sorted(name for name in os.listdir(self.fleet.watched) if not name.startswith("."))
        kept = sorted(os.listdir(next(self.fleet.watched.glob(".waymark-push-*")) / "kept"))
        if left or kept:
            sys.exit(f"FAILED: the agent left {left} and kept {kept}\n{said}")
        kills, self.kills = self.kills, 0
        return kills


def compare(fleet, store):
    pulled, merged = fleet.work / "pulled.wmprof", fleet.work / "merged.wmprof"
    run(waymark, "store", "pull", "-o", pulled, store.plain)
    run(waymark, "merge", "-o", merged, fleet.copies)
    if pulled.read_bytes() != merged.read_bytes():
        failed = build / f"faults-{kind}"
        shutil.copytree(fleet.work, failed, dirs_exist_ok=True, ignore=lambda *_: ["server", ".s.PGSQL.5432"])
        sys.exit(f"FAILED: the store differs from the merge of {len(os.listdir(fleet.copies))} files; see {failed}")


def main():
    kept = pathlib.Path(os.environ["SHARD_KEPT"]) / "kills" if "SHARD_KEPT" in os.environ else None
    done = int(kept.read_text()) if kept and kept.exists() else 0
    with tempfile.TemporaryDirectory(prefix="wm-faults-") as name:
        work = pathlib.Path(name)
        work.chmod(0o755)
        chance = random.Random(f"{seed} {done}")
        fleet = Fleet(work, chance)
        store = Sqlite(work) if kind == "sqlite" else Postgresql(work)
        try:
            run(waymark, "store", "init", store.plain)
            rounds, one = 0, Round(fleet, store, chance)
            while done < wanted:
                done += one.play()
                rounds += 1
                compare(fleet, store)
                if kept:
                    kept.write_text(str(done))
        finally:
            store.close()
        print(f"{kind}: {done} kills in {rounds} rounds, {len(os.listdir(fleet.copies))} runs, each stored once")


main()
