# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What profiles cannot know about segments is said: counts that are lower bounds, and segments that are perhaps tested.

# The last path of main calls g, and is lost when the program ends inside a call that is not crossed.
# count_of FILE: how often g ( h ) g was executed with 5, and whether the number is exact
count_of() {
	jq -c '[.segments[] | select(.path[:4] == ["g:0", "(", "h:0", "h:1"]) | [.count, .exact]]' $1
}
# count_apart FILE: the same for segments that begin in a function that is not on the abandoned path
count_apart() {
	jq -c '[.segments[] | select(.path[0] == "apart:0") | [.count, .exact]]' $1
}
must "$waymark" cc -O1 -g -fwaymark-wpp ends.c -o recorded
WAYMARK_FILE=recorded.wmraw must ./recorded
"$waymark" segments --json recorded.wmraw recorded >recorded.json || fail "segments"
[ "$(count_of recorded.json)" = '[[4,true]]' ] || { cat recorded.json; fail "the recording"; }
for options in -fwaymark-scheme=piecewise -fwaymark-scheme=context -fwaymark-segments=1; do
	must "$waymark" cc -O1 -g $options ends.c -o ends
	rm -f ends.wmraw
	WAYMARK_FILE=ends.wmraw must ./ends
	"$waymark" segments --json ends.wmraw ends >ends.json || fail "segments"
	[ "$(count_of ends.json)" = '[[3,false]]' ] || { cat ends.json; fail "$options: an abandoned path"; }
	[ "$(count_apart ends.json)" = '[[2,true]]' ] || { cat ends.json; fail "$options: a function that no abandoned path enters"; }
	jq -e '.abandoned == 1' ends.json >/dev/null || fail "$options: the number of abandoned paths"
	"$waymark" segments ends.wmraw ends >text || fail "segments"
	grep -q '^1 path was abandoned and 0 resumed .* >= marks counts' text && grep -q '% *>= 3  g ( h ) g$' text ||
		{ cat text; fail "$options: the text does not tell of abandoned paths"; }
	# The field takes the same path to its end.  So what the tests lost is perhaps tested.
	rm -f field.wmraw
	WAYMARK_FILE=field.wmraw must ./ends x
	"$waymark" segments --json --tested ends.wmraw field.wmraw ends >field.json || fail "segments --tested"
	jq -e '[.untested[] | select(.path[0] == "g:0" or .path[-2:] == ["(", "g:0"] and .path[0] != "main:0")] == []' field.json >/dev/null &&
		jq -e '[.perhaps_tested[] | select(.path[-2:] == ["(", "g:0"])] | length > 0' field.json >/dev/null ||
		{ cat field.json; fail "$options: the tests abandoned a path that contains the segment"; }
done

# A path with too many decisions is cut.  The pieces of a segment around the cut are no segments.
{
	printf 'static int leaf(int x)\n{\n\treturn x > 3 ? 1 : 2;\n}\nint main(int argc, char **argv)\n{\n\t(void)argv;\n\tvolatile int x = argc;\n'
	for part in 1 2 3 4; do
		for i in $(seq 20); do
			echo "	if (x & $i)
		x = x + $i;"
		done
		echo '	x = leaf(x);'
	done
	printf '\treturn 0;\n}\n'
} >long.c
for options in wpp segments=1 scheme=piecewise; do
	must "$waymark" cc -O1 -g -fwaymark-$options long.c -o long
	rm -f long.wmraw
	WAYMARK_FILE=long.wmraw must ./long
	"$waymark" segments --json long.wmraw long >long-$options.json || fail "segments"
done
for options in segments=1 scheme=piecewise; do
	jq -e '.cut > 0' long-$options.json >/dev/null || { cat long-$options.json; fail "$options: no path was cut"; }
	jq -e -n '[inputs | [.segments[].path]] | .[1] - .[0] == []' long-wpp.json long-$options.json >/dev/null ||
		{ cat long-$options.json; fail "$options: pieces of a segment are printed as segments"; }
done
