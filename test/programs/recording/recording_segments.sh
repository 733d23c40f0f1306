# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Path segments of recordings where others than returns end calls: calls of functions that do not return, and children of fork.

# of FILE…: the segments, as [count, exact, path] (from all files together)
of() {
	"$waymark" segments --depth "$depth" --json "$@" >segments.json || fail "segments $*"
	jq -c '[.segments[] | [.count, .exact, (.path | join(" "))]] | sort | .[]' segments.json
}

# Handlers of errors are reached by calls that do not return (thesis07, section 3.4.1): recordings and builds that inline agree.
for kind in segments=2 wpp; do
	mkdir -p $kind
	must "$waymark" cc -O1 -g -fwaymark-$kind exits.c -o $kind/exits
	rm -f $kind/*.wmraw
	for n in 1 -1 -2 9; do
		WAYMARK_FILE=$kind/$n.wmraw $kind/exits $n || [ $? = 2 ] || fail "exits $n"
	done
	for depth in 1 2; do
		of $kind/1.wmraw $kind/-1.wmraw $kind/-2.wmraw $kind/9.wmraw $kind/exits >$kind/depth.$depth
	done
done
cat >expected <<'END'
[1,true,"check:0 check:1 ( fail:0 fail:1"]
[1,true,"check:0 check:1 ( fail:0 fail:2"]
[1,true,"main:0 main:1 main:3 main:4 ( fail:0 fail:2"]
[1,true,"main:0 main:2 main:3 main:5 ( check:0 check:2 )"]
[2,true,"main:0 main:1 main:3 main:5 ( check:0 check:1"]
END
depth=1
sed 's/main:0 main:[12]/main:0 main:X/' expected | sort >a
sed 's/main:0 main:[12]/main:0 main:X/' wpp/depth.1 | sort | diff a - || fail "segments that end in calls that do not return"
for depth in 1 2; do
	diff segments=2/depth.$depth wpp/depth.$depth || fail "depth $depth: recordings and builds that inline differ"
done
"$waymark" segments --tested wpp/1.wmraw wpp/-1.wmraw wpp/exits >log || fail "segments --tested"
grep -q '^2 of 2 segments of depth 1 that ran in the field were never tested' log || { cat log; fail "an error handler that no test reaches is not found"; }

# By longjmp, again and again.
must "$waymark" cc -O1 -g -fwaymark-wpp jumps.c -o jumps
WAYMARK_FILE=jumps.wmraw must ./jumps
depth=1
of jumps.wmraw jumps | grep check:0\ check:1\ \( >found
cat >expected <<'END'
[1,true,"check:0 check:1 ( fail:0 fail:1"]
[2,true,"check:0 check:1 ( fail:0 fail:2"]
END
diff expected found || fail "calls that longjmp leaves"

# Segments that are open where a process forks go on in both processes.
must "$waymark" cc -O1 -g -fwaymark-wpp forks.c -o forks
WAYMARK_FILE=forks.%p.wmraw must ./forks
depth=1
of forks.*.wmraw forks >found
cat >expected <<'END'
[1,true,"h:0 h:1 ( g:0 g:1 g:2 ) h:3"]
[1,true,"h:0 h:1 ( g:0 g:2 ) h:3"]
[1,true,"main:0 ( h:0 h:1"]
END
diff expected found || fail "segments of forked children"
must "$waymark" wpp --compress forks.wmwpp forks.*.wmraw
of forks.wmwpp forks | diff expected - || fail "segments of forked children, compressed"
"$waymark" wpp --segments 1 --json forks.wmwpp forks | jq -e '(.segments | length == 3 and all(.count == 1)) and .orphans == 0' >/dev/null || fail "wpp --segments of forked children"
depth=2
of forks.wmwpp forks >found
grep -c '^\[1,true,"main:0 ( h:0 h:1 ( g:0' found | grep -qx 2 || { cat found; fail "segments over two calls of forked children"; }

# Without the recording of the parent, what the child lacks is said, and no count is called exact.
child=
for file in forks.*.wmraw; do
	"$waymark" wpp --dump $file forks 2>/dev/null | grep -q 'forked, entries of the parent' && child=$file
done
[ -n "$child" ] || fail "no recording of a child"
depth=1
of $child forks >found 2>/dev/null
grep -q true found && fail "counts that lack the parent are called exact"
"$waymark" segments $child forks 2>/dev/null >log || fail "segments of a child"
grep -q '^1 process was forked from a process that is not in the recording' log || { cat log; fail "that the parent is missing is not said"; }

# What is not exact in a recording is said once, although its segments and its paths are found from it.
must clang-19 -O1 -c guard.c -o guard.o
must "$waymark" cc -O1 -g -fwaymark-wpp down.c guard.o -o down
WAYMARK_FILE=down.wmraw must ./down
"$waymark" segments down.wmraw down >/dev/null 2>log || fail "segments of a recording with a jump"
[ "$(grep -c 'the innermost of several activations' log)" = 1 ] || { cat log; fail "the warning is not given once"; }
