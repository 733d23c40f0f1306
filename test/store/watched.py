# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases about `waymark push`, for scripts that are called as SCRIPT BUILD [CASE...].  Each case has a directory and a store of its own."""
import json, os, pathlib, shutil, signal, sqlite3, subprocess, sys, tempfile, time

from servers import Server

build = pathlib.Path(sys.argv[1]).resolve()
waymark = build / "waymark"
source = pathlib.Path(__file__).parent / "program.c"


def check(truth, *words):
    if not truth:
        raise SystemExit("FAILED: " + " ".join(map(str, words)))


def run(*command, code=0, **options):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    check(code is None or done.returncode == code, "exit code", done.returncode, *command, "\n" + done.stdout)
    return done.stdout


# Processes that outlive a case that fails would hold the output of the test open, and the run would hang.
started = []


def start(*command, **options):
    started.append(subprocess.Popen([str(word) for word in command], **options))
    return started[-1]


def end_all():
    for process in started:
        if process.poll() is None:
            process.kill()
            process.wait()


def be_ended(*_):
    raise SystemExit("FAILED: the test was told to end")


class Case:
    def __init__(self, work, program):
        self.work, self.program = work, program
        self.watched, self.copies, self.store = work / "watched", work / "copies", work / "store.db"
        for directory in (work, self.watched, self.copies):
            directory.mkdir()
        run(waymark, "store", "init", self.store)

    def environment(self, name):
        return {**os.environ, "WAYMARK_FILE": str(self.watched / name)}

    def profile(self, name, number=5):
        run(self.program, number, env=self.environment(name))
        return self.watched / name

    def copy(self, *names):
        for name in names:
            shutil.copy(self.watched / name, self.copies)

    def command(self, *options):
        return [waymark, "push", "--watch", self.watched, *options, self.store]

    def push(self, *options, code=0, **more):
        return run(*self.command("--once", *options), code=code, **more)

    def state(self):
        return self.watched / f".waymark-push-{os.geteuid()}"

    def status(self, *options, code=0):
        return json.loads(run(waymark, "push", "--status", self.watched, "--json", *options, code=code))

    def kept(self):
        return sorted(path.name for path in (self.state() / "kept").iterdir())

    def rows(self, sql):
        with sqlite3.connect(self.store) as database:
            return database.execute(sql).fetchall()

    def store_push(self, *files, code=0, options=()):
        return run(waymark, "store", "push", *options, self.store, *files, code=code)

    def left(self):
        return sorted(path.name for path in self.watched.iterdir() if not path.name.startswith("."))

    def same(self):
        """The store equals the merge of the copies."""
        pulled, merged = self.work / "pulled.wmprof", self.work / "merged.wmprof"
        run(waymark, "store", "pull", "-o", pulled, self.store)
        run(waymark, "merge", "-o", merged, self.copies)
        check(pulled.read_bytes() == merged.read_bytes(), "the store differs from the merge of the files")

    def living(self, name):
        return Living(self, name)


class Living:
    def __init__(self, case, name):
        self.watched = case.watched
        self.process = start(case.program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=case.environment(name))

    def count(self, number):
        self.tell(str(number))

    def dump(self, name):
        self.tell(str(self.watched / name))

    def tell(self, line):
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()
        self.process.stdout.readline()

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def old_files(case):
    for i in range(3):
        name = case.profile(f"{i}.wmraw")
        with open(name, "r+b") as file: # as long as half of the limit; what follows the counters is ignored
            file.seek(0, 2)
            file.write(bytes(520 << 10))
        os.utime(name, (i, i))


class Running:
    """A server, while it is needed."""

    def __init__(self, case):
        case.work.parent.chmod(0o755)
        self.server = Server(case.work / "server")

    def __enter__(self):
        self.server.start()
        self.server.create_database()
        return self.server

    def __exit__(self, *_):
        self.server.stop()


def until(truth, words):
    for _ in range(3000):
        if truth():
            return
        time.sleep(0.01)
    check(False, words)


def run_cases(cases):
    """Those that the command line names, or all."""
    if sys.argv[2:]:
        cases = [case for case in cases if case.__name__ in sys.argv[2:]]
    signal.signal(signal.SIGTERM, be_ended)
    with tempfile.TemporaryDirectory(prefix="wm-agent-") as name:
        work = pathlib.Path(name)
        run(waymark, "cc", "-O1", "-g", source, "-o", work / "program")
        for case in cases:
            try:
                case(Case(work / case.__name__, work / "program"))
            except SystemExit as failure:
                raise SystemExit(f"{case.__name__}: {failure}")
            finally:
                end_all()
    print(f"{len(cases)} cases")
