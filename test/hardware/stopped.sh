#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# stopped.sh BUILD: what is printed of a program that was interrupted, and of a trace that is not whole, says so.
. "$(dirname "$0")/lib.sh"

clang-19 -O1 -g endless.c -o endless
cat >short.c <<'C'
int main(int argc, char **argv) { (void)argv; return argc > 5; }
C
clang-19 -O1 -g short.c -o short

# interrupted ARGUMENTS: a run that SIGINT ends, as from a terminal
interrupted() {
	timeout -s INT 1 "$waymark" hw "$@" >out 2>err || :
}
says() {
	grep -q "$1" "$2" || { cat "$2"; fail "no '$1' in $2"; }
}

interrupted --record run.wmtrace --wpp run.wmwpp --paths 1 -- ./endless
says 'stopped early: the program was ended by SIGINT' out
interrupted --json -- ./endless
jq -e '.stopped_early == true and .stopped_because == ["the program was ended by SIGINT"]' out >/dev/null || fail "JSON"
interrupted --html site -- ./endless
says 'stopped early: the program was ended by SIGINT' site/index.html
interrupted --plackett-burman -- ./endless
says 'stopped early: the program was ended by SIGINT' out
interrupted --paths 1 -- /bin/sh -c 'trap "exit 130" INT; while :; do :; done'
says 'stopped early: the program was ended by SIGINT' out

# A recording of the run knows it.
"$waymark" hw --paths 1 --replay run.wmtrace >out
says 'stopped early: the program was ended by SIGINT' out
"$waymark" wpp run.wmwpp ./endless >out
says 'stopped early: the program was ended by a signal' out
"$waymark" wpp --json run.wmwpp ./endless | jq -e '.process_ends == ["other"]' >/dev/null || fail "the recording's JSON"

# A limit, also in the recordings.
"$waymark" hw --paths 1 --limit 300000 --kill --record part.wmtrace --wpp part.wmwpp -- ./endless >out
says 'stopped early: the limit of 300000 instructions was reached' out
"$waymark" hw --paths 1 --replay part.wmtrace >out
says 'stopped early: the trace was recorded only in part' out
"$waymark" wpp part.wmwpp ./endless >out
says 'stopped early' out

# A damaged trace, and one whose replay is interrupted.
head -c "$(($(stat -c %s part.wmtrace) - 10))" part.wmtrace >cut.wmtrace
"$waymark" hw --paths 1 --replay cut.wmtrace >out 2>err
says 'stopped early: the rest of the trace is damaged or missing' out
# The pipe is open when the command has begun; it reads the rest when the signal has come.
mkfifo pipe
timeout --preserve-status -s INT 100 "$waymark" hw --paths 1 --replay pipe >out 2>err &
replay=$!
exec 3>pipe
head -c 100 run.wmtrace >&3
kill -INT "$(pgrep -P $replay)"
tail -c +101 run.wmtrace >&3 2>/dev/null || : # the command need not read all
exec 3>&-
got=0
wait $replay || got=$?
[ "$got" = 130 ] || { cat err; fail "exit code $got instead of that of SIGINT"; }
says 'stopped early: waymark was interrupted while it read the trace' out

# On a terminal there is progress, which is gone when the result is printed; with --quiet and elsewhere there is none.
on_terminal() {
	TERM=xterm script -qec "$*" /dev/null </dev/null >out 2>&1 || :
}
on_terminal timeout -s INT 2 "$waymark" hw --stdout /dev/null --paths 1 -- ./endless
says 'instructions so far: [0-9]' out
says "$(printf '\033')\\[Kstopped early" out
on_terminal timeout -s INT 2 "$waymark" hw --quiet --stdout /dev/null -- ./endless
! grep -q 'so far' out || fail "progress in spite of --quiet"
on_terminal "$waymark" hw --window 1000 --paths 1 --replay run.wmtrace
says 'bytes of the trace read: [0-9]* of [0-9]' out
interrupted --paths 1 -- ./endless
[ ! -s err ] || { cat err; fail "progress without a terminal"; }

# What was not stopped does not say so.
"$waymark" hw --json --record run.wmtrace --wpp run.wmwpp -- ./short >out
jq -e '.stopped_early == false and (has("stopped_because") | not)' out >/dev/null || fail "a whole run was stopped early"
"$waymark" hw --replay run.wmtrace >out
! grep -q 'stopped early' out || fail "a whole trace was stopped early"
"$waymark" wpp run.wmwpp ./short >out
! grep -q 'stopped early' out || fail "a whole recording was stopped early"
echo "all agree"
