# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The segments of paths through inlined calls are those of a recording of the same run.

# same_segments DEPTH…: those of the builds `recorded` and `inlined` are equal
same_segments() {
	rm -f recorded.wmraw inlined.wmraw
	WAYMARK_FILE=recorded.wmraw ./recorded >recorded.out || fail "recorded"
	WAYMARK_FILE=inlined.wmraw ./inlined >inlined.out || fail "inlined"
	cmp recorded.out inlined.out || fail "inlining changes the output"
	for depth in "$@"; do
		"$waymark" wpp --segments $depth --json recorded.wmraw recorded >recorded.json || fail "wpp --segments"
		"$waymark" segments --depth $depth --json inlined.wmraw inlined >inlined.json || fail "segments --depth"
		for file in recorded inlined; do
			jq -c '[.segments[] | [.count, .path]] | sort | .[]' $file.json >$file.segments
		done
		[ "$(wc -l <inlined.segments)" -gt 5 ] || fail "there are hardly any segments"
		diff recorded.segments inlined.segments || fail "the segments of depth $depth differ from those of the recording"
		jq -e 'all(.segments[]; .exact)' inlined.json >/dev/null || fail "the segments are not exact"
	done
}
echo '#include "callee.c"
#include "caller.c"' >both.c
must "$waymark" cc -O1 -fwaymark-wpp both.c -o recorded
must "$waymark" cc -O1 -fwaymark-segments=1 both.c -o inlined
same_segments 1 2 3

# Indirect calls: a recording knows their targets.
must "$waymark" cc -O1 -fwaymark-wpp pointers.c -o recorded
rm -f recorded.wmraw
WAYMARK_FILE=recorded.wmraw ./recorded >/dev/null
"$waymark" wpp --sites recorded.wmraw recorded >sites || fail "wpp --sites"
LC_ALL=C sort sites >sorted
printf '%s\n' 'apply@0.0 alpha 15' 'apply@0.0 beta 15' 'apply@1.0 alpha 7' 'apply@1.0 beta 7' 'beta@1.0 alpha 26' \
	'main@2.0 alpha 10' 'main@2.0 beta 10' 'main@2.0 gamma1 10' 'main@2.1 apply 30' | diff - sorted || fail "wpp --sites"
"$waymark" wpp --sites --json recorded.wmraw recorded | jq -e '.sites | length == 9 and .[0].callee == "apply"' >/dev/null || fail "wpp --sites --json"
for options in '-O0 -g' -O2 '-O2 -fwaymark-scheme=piecewise -fwaymark-segments-size=100'; do
	must "$waymark" cc $options -fwaymark-segments=1 -fwaymark-sites=sites pointers.c -o inlined
	same_segments 1 2
done
# A target that is not listed is called by the indirect call.
grep -v gamma1 sites >fewer
must "$waymark" cc -fwaymark-segments=1 -fwaymark-sites=fewer pointers.c -o inlined
rm -f inlined.wmraw
WAYMARK_FILE=inlined.wmraw ./inlined >inlined.out
cmp recorded.out inlined.out || fail "a target that is not listed changes the output"
"$waymark" segments --json inlined.wmraw inlined | jq -e '.stepped_over == 10' >/dev/null || fail "the call of a target that is not listed"

# Virtual calls that throw.
must "$waymark" c++ -fwaymark-wpp virtual.cpp -o recorded
rm -f recorded.wmraw
WAYMARK_FILE=recorded.wmraw ./recorded >recorded.out
"$waymark" wpp --sites recorded.wmraw recorded >sites || fail "wpp --sites"
for options in -O0 -O2; do
	must env WAYMARK_TEST=trace "$waymark" c++ $options -fwaymark-segments=1 -fwaymark-sites=sites virtual.cpp "$build/test/trace.o" -o inlined
	rm -f inlined.wmraw trace.txt
	WAYMARK_FILE=inlined.wmraw WM_TRACE_FILE=trace.txt ./inlined >inlined.out || fail "virtual"
	cmp inlined.out recorded.out || fail "virtual calls print something else"
	report ./inlined inlined.wmraw
	trace_equal trace.txt
	expect 'any(f("main").paths[]; .path | any(.[]; startswith("_ZN6square4area")))'
done

# Calls between files, with link-time optimisation.
must "$waymark" cc -O1 -fwaymark-wpp callee.c caller.c -o recorded
rm -f recorded.wmraw
WAYMARK_FILE=recorded.wmraw ./recorded >/dev/null
"$waymark" wpp --sites recorded.wmraw recorded >sites || fail "wpp --sites"
grep -q '^choose@.* loop ' sites || fail "a call between files is not listed"
for options in '-O0 -g' '-O2 -fwaymark-sites=sites'; do
	must "$waymark" cc $options -fwaymark-segments=1 both.c -o inlined
	same_segments 1 2
	cp inlined.segments one.segments
	must "$waymark" cc $options -flto -fwaymark-segments=1 -c callee.c
	must "$waymark" cc $options -flto -fwaymark-segments=1 -c caller.c
	must "$waymark" cc $options -flto -fwaymark-segments=1 callee.o caller.o -o inlined
	same_segments 1 2
	cmp inlined.segments one.segments || fail "$options: two files have other segments than one"
done
"$waymark" merge -o known.wmprof inlined.wmraw >/dev/null || fail "merge"
must "$waymark" cc $options -flto -fwaymark-segments=1 -fwaymark-residual=known.wmprof callee.c caller.c -o inlined
rm -f inlined.wmraw
WAYMARK_FILE=inlined.wmraw ./inlined >inlined.out 2>log
cmp recorded.out inlined.out || fail "the residual build prints something else"
[ ! -s log ] || { cat log; fail "the counters are not a mapped file"; }
report ./inlined inlined.wmraw
expect '[.functions[].paths[]?] == []'
# Thin link-time optimisation inlines calls within files.
must "$waymark" cc -O1 -flto=thin -fuse-ld=lld -fwaymark-segments=1 callee.c caller.c -o inlined
rm -f inlined.wmraw
WAYMARK_FILE=inlined.wmraw ./inlined >/dev/null
"$waymark" segments --json inlined.wmraw inlined | jq -e '.stepped_over > 0' >/dev/null || fail "-flto=thin"
! "$waymark" cc -flto -fuse-ld=bfd -fwaymark-segments=1 caller.c callee.c -o refused >log 2>&1 || fail "-fuse-ld=bfd is not refused"
grep -q 'leave out -fuse-ld=bfd or -flto' log || { cat log; fail "-fuse-ld=bfd"; }

# Callees that callers share: where the size limit leaves calls out, paths cross them.  both.c is one file; callee.c and caller.c
# are two, without link-time optimisation.
for files in both.c 'callee.c caller.c'; do
	must "$waymark" cc -O1 -fwaymark-wpp $files -o recorded
	must "$waymark" cc -O1 $files -o plain
	rm -f plain.wmraw
	WAYMARK_FILE=plain.wmraw ./plain >/dev/null
	report ./plain plain.wmraw
	blocks report.json >plain.blocks
	for options in piecewise 'context -O2 -fwaymark-segments=1' 'piecewise -O2 -fwaymark-segments=1 -fwaymark-segments-size=130' \
		'piecewise -fwaymark-segments=2 -fwaymark-segments-size=100'; do
		must "$waymark" cc -fwaymark-scheme=$options $files -o inlined
		same_segments 1 2
		report ./inlined inlined.wmraw
		blocks report.json >inlined.blocks
		diff plain.blocks inlined.blocks || fail "$options: the paths do not contain what the plain build counts"
	done
done
# Only listed calls are crossed.
must "$waymark" cc -O1 -fwaymark-scheme=piecewise -fwaymark-segments=1 -fwaymark-segments-size=100 -fwaymark-sites=sites callee.c caller.c -o inlined
same_segments 1
"$waymark" show --json --calls inlined >report.json || fail "show --calls"
expect 'any(f("choose").calls[]; .callee == "loop" and .crossed) and all(f("main").calls[]; .callee != "printf" or (.crossed | not))'
grep -v ' loop ' sites >fewer
must "$waymark" cc -O1 -fwaymark-scheme=piecewise -fwaymark-segments=1 -fwaymark-segments-size=100 -fwaymark-sites=fewer callee.c caller.c -o inlined
"$waymark" show --json --calls inlined >report.json || fail "show --calls"
expect 'any(f("choose").calls[]; .callee == "leaf" and .crossed) and all(f("choose").calls[]; .callee != "loop" or (.crossed | not))'
# Exceptions through inlined and crossed calls.
must "$waymark" c++ virtual.cpp -o plain
rm -f plain.wmraw
WAYMARK_FILE=plain.wmraw ./plain >plain.out
report ./plain plain.wmraw
blocks report.json >plain.blocks
for options in 1 '1 -O2 -fwaymark-segments-size=100'; do
	must "$waymark" c++ -fwaymark-scheme=piecewise -fwaymark-segments=$options virtual.cpp -o inlined
	rm -f inlined.wmraw
	WAYMARK_FILE=inlined.wmraw ./inlined >inlined.out
	cmp inlined.out plain.out || fail "$options: exceptions through crossed calls print something else"
	report ./inlined inlined.wmraw
	blocks report.json >inlined.blocks
	diff plain.blocks inlined.blocks || fail "$options: exceptions through crossed calls"
done
"$waymark" report inlined.wmraw inlined >text || fail "report"
# Residual builds of shared callees count no tested path.
must "$waymark" cc -O1 -fwaymark-scheme=piecewise -fwaymark-segments=1 -fwaymark-segments-size=130 both.c -o inlined
rm -f inlined.wmraw
WAYMARK_FILE=inlined.wmraw ./inlined >/dev/null
"$waymark" merge -o known.wmprof inlined.wmraw >/dev/null || fail "merge"
must "$waymark" cc -O1 -fwaymark-scheme=piecewise -fwaymark-segments=1 -fwaymark-segments-size=130 -fwaymark-residual=known.wmprof both.c -o inlined
rm -f inlined.wmraw
WAYMARK_FILE=inlined.wmraw ./inlined >/dev/null
report ./inlined inlined.wmraw
expect '[.functions[].paths[]?] == []'

# The text tells inlined and crossed calls in the same way.
must "$waymark" cc -O1 -g -fwaymark-segments=1 both.c -o all
must "$waymark" cc -O1 -g -fwaymark-scheme=piecewise -fwaymark-segments=1 -fwaymark-segments-size=130 both.c -o some
for name in all some; do
	rm -f $name.wmraw
	WAYMARK_FILE=$name.wmraw ./$name >/dev/null
	"$waymark" report --all $name.wmraw $name | sed -n 's/^ *\(\(calls\|back in\) [a-z]*\).*/\1/p' | sort | uniq -c >$name.calls
done
diff all.calls some.calls && [ "$(wc -l <all.calls)" -ge 6 ] || fail "the text tells other calls"

# The source lines and decisions of a segment are those of a recording, not those of the whole path.
must "$waymark" cc -O1 -g -fwaymark-wpp both.c -o recorded
must "$waymark" cc -O1 -g -fwaymark-scheme=piecewise both.c -o crossed
for name in recorded all some crossed; do
	rm -f $name.wmraw
	WAYMARK_FILE=$name.wmraw ./$name >/dev/null
	"$waymark" segments --json $name.wmraw $name >$name.json || fail "segments"
	jq -c '[.segments[] | [.path, [.decisions[] | [.line, .outcome]]]] | sort | .[]' $name.json >$name.decisions
	diff recorded.decisions $name.decisions || fail "$name: the decisions of segments"
	jq -c '[.segments[] | [.path, (.lines | unique)]] | sort | .[]' $name.json >$name.lines
	diff recorded.lines $name.lines || fail "$name: the source lines of segments"
done
