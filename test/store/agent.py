#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""agent.py BUILD [CASE...]: what `waymark push` takes, leaves alone, keeps and removes."""
import os, pathlib, shutil, signal, socket, stat, subprocess, sys, tempfile, time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from servers import Hostile
from watched import Running, check, old_files, run, run_cases, source, start, started, until, waymark


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


def pools_are_left_alone(case):
    case.profile("%m.wmraw")
    case.profile("%m.wmraw", 7)
    (pool,) = case.left()
    content = (case.watched / pool).read_bytes()
    case.profile("own.wmraw")
    case.copy("own.wmraw")
    said = case.push()
    check(f"{pool} is left alone, as all pools" in said, said)
    check(case.left() == [pool] and (case.watched / pool).read_bytes() == content, case.left())
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
    check(sorted(path.name for path in case.state().iterdir()) == ["kept", "lock", "totals.json"], "something is remembered of a run that is stored")


def living_processes_can_wait(case):
    program = case.living("living.wmraw")
    program.count(3)
    check("stored" not in case.push("--living", "0"), "it was told to wait for the end")
    program.end()
    case.copy("living.wmraw")
    case.push("--living", "0")
    case.same()


def a_living_process_is_not_pushed_as_a_whole(case):
    program = case.living("living.wmraw")
    program.count(3)
    said = case.store_push(case.watched / "living.wmraw", code=1)
    check("living.wmraw was not stored: its program is still running" in said and "waymark push" in said, said)
    # Nor by way of a merge, nor a snapshot.
    program.dump("snapshot.wmraw")
    check("snapshot" in case.store_push(case.watched / "snapshot.wmraw", code=1), "a snapshot is stored as a whole run")
    for name in ("living.wmraw", "snapshot.wmraw"):
        run(waymark, "merge", "-o", case.work / "part.wmprof", case.watched / name)
        said = case.store_push(case.work / "part.wmprof", code=1)
        check("a program that ran on" in said and "0 stored" in said, name, said)
    program.count(700)
    program.end()
    case.copy("living.wmraw")
    case.push()
    check(case.left() == [], case.left())
    case.same()


def a_known_run_with_other_counts_is_kept(case):
    """A copy of the file of a living process cannot be told from that of an ended one."""
    program = case.living("living.wmraw")
    program.count(3)
    case.copy("living.wmraw")
    case.store_push(case.copies / "living.wmraw")
    program.count(700)
    program.end()
    said = case.push("--living", "0", code=1)
    check(case.kept() == ["living.wmraw"] and "living.wmraw is kept" in said and "with other counts" in said, said)
    case.same()
    # As one run of a sum, its counts are not known.
    for name in ("a.wmraw", "b.wmraw"):
        case.profile(name)
        case.copy(name)
    run(waymark, "merge", "-o", case.work / "sum.wmprof", case.copies / "a.wmraw", case.copies / "b.wmraw")
    check("1 stored" in case.store_push(case.work / "sum.wmprof"), "a sum")
    said = case.push(code=1)
    check(case.kept() == ["a.wmraw", "b.wmraw", "living.wmraw"] and "part of a sum" in said, said)
    case.same()


def quiet_runs_are_not_forgotten(case):
    program = case.living("living.wmraw")
    program.count(3)
    case.push()
    until(lambda: "stored" not in case.push(), "an increment without news is stored")
    for path in case.state().glob("*.wmprof"):
        os.utime(path, (time.time() - 40 * 86400,) * 2)
    case.push()
    program.count(200)
    case.push()
    program.end()
    case.copy("living.wmraw")
    case.push()
    case.same()


def what_was_stored_may_be_forgotten(case):
    """The directory of --state is lost: what the agent then takes for the first part is none."""
    program = case.living("living.wmraw")
    program.count(3)
    case.push()
    shutil.rmtree(case.state())
    program.count(200)
    said = case.push(code=1)
    check("nothing more of living.wmraw is stored" in said and "with other counts" in said, said)
    check(case.push() == "", "a refusal is repeated")
    program.count(40)
    program.end()
    said = case.push(code=1)
    check(case.left() == [] and "living.wmraw" in case.kept() and "living.wmraw is kept" in said, case.kept(), said)
    os.rename(case.state() / "kept/living.wmraw", case.watched / "living.wmraw")
    said = case.push(code=1)
    check(case.left() == [] and "living.wmraw" in case.kept() and "the store has increments" in said, "it was given back", said)
    check(case.rows("SELECT count(*) FROM run") == [(1,)], "something was stored twice")


def a_damaged_state_is_that_of_one_run(case):
    program = case.living("living.wmraw")
    program.count(3)
    case.push()
    state = list(case.state().glob("*.wmprof"))
    check(len(state) == 1, state)
    state[0].write_bytes(b"damaged")
    program.count(200)
    case.profile("other.wmraw")
    said = case.push(code=1)
    check("nothing more of living.wmraw is stored" in said and state[0].name in said, said)
    check(case.left() == ["living.wmraw"] and state[0].name in case.kept(), case.left(), case.kept(), said)
    program.end()
    said = case.push(code=1)
    check(case.left() == [] and "living.wmraw is kept" in said, said)
    check(sorted(path.name for path in case.state().iterdir()) == ["kept", "lock", "totals.json"], "something is remembered of a run that is refused")


def only_what_was_stored_is_removed(case):
    """A damaged file and an intact snapshot of the same run; and snapshots that the file contains."""
    program = case.living("a.wmraw")
    program.count(3)
    program.dump("a-snapshot.wmraw")
    program.count(200)
    program.end()
    with open(case.watched / "a.wmraw", "r+b") as file:
        file.truncate(4096)
    program = case.living("b.wmraw")
    program.count(3)
    program.dump("b-1.wmraw")
    program.count(200)
    program.dump("b-2.wmraw")
    program.end()
    case.copy("a-snapshot.wmraw", "b.wmraw")
    said = case.push(code=1)
    check(case.left() == [] and case.kept() == ["a.wmraw"] and "a.wmraw is kept" in said, case.left(), case.kept(), said)
    check(case.rows("SELECT count(*) FROM run") == [(2,)], "two runs are stored")


def files_that_are_too_long_are_kept(case):
    """They are sparse: 200 GB, which is longer than the memory; and 60 MB, as a profile of a large program may be."""
    for name, length in (("a.wmraw", 200 << 30), ("long.wmraw", 60 << 20)):
        with open(case.profile(name), "r+b") as file:
            file.truncate(length)
    (case.watched / "empty-but-long.wmraw").touch()
    os.truncate(case.watched / "empty-but-long.wmraw", 200 << 30)
    case.profile("z.wmraw", 9)
    case.copy("long.wmraw", "z.wmraw")
    said = case.push(code=1)
    check("2 stored" in said and case.left() == [] and case.kept() == ["a.wmraw", "empty-but-long.wmraw"], said)
    check("a.wmraw is kept" in said and said.count("longer than 1024 MiB") == 2, said)
    case.same()
    # Also on another file system, where the file has to be copied.
    other = pathlib.Path("/dev/shm")
    if os.access(other, os.W_OK) and other.stat().st_dev != case.watched.stat().st_dev:
        with tempfile.TemporaryDirectory(prefix="wm-agent-", dir=other) as state:
            shutil.copy(case.copies / "z.wmraw", case.watched / "b.wmraw")
            os.truncate(case.watched / "b.wmraw", 3 << 30)
            case.push("--state", state, code=1)
            kept = (pathlib.Path(state) / "kept/b.wmraw").stat()
            check(case.left() == [] and kept.st_size == 3 << 30 and kept.st_blocks < 8 << 10, kept)
    case.profile("c.wmraw")
    os.truncate(case.watched / "c.wmraw", 2 << 20)
    check("longer than 1 MiB" in case.push("--file-limit", "1", code=1), "the limit can be set")


def crashes_are_kept(case):
    """Also if another file of the run, here a copy, is the one that is stored."""
    program = case.work / "crashing"
    run(waymark, "cc", "-O1", "-g", "-fwaymark-crash", source, "-o", program)
    process = start(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=case.environment("a.wmraw"))
    process.stdin.write(b"200\n")
    process.stdin.flush()
    process.stdout.readline()
    process.send_signal(signal.SIGSEGV)
    process.wait()
    shutil.copy(case.watched / "a.wmraw", case.watched / "b.wmraw")
    said = case.push(code=1)
    check(case.kept() == ["a.wmraw", "b.wmraw"] and said.count("how the program died") == 2, said)


def times_are_those_of_the_counts(case):
    day, now = 86400, int(time.time())
    name = case.profile("a.wmraw")
    os.utime(name, (now - 3 * day,) * 2)
    case.push()
    future = case.profile("b.wmraw")
    os.utime(future, (now + 3 * day,) * 2)
    case.store_push(future)
    rows = case.rows("SELECT first, last FROM bundle ORDER BY id")
    check(abs(rows[0][1] - now) < 600 and abs(rows[1][1] - now) < 600 and rows[0][0] <= rows[0][1], "not before the start, nor in the future", rows)
    # From the start to the last change.
    names = [case.profile("c.wmraw"), case.profile("e.wmraw")]
    time.sleep(3)
    changed = int(time.time()) - 1
    for name in names:
        os.utime(name, (changed, changed))
    case.store_push(names[0])
    names[0].unlink()
    future.unlink()
    case.push()
    for first, last in case.rows("SELECT first, last FROM bundle ORDER BY id DESC LIMIT 2"):
        check(first < last == changed, first, last, changed)
    # Parts: from the last one to this one.
    program = case.living("d.wmraw")
    program.count(3)
    case.push()
    until(lambda: "stored" not in case.push(), "an increment without news is stored")
    for path in case.state().glob("*.wmprof"):
        os.utime(path, (now - 5 * day,) * 2)
    program.count(200)
    case.push()
    first, last = case.rows("SELECT first, last FROM bundle ORDER BY id DESC LIMIT 1")[0]
    check(first == now - 5 * day and abs(last - time.time()) < 60, first, last)
    program.end()


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
    old_files(case)
    case.store.rename(case.work / "away.db")
    said = case.push("--queue-limit", "1", code=1)
    check(case.left() == ["2.wmraw"], case.left(), said)
    check("0.wmraw was removed without being stored" in said and "1.wmraw was removed" in said, said)


def what_is_kept_may_go_to_another_file_system(case):
    other = pathlib.Path("/dev/shm")
    if not os.access(other, os.W_OK) or other.stat().st_dev == case.watched.stat().st_dev:
        return
    with tempfile.TemporaryDirectory(prefix="wm-agent-", dir=other) as state:
        for _ in range(2):
            (case.watched / "text.wmraw").write_text("this is no profile")
            case.push("--state", state, code=1)
            check(case.left() == [], case.left())
        kept = sorted((pathlib.Path(state) / "kept").iterdir())
        check([path.name for path in kept] == ["1-text.wmraw", "text.wmraw"], kept)
        check(all(path.read_text() == "this is no profile" for path in kept), "the content is another one")


def what_a_server_refuses_is_kept(case):
    """A role that may push one program: files of others are refused, and the rest is stored."""
    other = case.work / "other"
    shutil.copy(case.program, other)
    with Running(case) as server:
        run(waymark, "store", "init", server.url())
        server.sql("CREATE ROLE writer LOGIN")
        run(waymark, "store", "grant", "--program", "program", server.url(), "writer")
        case.store = server.url(user="writer")
        def files():
            case.profile("b.wmraw")
            for name in ("a.wmraw", "c.wmraw"):
                run(other, 5, env=case.environment(name))
        files()
        said = case.push(code=1)
        check("1 stored" in said and case.left() == [] and case.kept() == ["a.wmraw", "c.wmraw"], said)
        check(said.count("a.wmraw") == 1 and "may not push" in said, said)
        check(case.push() == "", "a refusal is repeated")
        files()
        said = case.store_push(*(case.watched / name for name in case.left()), code=1)
        check("1 stored, 0 known, 2 refused" in said and "a.wmraw was not stored" in said and "c.wmraw was not stored" in said, said)
        # A name that is no text, and the longest labels.
        strange = os.fsencode(case.work) + b"/caf\xe9"
        shutil.copy(case.program, strange)
        case.watched = case.work / "more"
        case.watched.mkdir()
        subprocess.run([strange, "5"], env=case.environment("d.wmraw"), stdout=subprocess.DEVNULL, check=True)
        case.store = server.url()
        labels = ",".join(f"k{i}={'v' * 240}" for i in range(8))
        check("1 stored" in case.push("--label", labels), "names and labels")
        check("caf?" in run(waymark, "store", "list", server.url()), "the name of the program")


def it_ends_while_a_server_does_not_answer(case):
    case.profile("a.wmraw")
    with socket.socket(socket.AF_UNIX) as silent:
        directory = pathlib.Path(tempfile.mkdtemp(prefix="wm-", dir=case.work))
        silent.bind(str(directory / ".s.PGSQL.5432"))
        silent.listen()
        case.store = f"postgresql:///x?host={directory}&user=x"
        agent = start(*case.command("-q"))
        connection, _ = silent.accept()
        agent.send_signal(signal.SIGTERM)
        check(agent.wait(timeout=10) == 0, "exit code after SIGTERM")
        connection.close()
    check(case.left() == ["a.wmraw"], case.left())


def a_server_that_hangs_is_given_up(case):
    """Before and after it has greeted the agent, while it sends nothing of use, and in the end it is tried again."""
    case.profile("a.wmraw")
    for misbehave, greets in ((Hostile.silence, False), (Hostile.silence, True), (Hostile.notices, True), (Hostile.settings, False)):
        with Hostile(case.work / f"{misbehave.__name__}-{greets}", misbehave, greets) as server:
            case.store = server.url()
            said = case.push("--timeout", "1", code=1, timeout=30)
        check("the server does not answer in time" in said or "an answer of the server is too long" in said, misbehave, said)
        check(case.left() == ["a.wmraw"], case.left())
    connections = []
    with Hostile(case.work / "again", lambda server, client: connections.append(client), greets=False) as server:
        case.store = server.url()
        agent = start(*case.command("-q", "--timeout", "1"), stderr=subprocess.PIPE, text=True)
        until(lambda: len(connections) > 1, "the agent does not try again")
        agent.send_signal(signal.SIGTERM)
        check(agent.wait(timeout=10) == 0, "exit code after SIGTERM")
        check(agent.stderr.read().count("\n") == 1, "a failure is repeated")


def what_a_server_sends_is_bounded(case):
    case.profile("a.wmraw")
    for misbehave in (Hostile.rows, Hostile.one_long_row, Hostile.notices, Hostile.results):
        with Hostile(case.work / misbehave.__name__, misbehave) as server:
            case.store = server.url()
            command = case.command("--once", "--timeout", "60")
            plain = {name: value for name, value in os.environ.items() if name != "MALLOC_PERTURB_"} # which writes to all memory
            agent = start(*command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=plain)
            said = agent.stdout.read()
            started.remove(agent) # which is waited for here
            _, status, usage = os.wait4(agent.pid, 0)
        check(os.waitstatus_to_exitcode(status) == 1 and ("an answer of the server" in said or "for input buffer" in said), misbehave, said)
        check(usage.ru_maxrss < 200 << 10, misbehave, usage.ru_maxrss, "KiB")
        check(case.left() == ["a.wmraw"], case.left())


def the_queue_has_a_limit_while_a_server_hangs(case):
    old_files(case)
    with Hostile(case.work / "server", Hostile.silence) as server:
        case.store = server.url()
        agent = start(*case.command("--queue-limit", "1"), stderr=subprocess.PIPE, text=True)
        until(lambda: case.left() == ["2.wmraw"], "the limit does not hold")
        agent.send_signal(signal.SIGTERM)
        check(agent.wait(timeout=10) == 0, "exit code after SIGTERM")
        said = agent.stderr.read()
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


def the_clock_may_jump(case):
    """A year back, what a living process counts is stored nevertheless; two days ahead of the server, nothing is refused."""
    program = case.living("living.wmraw")
    program.count(3)
    case.push()
    until(lambda: "stored" not in case.push(), "an increment without news is stored")
    for path in case.state().glob("*.wmprof"):
        os.utime(path, (time.time() + 366 * 86400,) * 2)
    program.count(200)
    agent = start(*case.command("-q", "--interval", "1"))
    until(lambda: len(case.rows("SELECT 1 FROM bundle")) == 2, "increments stop when the clock is set back")
    agent.send_signal(signal.SIGHUP)
    program.end()
    case.copy("living.wmraw")
    until(lambda: case.left() == [], "SIGHUP ends the agent")
    agent.send_signal(signal.SIGTERM)
    check(agent.wait(timeout=60) == 0, "exit code after SIGTERM")
    case.same()
    with Running(case) as server:
        run(waymark, "store", "init", server.url())
        server.sql("CREATE ROLE writer LOGIN")
        run(waymark, "store", "grant", server.url(), "writer")
        ahead = int(time.time()) + 2 * 86400
        time.sleep(1.6 - time.time() % 1)  # a time that is rounded would be in the future
        server.sql(f"""BEGIN; SELECT waymark.push_begin(); INSERT INTO pg_temp.stage_run (high, low, epoch, part, start) VALUES (1, 2, 0, 0, {ahead});
            INSERT INTO pg_temp.stage_bundle (labels, runs, unsafe, any_program, first, last, machine) VALUES ('kind=field', 1, 0, 0, {ahead}, {ahead}, '');
            INSERT INTO pg_temp.stage_label (key, value) VALUES ('kind', 'field'); SELECT waymark.push_end(); COMMIT""")
        check(int(server.sql("SELECT max(greatest(first, last)) FROM waymark.bundle")) <= time.time(), "a time in the future")


def a_living_process_that_was_put_off_is_said(case):
    """Its file cannot be read, or what is remembered of it cannot be written.  Later it is stored."""
    program = case.living("living.wmraw")
    program.count(3)
    length = (case.watched / "living.wmraw").stat().st_size
    os.truncate(case.watched / "living.wmraw", max(length, 2 << 20))
    said = case.push("--file-limit", "1", code=1)
    check("living.wmraw: what its process has counted is not stored" in said and "run the command again" in said, said)
    (case.state() / "new").mkdir()
    said = case.push(code=1)
    check(str(case.state()) in said and "stored" not in said, said)
    (case.state() / "new").rmdir()
    check("1 stored" in case.push(), "a living process is not stored later")
    program.end()
    case.copy("living.wmraw")
    case.push()
    check(case.left() == [], case.left())
    case.same()


def wrong_commands_are_explained(case):
    check("takes no store" in run(waymark, "push", "--status", case.watched, case.store, code=1), "a status of a store")
    check("--json is for --status" in case.push("--json", code=1), "--json without --status")
    check("cannot watch" in run(waymark, "push", "--status", case.work / "none", code=1), "no such directory")
    check("--watch" in run(waymark, "push", case.store, code=1), "no directory")
    check("cannot watch" in run(waymark, "push", "--once", "--watch", case.work / "none", case.store, code=1), "no such directory")
    check("one store" in run(waymark, "push", "--once", "--watch", case.watched, code=1), "no store")
    check("--machine" in run(*case.command("--once", "--machine", "a,b"), code=1), "a bad name")
    case.profile("a.wmraw")
    for option, number in (("--queue-limit", 1 << 44), ("--interval", 1 << 60), ("--interval", 0), ("--living", 1 << 63)):
        check(f"{option} must be" in case.push(option, str(number), code=1), option, number)
    labels = [f"k{i}=v" for i in range(32)]
    many = [("--label", ",".join(labels))], "more than 32 labels"
    lengthy = [("--label", ",".join(f"k{i}={'v' * 250}" for i in range(9)))], "longer than 2048 bytes"
    for options, sentence in (many, lengthy, ([("--label", "a=\udcff")], "not UTF-8")):
        check(sentence in case.push(*options[0], code=1), sentence)
        check(sentence in case.store_push(case.watched / "a.wmraw", options=options[0], code=1), sentence)
    for option in ("test", "commit"):
        said = case.store_push(case.watched / "a.wmraw", options=(f"--{option}", "a", "--label", f"{option}=b"), code=1)
        check(f"the label {option} is given twice" in said, said)
    case.store = f"{case.store}#version=1"
    check("filters after '#'" in case.push(code=1), "a filter")
    check("filters after '#'" in case.store_push(case.watched / "a.wmraw", code=1), "a filter")
    check(case.left() == ["a.wmraw"], case.left())


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


def it_watches_until_it_is_told_to_end(case):
    """The interval is an hour: the end of a program wakes the agent."""
    agents = [start(*case.command("-q", "--interval", "3600", "--living", "0")) for _ in range(2)]
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


cases = [ended_processes_are_stored_and_removed, strange_files_are_left_alone, pools_are_left_alone, what_cannot_be_stored_is_kept,
    living_processes_are_stored_in_parts, living_processes_can_wait, without_leases_the_process_is_asked,
    a_living_process_is_not_pushed_as_a_whole, a_known_run_with_other_counts_is_kept, quiet_runs_are_not_forgotten,
    what_was_stored_may_be_forgotten, a_damaged_state_is_that_of_one_run, only_what_was_stored_is_removed, files_that_are_too_long_are_kept, crashes_are_kept,
    times_are_those_of_the_counts, what_is_kept_may_go_to_another_file_system, what_a_server_refuses_is_kept,
    it_ends_while_a_server_does_not_answer, a_server_that_hangs_is_given_up, what_a_server_sends_is_bounded,
    the_queue_has_a_limit_while_a_server_hangs,
    files_wait_while_the_store_is_away, the_queue_has_a_limit, a_living_process_that_was_put_off_is_said, the_clock_may_jump, the_state_must_be_our_own, wrong_commands_are_explained,
    examples_are_right, it_watches_until_it_is_told_to_end]
run_cases(cases)
