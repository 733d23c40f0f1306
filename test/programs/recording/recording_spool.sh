# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Recordings that are compressed while the program runs: nothing is lost, whoever is stopped or killed.
WAYMARK_TEST=trace must "$waymark" cc -O2 -fwaymark-wpp program.c "$build/test/walk_trace.o" -pthread -o program
must "$waymark" cc -O2 -fwaymark-wpp program.c -pthread -o alone

check() {
	"$build/test/walk" "$@" ./program walk/t walk/*.wmraw >totals 2>&1 || { cat totals err; fail "the walks differ"; }
}
blocks() {
	[ -s "$(echo walk/*.wmspool)" ] || { ls -l walk; fail "nothing was spooled"; }
}

# waymark run starts the spooler and keeps the program's exit status.
rm -rf walk
code=0
WM_WALK_PREFIX=walk/t "$waymark" run --wpp walk -- ./program 1200 >out 2>err || code=$?
[ $code = 3 ] && [ ! -s err ] || fail "exit code $code, $(cat err)"
check
blocks
[ "$(sed 's/.*streams \([0-9]*\) entries \([0-9]*\).*/\1/' totals)" = 2 ] || fail "$(cat totals)"
# All files of the directory may be given; a spool file alone is refused.
must "$waymark" wpp --compress both.wmwpp walk/*.wmraw walk/*.wmspool
must "$waymark" wpp --compress raw.wmwpp walk/*.wmraw
cmp both.wmwpp raw.wmwpp || fail "the spool file is not skipped"
"$waymark" wpp walk/*.wmspool ./program >log 2>&1 && fail "a spool file is no recording"
grep -q 'wmspool is only a part of a recording; give the raw profile walk/[0-9]*.wmraw, ' log || { cat log; fail "a spool file alone"; }

# spooler: starts one of our own, whose process is $spooler
spooler() {
	rm -rf walk input
	mkdir walk
	mkfifo input
	"$waymark" spool walk <input 2>spool.err &
	spooler=$!
	exec 9>input
}

# Stopped for a while: the program waits, and says so in its stream.
spooler
kill -STOP $spooler
WAYMARK_SPOOL=$spooler WM_WALK_PREFIX=walk/t WAYMARK_FILE=walk/%p.wmraw ./program 2000 >out 2>err &
program=$!
sleep 1.5
kill -CONT $spooler
wait $program || true
exec 9>&-
wait $spooler || fail "the spooler fails: $(cat spool.err)"
check
blocks
[ "$(sed 's/.*waits //' totals)" -gt 0 ] || fail "no wait was recorded: $(cat totals)"
must "$waymark" wpp walk/*.wmraw ./program
grep -q '^the program waited [0-9.]* seconds for the spooler, all threads together$' must.log || { cat must.log; fail "wpp does not report the wait"; }
! grep -q 'did not end by exit' must.log || fail "a program that exits is called killed"

# Killed: the program goes on without it, in a file that grows.
spooler
WAYMARK_SPOOL=$spooler WM_WALK_PREFIX=walk/t WAYMARK_FILE=walk/%p.wmraw ./program 3000 >out 2>err &
program=$!
sleep 0.4
kill -9 $spooler
wait $program || true
exec 9>&-
wait $spooler 2>/dev/null || true
check

# The program is killed: what was spooled and what was not make up the whole.
spooler
WAYMARK_SPOOL=$spooler WM_WALK_PREFIX=walk/t WAYMARK_FILE=walk/%p.wmraw ./program 100000000 >out 2>err &
program=$!
sleep 1
kill -9 $program
wait $program 2>/dev/null || true
exec 9>&-
wait $spooler || fail "the spooler fails: $(cat spool.err)"
check --killed
blocks

# The raw profile stays small, however long the program runs.
rm -rf walk
code=0
"$waymark" run --wpp walk -- ./alone 20000 >out 2>err || code=$?
[ $code = 3 ] || fail "exit code $code, $(cat err)"
[ "$(stat -c %s walk/*.wmraw)" -lt 25000000 ] || { ls -l walk; fail "the raw profile grows"; }
