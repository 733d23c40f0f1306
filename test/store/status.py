#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""status.py BUILD [CASE...]: what `waymark push --status` and `--metrics` say, and how a kept file is given back."""
import os, pathlib, re, shutil, signal, subprocess, sys, time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from watched import check, old_files, run, run_cases, start, until, waymark


def metrics_of(file):
    """As Prometheus reads them; each has a type and a help."""
    found = {}
    for name, directory, value in re.findall(r'^(\w+)\{directory="(.*)"\} (\d+)$', file.read_text(), re.M):
        check(f"# TYPE {name} " in file.read_text() and f"# HELP {name} " in file.read_text(), name)
        found[name.removeprefix("waymark_push_")] = int(value)
    return found


def the_status_says_what_was_done(case):
    """Over passes of several agents; with a state directory of an earlier version, and a file that is damaged."""
    begun, metrics = int(time.time()), case.work / "push.prom"
    check("no agent has finished a pass" in run(waymark, "push", "--status", case.watched, code=1) and not case.state().exists(), "the status makes something")
    case.profile("a.wmraw")
    case.copy("a.wmraw")
    old = case.profile("b.wmraw")
    case.copy("b.wmraw")
    os.utime(old, (begun - 7200,) * 2)
    before = case.status(code=1)
    check(before["schema"] == "waymark.push/1" and before["waiting"] == 2 and before["last_pass"] is None, before)
    check(7200 <= before["waiting_age"] < 7300 and before["waiting_bytes"] >= 4096, before)
    check("2 profiles wait (" in run(waymark, "push", "--status", case.watched, code=1), "the text")
    (case.state() / "kept").mkdir(parents=True, mode=0o700)
    case.state().chmod(0o700)
    case.push("--metrics", metrics)
    (case.watched / "text.wmraw").write_text("this is no profile")
    shutil.copy(case.copies / "a.wmraw", case.watched)
    program = case.living("living.wmraw")
    program.count(3)
    case.push("--metrics", metrics, "--living", "0", code=1)
    after = case.status()
    expected = dict(stored=2, known=1, refused=0, kept=1, removed=0, failed=0, is_failing=0, waiting=0, waiting_age=0, living=1, kept_files=1)
    check({key: after[key] for key in expected} == expected, after)
    check(begun <= after["since"] <= after["last_contact"] <= after["last_pass"] <= time.time(), after)
    check(after["error"].startswith("text.wmraw is kept in ") and begun <= after["last_error"], after)
    figures = metrics_of(metrics)
    names = dict(stored_total=2, known_total=1, kept_total=1, refused_total=0, failing=0, living_files=1, waiting_files=0, kept_files=1)
    check({key: figures[key] for key in names} == names and figures["last_pass_timestamp_seconds"] == after["last_pass"], figures)
    check(sorted(path.name for path in case.work.glob("push.prom*")) == ["push.prom"], "a temporary file is left")
    # The store is away: the status and the file say so, and the queue grows old.
    old = case.profile("c.wmraw")
    os.utime(old, (begun - 600,) * 2)
    case.store.rename(case.work / "away.db")
    said = case.push("--metrics", metrics, "--living", "0", code=1)
    (case.work / "away.db").rename(case.store)
    away = case.status(code=1)
    check((away["is_failing"], away["failed"], away["waiting"], away["last_contact"]) == (1, 1, 1, after["last_contact"]), away)
    check(away["error"] in said and 600 <= metrics_of(metrics)["waiting_age_seconds"] < 700, away, said)
    text = run(waymark, "push", "--status", case.watched, code=1)
    check("2 stored, 1 known already, 0 refused, 1 kept" in text and "which failed" in text and "1 of living processes, 1 in kept" in text, text)
    # What is damaged begins anew.
    (case.state() / "totals.json").write_text('{"schema": "waymark.push-totals/1", "stored":')
    check("damaged; the totals begin anew" in case.push("--living", "0"), "a damaged file")
    check(case.status()["stored"] == 1 and case.status()["kept"] == 0, case.status())
    (case.state() / "totals.json").write_text('{"schema": "waymark.push-totals/1", "stored": -5, "known": "x", "last_pass": 4611686018427387904, "error": 7}')
    strange = case.status()
    check((strange["stored"], strange["known"], strange["since"], strange["error"]) == (0, 0, None, None), strange)
    check("last pass: never" in run(waymark, "push", "--status", case.watched), "a time that is none")
    program.end()


def what_is_removed_and_refused_is_counted(case):
    old_files(case)
    case.store.rename(case.work / "away.db")
    case.push("--queue-limit", "1", code=1)
    check(case.status(code=1)["removed"] == 2, case.status(code=1))
    (case.work / "away.db").rename(case.store)
    program = case.living("living.wmraw")
    program.count(3)
    case.copy("living.wmraw")
    case.store_push(case.copies / "living.wmraw")
    program.count(700)
    program.end()
    case.push("--living", "0", code=1)
    after = case.status()
    check((after["refused"], after["kept"], after["stored"]) == (1, 1, 1) and "with other counts" in after["error"], after)


def a_kept_file_can_be_given_back(case):
    """As doc/production.md says: it was too long, and a limit that is higher takes it."""
    case.profile("long.wmraw")
    os.truncate(case.watched / "long.wmraw", 2 << 20)
    case.copy("long.wmraw")
    case.push("--file-limit", "1", code=1)
    check(case.status()["kept_files"] == 1, case.status())
    run(waymark, "merge", "-o", case.work / "kept.wmprof", case.state() / "kept/long.wmraw")
    os.rename(case.state() / "kept/long.wmraw", case.watched / "long.wmraw")
    check("1 stored" in case.push() and case.status()["kept_files"] == 0, case.status())
    case.same()


def its_own_files_do_not_wake_the_agent(case):
    """The file of metrics is in the watched directory, which is that of the state, too."""
    case.watched.chmod(0o700)
    metrics = case.watched / "push.prom"
    agent = start(*case.command("-q", "--interval", "3600", "--state", case.watched, "--metrics", metrics))
    until(metrics.exists, "no metrics are written")
    first = metrics.stat().st_ino, metrics.read_text()
    time.sleep(0.5)
    check((metrics.stat().st_ino, metrics.read_text()) == first, "the agent wakes itself")
    case.profile("a.wmraw")
    until(lambda: metrics_of(metrics)["stored_total"] == 1, "the end of a program does not wake the agent")
    agent.send_signal(signal.SIGTERM)
    check(agent.wait(timeout=60) == 0, "exit code after SIGTERM")


def a_file_that_cannot_be_written_is_said_once(case):
    """And everything is stored."""
    agent = start(*case.command("-q", "--interval", "3600", "--metrics", case.work / "none/push.prom"), stderr=subprocess.PIPE, text=True)
    for i in range(2):
        case.profile(f"{i}.wmraw")
        until(lambda: case.left() == [], "a file is not stored")
    agent.send_signal(signal.SIGTERM)
    said = agent.communicate(timeout=60)[1]
    check(said.count("\n") == 1 and "cannot write" in said and "none/push.prom: No such file" in said, said)
    check(case.status()["stored"] == 2, case.status())


run_cases([the_status_says_what_was_done, what_is_removed_and_refused_is_counted,
    a_kept_file_can_be_given_back, its_own_files_do_not_wake_the_agent,
    a_file_that_cannot_be_written_is_said_once])
