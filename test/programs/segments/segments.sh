# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Interprocedural preferential path profiles by inlining: the three stages of thesis07, section 3.5.2.  The paths
# of functions into which calls were inlined contain every block as often as the plain build counts it.
# build NAME OPTION…
build() {
	name=$1
	shift
	must "$waymark" cc $options "$@" case.c -o "$name"
}
# profiled NAME ARGUMENT…: leaves NAME.wmprof and report.json
profiled() {
	name=$1
	shift
	rm -f "$name.wmraw"
	WAYMARK_FILE=$name.wmraw "./$name" "$@" >"$name.out" || fail "$name fails"
	report "./$name" "$name.wmraw"
	mv merged.wmprof "$name.wmprof"
}

for options in '-O0 -g' '-O2 -g' '-O2 -fwaymark-cfg=optimised -fno-inline'; do
	# Stage I: which calls.
	build plain
	profiled plain 10
	cp plain.out expected
	blocks report.json >plain.blocks
	"$waymark" segments --sites plain.wmprof plain >sites || fail "segments --sites"
	grep -q '^loop@[0-9]*\.0 bar 27$' sites || { cat sites; fail "the call of bar in loop is not listed"; }
	! grep -q printf sites || fail "a call that cannot be inlined is listed"
	[ "$("$waymark" segments --sites --least 27 plain.wmprof plain | wc -l)" = 1 ] || fail "--least"
	[ "$("$waymark" segments --sites --share 50 plain.wmprof plain | wc -l)" = 1 ] || fail "--share"
	# Stage II: their paths.  The second run of the same binary takes more.
	stage="-fwaymark-segments=2 -fwaymark-sites=sites"
	build second $stage
	profiled second 10
	cmp second.out expected || fail "inlining changes the output"
	blocks report.json >second.blocks
	diff plain.blocks second.blocks || fail "$options: the paths do not contain what the plain build counts"
	expect 'any(f("main").paths[]; .path | index("(") and index(")"))'
	expect 'any(f("main").paths[]; .start == "loop" and .context[1] == "(" and (.context[0] | startswith("main:")))'
	"$waymark" segments second.wmprof second >text || fail "segments"
	"$waymark" segments --json second.wmprof second >segments.json || fail "segments --json"
	jq -e '.stepped_over > 0 and ([.segments[] | select((.path | index("(")) == null)] | length) == 0 and
		any(.segments[]; .exact) and any(.segments[]; .exact | not)' segments.json >/dev/null || { cat segments.json; fail "segments"; }
	# bar is called 27 times in loop, and its segments begin there.
	jq -e '[.segments[] | select(.path[0] | test("^[+]?loop:")) | .count] | add == 27' segments.json >/dev/null ||
		{ cat segments.json; fail "the segments of loop"; }
	# Stage III, preferential: all paths of another run.
	profiled second 20
	cp report.json all.json
	rm -f short.wmraw
	WAYMARK_FILE=short.wmraw ./second 10 >/dev/null
	must "$waymark" merge -o known.wmprof short.wmraw
	build third $stage -fwaymark-interesting=known.wmprof
	profiled third 20
	for file in all report; do
		jq -S '[.functions[] | {name, paths: [.paths[]? | [.id, .count]] | sort}] | sort_by(.name)' $file.json >$file.paths
	done
	diff all.paths report.paths || fail "the preferential build counts something else"
	# Stage III, residual: those that the first run did not take.
	build fourth $stage -fwaymark-residual=known.wmprof
	profiled fourth 10
	jq -e '[.functions[].paths[]?] == []' report.json >/dev/null || fail "a tested path is counted"
	profiled fourth 20
	must "$build/test/sets" residual known.wmprof second.wmprof fourth.wmprof
	"$waymark" residual fourth.wmprof ./fourth >residual.text || fail "residual"
	"$waymark" segments --tested known.wmprof --json second.wmprof second >untested.json || fail "segments --tested"
	jq -e '(.untested | length) > 0 and (.untested | length) < .segments_executed' untested.json >/dev/null || fail "untested segments"
	"$waymark" segments --tested second.wmprof --json second.wmprof second | jq -e '.untested == []' >/dev/null || fail "tested segments"
done

# Why calls are not inlined.
options=-O0
build all -fwaymark-segments=1
"$waymark" show --json --calls all >report.json || fail "show --calls"
expect 'f("main").calls | map(select(.callee == "many")) | length == 1 and all(.[]; .reason == "the compiler cannot inline the call")'
expect 'f("main").calls | map(select(.callee == "again")) | all(.[]; .reason == "the compiler cannot inline the call")'
expect 'f("main").calls | map(select(.callee == null)) | length == 1'
expect 'any(f("rec").calls[]; .reason | test("recursive"))'
expect '[f("main").inlined[] | select(.caller == 0) | .function] | sort == ["bar", "bar", "loop", "rec", "rec"]'
"$waymark" show --calls --function main all | grep -q 'call 0 of block [0-9]* of loop: bar, inlined$' || fail "show --calls in text"

# A size limit leaves out the calls that are executed least often.
"$waymark" segments --sites plain.wmprof plain >sites || fail "segments --sites"
options='-O2 -fwaymark-cfg=optimised -fno-inline'
build none -fwaymark-segments=1 -fwaymark-sites=sites -fwaymark-segments-size=100
"$waymark" show --json --calls none >report.json || fail "show --calls"
expect '[.functions[].inlined[]?] == []'
expect '[.functions[].calls[]? | select(.callee == "bar") | .reason] | length > 2 and all(.[]; test("too large, and other calls are executed more often"))'
build few -fwaymark-segments=1 -fwaymark-sites=sites -fwaymark-segments-size=125
"$waymark" show --json --calls few >report.json || fail "show --calls"
expect 'any(f("loop").inlined[]; .function == "bar") or any(f("main").inlined[]; .function == "loop")'
expect 'any(.functions[].calls[]?; .reason | test("too large, and other"))'

# The text tells the path by calls.
rm -f all.wmraw
WAYMARK_FILE=all.wmraw ./all >/dev/null
"$waymark" report --all all.wmraw all >text || fail "report"
grep -q '^ *calls bar$' text && grep -q '^ *back in loop$' text && grep -q '^ *in loop$' text && grep -q '^ *returns to main$' text ||
	{ cat text; fail "the text does not tell the calls"; }
"$waymark" segments --rows 100 all.wmraw all >text || fail "segments in text"
for begins in 'from the entry of loop' 'from a loop head of loop'; do
	grep -q "^ *$begins\$" text || { cat text; fail "no segment begins '$begins'"; }
done
"$waymark" segments --html pages all.wmraw all || fail "segments --html"
grep -q '<code>loop ( bar ) loop</code>' pages/index.html && grep -q 'from a loop head of loop' pages/index.html &&
	grep -q "$(head -n 1 text)" pages/index.html || { cat pages/index.html; fail "the page of the segments"; }
"$waymark" report --html html all.wmraw all >log 2>&1 || { cat log; fail "report --html"; }

# refuse SENTENCE OPTION…
refuse() {
	sentence=$1
	shift
	! "$waymark" cc "$@" case.c -o refused >log 2>&1 && grep -qFe "$sentence" log || { cat log; fail "not refused: $*"; }
}
echo 'main@x.0 bar' >wrong
refuse "unknown value '65' for -fwaymark-segments: valid are 1 to 64" -fwaymark-segments=65
refuse "unknown value '99' for -fwaymark-segments-size: valid are 100 to 100000" -fwaymark-segments=1 -fwaymark-segments-size=99
refuse '-fwaymark-segments-size needs -fwaymark-segments=K' -fwaymark-segments-size=200
refuse '-fwaymark-sites needs -fwaymark-segments=K' -fwaymark-sites=sites
refuse '-fwaymark-segments does not work with -fwaymark-scheme=kiter=2' -fwaymark-segments=1 -fwaymark-scheme=kiter=2
refuse '-fwaymark-segments does not work with -fwaymark-scheme=subpath' -fwaymark-segments=1 -fwaymark-wpp
refuse 'line 1 is not' -fwaymark-segments=1 -fwaymark-sites=wrong
"$waymark" segments --sites all.wmraw all 2>log && fail "--sites of a build that inlines"
grep -q 'leave out -fwaymark-segments' log || fail "--sites does not say what to do"
"$waymark" segments plain.wmprof plain 2>log && fail "segments of a build that does not inline"
grep -q 'was not built with -fwaymark-segments or' log || fail "segments does not say what to do"

# Exceptions through inlined calls, against the trace.
must clang++-19 throws.cpp -o throws-plain
./throws-plain >expected
for options in -O0 -O2 '-O2 -fwaymark-cfg=optimised'; do
	must env WAYMARK_TEST=trace "$waymark" c++ $options -fwaymark-segments=1 throws.cpp "$build/test/trace.o" -o throws
	rm -f throws.wmraw trace.txt
	WAYMARK_FILE=throws.wmraw WM_TRACE_FILE=trace.txt ./throws >throws.out || fail "throws"
	cmp throws.out expected || fail "exceptions print something else"
	report ./throws throws.wmraw
	trace_equal trace.txt
	expect 'any(f("main").paths[]; .path | any(.[]; startswith("_ZL7throweri:")))'
done
