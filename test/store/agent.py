#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""agent.py BUILD: what `waymark push` takes, leaves alone, keeps and removes.  Each case has a directory and a store of its own."""
import os, pathlib, shutil, signal, stat, subprocess, sys, tempfile, time

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

    def push(self, *options, code=0):
        return run(*self.command("--once", *options), code=code)

    def state(self):
        return self.watched / f".waymark-push-{os.geteuid()}"

    def kept(self):
        return sorted(path.name for path in (self.state() / "kept").iterdir())

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
        self.process = subprocess.Popen([case.program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=case.environment(name))

    def count(self, number):
        self.process.stdin.write(b"%d\n" % number)
        self.process.stdin.flush()
        self.process.stdout.readline()

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def ended_processes_are_stored_and_removed(case):
    case.profile("a.wmraw")
    case.profile("b.wmraw", 9)
    case.copy("a.wmraw", "b.wmraw")
    (case.watched / "notes.txt").write_text("x")
    check("2 stored" in case.push(), "two files were there")
    check(case.left() == ["notes.txt"], case.left())
    case.same()
    # The same files again, as after a crash: they are known, and removed.
    shutil.copy(case.copies / "a.wmraw", case.watched)
    case.push()
    check(case.left() == ["notes.txt"], case.left())
    case.same()


def strange_files_are_left_alone(case):
    case.profile("own.wmraw")
    case.copy("own.wmraw")
    elsewhere = case.work / "elsewhere"
    elsewhere.mkdir()
    run(case.program, 7, env={**os.environ, "WAYMARK_FILE": str(elsewhere / "target.wmraw")})
    os.symlink(elsewhere / "target.wmraw", case.watched / "link.wmraw")
    os.link(elsewhere / "target.wmraw", case.watched / "second-name.wmraw")
    os.mkfifo(case.watched / "fifo.wmraw")
    (case.watched / "directory.wmraw").mkdir()
    expected = ["directory.wmraw", "fifo.wmraw", "link.wmraw", "second-name.wmraw"]
    if os.geteuid() == 0:
        os.mknod(case.watched / "device.wmraw", stat.S_IFCHR | 0o600, os.makedev(1, 5))
        shutil.copy(case.copies / "own.wmraw", case.watched / "foreign.wmraw")
        os.chown(case.watched / "foreign.wmraw", 65534, 65534)
        expected += ["device.wmraw", "foreign.wmraw"]
    said = case.push()
    check(f"{len(expected)} files in" in said, said)
    check(case.left() == sorted(expected), case.left())
    check((elsewhere / "target.wmraw").exists(), "the target of a link is gone")
    case.same()


def what_cannot_be_stored_is_kept(case):
    case.profile("good.wmraw")
    case.copy("good.wmraw")
    case.profile("cut.wmraw")
    (case.watched / "text.wmraw").write_text("this is no profile")
    (case.watched / "empty.wmraw").touch()
    with open(case.watched / "cut.wmraw", "r+b") as file:
        file.truncate(4096)
    said = case.push(code=1)
    check(case.left() == ["empty.wmraw"], case.left())
    check(case.kept() == ["cut.wmraw", "text.wmraw"], case.kept(), said)
    case.same()


def living_processes_are_stored_in_parts(case):
    program = case.living("living.wmraw")
    program.count(3)
    check("1 stored" in case.push(), "a living process counts")
    check(case.left() == ["living.wmraw"], "the file of a living process stays")
    # The program still counts on its way back to its input.
    until(lambda: "stored" not in case.push(), "an increment without news is stored")
    case.copy("living.wmraw")
    case.same()
    program.count(200)
    case.push()
    program.count(31)
    program.end()
    case.copy("living.wmraw")
    case.push()
    check(case.left() == [], case.left())
    case.same()
    check(sorted(path.name for path in case.state().iterdir()) == ["kept", "lock"], "something is remembered of a run that is stored")


def living_processes_can_wait(case):
    program = case.living("living.wmraw")
    program.count(3)
    check("stored" not in case.push("--living", "0"), "it was told to wait for the end")
    program.end()
    case.copy("living.wmraw")
    case.push("--living", "0")
    case.same()


def without_leases_the_process_is_asked(case):
    """Overlayfs, where the kernel grants a lease on a file that is mapped."""
    if subprocess.run(["unshare", "-m", "true"], stderr=subprocess.DEVNULL).returncode:
        return # a container whose root may not mount, or another user
    script = """set -e
	mount -t tmpfs none "$1" || exit 77
	mkdir "$1"/lower "$1"/upper "$1"/work "$1"/watched
	mount -t overlay overlay -o lowerdir="$1/lower",upperdir="$1/upper",workdir="$1/work" "$1/watched" || exit 77
	mkfifo "$1/input"
	WAYMARK_FILE="$1/watched/living.wmraw" "$2" <"$1/input" >"$1/output" &
	exec 7>"$1/input"
	echo 12 >&7
	until [ -s "$1/output" ]; do sleep 0.01; done
	"$3" push --once -q --living 0 --watch "$1/watched" "$4"
	[ -e "$1/watched/living.wmraw" ] || { echo "the file of a living process is gone"; exit 1; }
	exec 7>&-
	wait
	cp "$1/watched/living.wmraw" "$5"
	"$3" push --once -q --living 0 --watch "$1/watched" "$4"
	[ ! -e "$1/watched/living.wmraw" ] || { echo "the file of a dead process stays"; exit 1; }
	"""
    done = subprocess.run(["unshare", "-m", "sh", "-c", script, "sh", case.watched, case.program, waymark, case.store, case.copies],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode == 77:
        return
    check(done.returncode == 0, done.stdout)
    case.same()


def files_wait_while_the_store_is_away(case):
    for i in range(4):
        case.profile(f"{i}.wmraw")
        case.copy(f"{i}.wmraw")
    away = case.work / "away.db"
    case.store.rename(away)
    said = case.push(code=1)
    check(len(case.left()) == 4, case.left(), said)
    away.rename(case.store)
    case.push()
    check(case.left() == [], case.left())
    case.same()


def the_queue_has_a_limit(case):
    for i in range(3):
        name = case.profile(f"{i}.wmraw")
        with open(name, "r+b") as file: # as long as half of the limit; what follows the counters is ignored
            file.seek(0, 2)
            file.write(bytes(520 << 10))
        os.utime(name, (i, i))
    case.store.rename(case.work / "away.db")
    said = case.push("--queue-limit", "1", code=1)
    check(case.left() == ["2.wmraw"], case.left(), said)
    check("0.wmraw was removed without being stored" in said and "1.wmraw was removed" in said, said)


def the_state_must_be_our_own(case):
    case.profile("a.wmraw")
    case.state().mkdir()
    case.state().chmod(0o777)
    said = case.push(code=1)
    check("choose another one with --state" in said and case.left() == ["a.wmraw"], said)
    case.state().rmdir()
    os.symlink(case.work, case.state())
    check("--state" in case.push(code=1), "a link is followed")


def wrong_commands_are_explained(case):
    check("--watch" in run(waymark, "push", case.store, code=1), "no directory")
    check("cannot watch" in run(waymark, "push", "--once", "--watch", case.work / "none", case.store, code=1), "no such directory")
    check("one store" in run(waymark, "push", "--once", "--watch", case.watched, code=1), "no store")
    check("--machine" in run(*case.command("--once", "--machine", "a,b"), code=1), "a bad name")


def examples_are_right(case):
    """The commands of the unit and of the container example, with a directory and a store that exist."""
    examples = pathlib.Path(__file__).resolve().parents[2] / "doc/agent"
    run("yamllint", "-d", "{extends: relaxed, rules: {line-length: {max: 140}}}", examples / "compose.yaml")
    unit = [line.split()[1:] for line in (examples / "waymark-push.service").read_text().splitlines() if line.startswith("ExecStart=")]
    container = [eval(line.split(":", 1)[1]) for line in (examples / "compose.yaml").read_text().splitlines() if "command:" in line]
    check(len(unit) == 1 and len(container) == 1, unit, container)
    for words in (unit[0], container[0][1:]):
        case.profile("a.wmraw")
        words = [str(case.watched) if "profiles" in word else word for word in words]
        run(waymark, *words[:-1], "--once", case.store)
        check(case.left() == [], case.left())


def until(truth, words):
    for _ in range(3000):
        if truth():
            return
        time.sleep(0.01)
    check(False, words)


def it_watches_until_it_is_told_to_end(case):
    """The interval is an hour: the end of a program wakes the agent."""
    agents = [subprocess.Popen([str(word) for word in case.command("-q", "--interval", "3600", "--living", "0")]) for _ in range(2)]
    until(case.state().exists, "the agent does not begin")
    for i in range(3):
        program = case.living(f"{i}.wmraw")
        program.count(i + 10)
        program.process.kill()
        program.process.wait()
    until(lambda: case.left() == [], "files are not stored")
    for agent in agents:
        agent.send_signal(signal.SIGTERM)
        check(agent.wait(timeout=60) == 0, "exit code after SIGTERM")
    check("3 runs" in run(waymark, "store", "pull", "-o", case.work / "pulled.wmprof", case.store), "three runs are stored")


cases = [ended_processes_are_stored_and_removed, strange_files_are_left_alone, what_cannot_be_stored_is_kept,
    living_processes_are_stored_in_parts, living_processes_can_wait, without_leases_the_process_is_asked,
    files_wait_while_the_store_is_away, the_queue_has_a_limit, the_state_must_be_our_own, wrong_commands_are_explained,
    examples_are_right, it_watches_until_it_is_told_to_end]
with tempfile.TemporaryDirectory(prefix="wm-agent-") as name:
    work = pathlib.Path(name)
    run(waymark, "cc", "-O1", "-g", source, "-o", work / "program")
    for case in cases:
        try:
            case(Case(work / case.__name__, work / "program"))
        except SystemExit as failure:
            raise SystemExit(f"{case.__name__}: {failure}")
print(f"{len(cases)} cases")
