# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Recordings that end early: SIGKILL, a limit, a full disk, no file.  What was written is there, and what is missing is
# stated.
WAYMARK_TEST=trace must "$waymark" cc -O2 -fwaymark-wpp program.c "$build/test/walk_trace.o" -o program
must "$waymark" cc -O2 -fwaymark-wpp program.c -o alone

check() {
	"$build/test/walk" "$@" ./program walk/t walk/r.wmraw >totals 2>&1 || { cat totals; fail "$*: the walks differ"; }
}

# SIGKILL: at most the unfinished subpath of the thread is missing.
for round in 1 2 3 4 5 6 7 8 9 10 11 12; do
	rm -rf walk && mkdir walk
	WM_WALK_PREFIX=walk/t WAYMARK_FILE=walk/r.wmraw ./program >out 2>err &
	pid=$!
	sleep "0.0$((round * 7))"
	kill -9 $pid
	wait $pid 2>/dev/null || true
	[ -e walk/r.wmraw ] || continue
	[ -n "$(ls walk/t.* 2>/dev/null)" ] || continue
	check --killed
	sed 's/.*entries \([0-9]*\).*/\1/' totals >>entries
done
[ "$(sort -n entries | tail -n 1)" -gt 1000 ] || fail "nothing was recorded before the kills: $(cat entries)"

# A limit: the program goes on, the recording is a prefix of the trace and says why it ends.
rm -rf walk && mkdir walk
code=0
WAYMARK_WPP_LIMIT=300000 WM_WALK_PREFIX=walk/t WAYMARK_FILE=walk/r.wmraw ./program 300 >out 2>err || code=$?
[ "$code $(cat out)" = "3 done" ] || fail "limit: exit code $code, $(cat out err)"
[ "$(grep -c 'the recording ends here' err)" = 1 ] || fail "limit: $(cat err)"
check --stopped
entries=$(sed 's/.*entries \([0-9]*\).*/\1/' totals)
[ "$entries" -gt 10000 ] && [ "$entries" -lt 37500 ] || fail "limit: $entries entries"
# says PATTERN: every output says that the recording stopped early, and why; the files are also compressed
says() {
	must "$waymark" wpp --compress walk/r.wmwpp walk/r.wmraw
	for recording in walk/r.wmraw walk/r.wmwpp; do
		rm -rf pages && mkdir pages
		for query in --dump '--segments 1' --paths=3; do
			"$waymark" wpp $query $recording "$1" >said || fail "wpp $query"
			grep -q "^stopped early: .*$2" said || { tail -n 3 said; fail "wpp $query: not said in the text"; }
			"$waymark" wpp --json $query $recording "$1" >said.json || fail "wpp --json $query"
			jq -e --arg why "$2" '.stopped_early and (.stopped_because | any(contains($why)))' said.json >/dev/null || fail "wpp --json $query: not said"
		done
		"$waymark" wpp --sites $recording "$1" 2>&1 >/dev/null | grep -q "stopped early: .*$2" || fail "wpp --sites: not said"
		"$waymark" wpp --sites --json $recording "$1" | jq -e .stopped_early >/dev/null || fail "wpp --sites --json: not said"
		"$waymark" wpp --as acyclic -o walk/as.wmprof $recording "$1" 2>&1 | grep -q "stopped early: .*$2" || fail "wpp --as: not said"
		must "$waymark" wpp --html pages/hot $recording "$1"
		must "$waymark" wpp --segments 1 --html pages/segments $recording "$1"
		for page in hot segments; do
			grep -q "stopped early: .*$2" pages/$page/index.html || fail "the page $page does not say it"
		done
		"$waymark" segments $recording "$1" >said || fail segments
		grep -q "^stopped early: .*$2" said && grep -Eq '^ *[0-9.]+% +>= [0-9]' said || { head -n 5 said; fail "segments: not said"; }
		"$waymark" segments --json $recording "$1" | jq -e '.stopped_early and all(.segments[]; .exact | not)' >/dev/null || fail "segments --json: not said"
		"$waymark" segments --tested $recording $recording "$1" | grep -q "^of the tests: stopped early: .*$2" || fail "segments --tested: not said"
	done
}
says ./program 'WAYMARK_WPP_LIMIT was reached'
"$waymark" wpp --dump walk/r.wmraw ./program 2>/dev/null >dump || fail "limit: wpp --dump"
grep -q 'recording stopped: WAYMARK_WPP_LIMIT was reached$' dump && grep -q ', after the call of .* to ' dump ||
	{ tail -n 3 dump; fail "limit: --dump does not say why the recording ends"; }

# A file size limit stands for a full disk.
rm -rf walk && mkdir walk
code=0
(ulimit -f 600 && WAYMARK_FILE=walk/r.wmraw ./alone 3000 >out 2>err) || code=$?
[ "$code $(cat out)" = "3 done" ] || fail "file size limit: exit code $code, $(cat out err)"
[ "$(grep -c 'the recording ends here' err)" = 1 ] || fail "file size limit: $(cat err)"
says ./alone 'the file could not grow'
mkdir full
if mount -t tmpfs -o size=512k tmpfs full 2>/dev/null; then
	trap 'umount full' EXIT
	code=0
	mkdir -p walk
	rm -f walk/*
	WM_WALK_PREFIX=walk/t WAYMARK_FILE=full/r.wmraw ./program 300 >out 2>err || code=$?
	cp full/r.wmraw walk/r.wmraw
	[ "$code $(cat out)" = "3 done" ] || fail "full disk: exit code $code, $(cat out err)"
	[ "$(grep -c 'the recording ends here' err)" = 1 ] || fail "full disk: $(cat err)"
	check --stopped
fi

# No file at all.
for where in /proc/nowhere/x.wmraw /dev/null; do
	code=0
	WAYMARK_FILE=$where ./alone 30 >out 2>err || code=$?
	[ "$code $(cat out)" = "3 done" ] || fail "$where: exit code $code, $(cat out err)"
done

# Threads that have ended leave no mappings behind, whether they were recorded or not.
must "$waymark" cc -O2 -fwaymark-wpp threads.c -pthread -o threads
WAYMARK_FILE=threads.wmraw must ./threads
WAYMARK_FILE=threads2.wmraw WAYMARK_WPP_LIMIT=20000 must ./threads
