#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""fleet.py BUILD MACHINES KIND MACHINE_COUNT SEED: a fleet that runs a residual build of bzip2, and what its store says.

MACHINES is the program that makes raw profiles of many machines of a few real ones.  KIND is sqlite or postgresql.  Each
machine is a process that stores its profiles with random labels; some do it twice.  All answers of the store must be those of
the files.
"""
import concurrent.futures, json, os, pathlib, random, subprocess, sys, tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from servers import Server

build, machines, kind, count, seed = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(), sys.argv[3], int(sys.argv[4]), sys.argv[5]
waymark = str(build / "waymark")
root = pathlib.Path(__file__).resolve().parent.parent.parent
chance = random.Random(seed)
sources = "blocksort huffman crctable randtable compress decompress bzlib bzip2".split()


def run(*command, status=0, data=None, **environment):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, input=data,
        env={**os.environ, **environment})
    if done.returncode != status:
        sys.exit(f"FAILED: exit code {done.returncode}: {' '.join(map(str, command))[:500]}\n{done.stderr.decode()[-2000:]}")
    return done.stdout


def compiled(work, name, *options):
    tree = pathlib.Path(run(root / "scripts/source", build, "bzip2", "upstream").decode().strip())
    run(waymark, "cc", "-O1", "-g", "-w", *options, *(tree / f"{source}.c" for source in sources), "-o", work / name)
    return tree


def write_list(work, name, files):
    (work / name).mkdir()
    for file in files:
        os.link(file, work / name / file.name)
    return work / name


class Fleet:
    """The files of all machines, with their labels."""

    def __init__(self, work):
        self.work = work
        tree = compiled(work, "tested")
        run(work / "tested", "-1", "-c", data=(tree / "sample3.ref").read_bytes(), WAYMARK_FILE=str(work / "tested.wmraw"))
        run(waymark, "merge", "-o", work / "tests.wmprof", work / "tested.wmraw")
        compiled(work, "bzip2", f"-fwaymark-residual={work}/tests.wmprof")
        real = [self.real(i, tree) for i in range(12)]
        (work / "all").mkdir()
        run(machines, work / "all", count, seed, *real)
        self.files = [work / "all" / f"{i}.wmraw" for i in range(count)]
        self.labels = [{"version": chance.choice(["1.0", "1.1", "2.0"]), "region": chance.choice(["eu", "us"])} for _ in range(count)]
        self.machine = [f"machine{chance.randrange(max(1, count * 9 // 10))}" for _ in range(count)]

    def real(self, number, tree):
        text = [bytes(chance.randrange(256) for _ in range(chance.randrange(3000))), b"a" * chance.randrange(1, 9999), b"",
            (tree / f"sample{number % 3 + 1}.ref").read_bytes()[:chance.randrange(99999)]][number % 4]
        file = self.work / f"real{number}.wmraw"
        packed = run(self.work / "bzip2", f"-{chance.randrange(1, 10)}", "-c", data=text, WAYMARK_FILE=str(file) if number % 2 else "/dev/null")
        if number % 2 == 0:
            run(self.work / "bzip2", "-dc", *(["-s"] if number % 4 else []), data=packed, WAYMARK_FILE=str(file))
        return file

    def push(self, url, number):
        labels = ",".join(f"{key}={value}" for key, value in self.labels[number].items())
        for _ in range(2 if number % 10 == 0 else 1):
            run(waymark, "store", "push", "--label", labels, "--machine", self.machine[number], url, self.files[number])


def check(url, fleet, name, filters, wanted):
    """What the filters select is what the wanted machines wrote."""
    work = fleet.work
    chosen = [i for i in range(count) if wanted(fleet.labels[i], fleet.machine[i])]
    run(waymark, "merge", "-o", work / f"{name}.merged", write_list(work, name, [fleet.files[i] for i in chosen]))
    run(waymark, "store", "pull", "-o", work / f"{name}.pulled", url + filters)
    if (work / f"{name}.merged").read_bytes() != (work / f"{name}.pulled").read_bytes():
        sys.exit(f"FAILED: {filters}: the store has another profile than the files")
    found = json.loads(run(waymark, "untested", "--json", "--field", url + filters, work / "tests.wmprof", work / "bzip2"))
    merged = json.loads(run(waymark, "untested", "--json", "--field", work / f"{name}.merged", work / "tests.wmprof", work / "bzip2"))
    seen = [path.pop("seen") for function in found["functions"] for path in function["paths"]]
    if not all(0 < path["machines"] <= path["least_runs"] == path["most_runs"] <= len(chosen) for path in seen):
        sys.exit(f"FAILED: {filters}: runs and machines of paths: {seen}")
    if found != merged or not found["summary"]["untested_paths"]:
        sys.exit(f"FAILED: {filters}: `waymark untested` says something else of the store than of the files")
    listed = json.loads(run(waymark, "store", "list", "--json", url + filters))["profiles"]
    if sum(entry["runs"] for entry in listed) != len(chosen):
        sys.exit(f"FAILED: {filters}: {listed} instead of {len(chosen)} runs")
    for entry in listed:
        labels = dict(label.split("=") for label in entry["labels"].split(","))
        of_labels = {fleet.machine[i] for i in range(count) if all(labels[key] == value for key, value in fleet.labels[i].items())}
        if not filters.startswith("#machine") and entry["machines"] != len(of_labels):
            sys.exit(f"FAILED: {filters}: {entry['machines']} machines instead of {len(of_labels)}: {labels}")


def main(work):
    fleet = Fleet(work)
    server = Server(work / "server") if kind == "postgresql" else None
    try:
        if server:
            server.start()
            server.create_database()
        url = server.url() if server else str(work / "fleet.db")
        run(waymark, "store", "init", url)
        order = list(range(count))
        chance.shuffle(order)
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda number: fleet.push(url, number), order))
        check(url, fleet, "everything", "#kind=field", lambda labels, machine: True)
        check(url, fleet, "version", "#version=1.1&version=2.0&program=bzip2", lambda labels, machine: labels["version"] != "1.0")
        check(url, fleet, "region", "#region=eu&version=1.0", lambda labels, machine: labels == {"version": "1.0", "region": "eu"})
        check(url, fleet, "machine", f"#machine={fleet.machine[0]}", lambda labels, machine: machine == fleet.machine[0])
        # the same when the runs of past days are added up, with machines and times of each path
        told = [run(waymark, "untested", "--all", "--field", url + filters, work / "tests.wmprof", work / "bzip2") for filters in ["", "#version=1.1"]]
        run(waymark, "store", "roll-up", url)
        again = [run(waymark, "untested", "--all", "--field", url + filters, work / "tests.wmprof", work / "bzip2") for filters in ["", "#version=1.1"]]
        if told != again or b"seen on" not in told[0]:
            sys.exit("FAILED: untested paths are told otherwise after a roll-up")
        run(waymark, "store", "pull", "-o", work / "rolled", url)
        if (work / "rolled").read_bytes() != (work / "everything.merged").read_bytes():
            sys.exit("FAILED: the store has another profile after a roll-up")
    finally:
        if server:
            server.stop()


with tempfile.TemporaryDirectory() as directory:
    os.chmod(directory, 0o711)
    main(pathlib.Path(directory))
