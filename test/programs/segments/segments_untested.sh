# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Interprocedural residual profiles (thesis07, section 3.5.2): recordings and the three stages name the same untested
# segments, and the same number of them in functions without an untested path.
# By hand.  The tests take both paths of leaf, both of user and all of main, but only one of other.  So other has an untested
# path in the field, and the segments through it, which begin in main and in other, are no news.  The other four go through
# functions whose paths are all tested: a with b <= 5, !a with b > 5, a in the first iteration, !a in another one.
tests='0 0 1 9'
field='1 0 0 0 1 9 0 7'
cat >by_hand <<'END'
[1,false,"main:2 ( other:0 other:1"]
[1,false,"other:0 other:1 ( leaf:0 leaf:1 leaf:3 ) other:3"]
[1,true,"main:0 main:1 main:2 ( user:0 user:1 user:2"]
[1,true,"user:0 user:1 user:2 ( leaf:0 leaf:2 leaf:3 )"]
[1,true,"user:0 user:2 ( leaf:0 leaf:1 leaf:3 )"]
[2,true,"main:1 main:2 ( user:0 user:2"]
END

# stage NAME OPTION…: a build with its runs; the program has the same name in all stages
stage() {
	name=$1
	shift
	mkdir -p "$name"
	must "$waymark" cc -O1 -g "$@" case.c -o "$name/case"
	rm -f "$name"/*.wmraw
	WAYMARK_FILE=$name/tests.wmraw "./$name/case" $tests >/dev/null || fail "$name"
	WAYMARK_FILE=$name/field.wmraw "./$name/case" $field >/dev/null || fail "$name"
}
# untested FILE…: leaves text, and the untested segments in the file `found`
untested() {
	"$waymark" segments "$@" >text || fail "segments"
	"$waymark" segments --json "$@" >untested.json || fail "segments --json"
	jq -c '[.untested[] | [.count, .in_functions_without_untested_paths, (.path | join(" "))]] | sort | .[]' untested.json >found
}
answer='^4 untested segments (66.67%) lie in functions without an untested path; 1 function has untested paths$'

stage recorded -fwaymark-wpp
stage one
must "$waymark" merge -o one/all.wmprof one/tests.wmraw one/field.wmraw
"$waymark" segments --sites one/all.wmprof one/case >sites || fail "segments --sites"
inline='-fwaymark-segments=1 -fwaymark-sites=sites'
stage two $inline
must "$waymark" merge -o tests.wmprof two/tests.wmraw
stage three $inline -fwaymark-residual=tests.wmprof
cat >numbers <<'END'
{"functions_with_untested_paths":1,"perhaps_tested_segments":0,"segments":12,"untested_frequency_percent":43.75,"untested_percent":50,"untested_segments":6,"untested_segments_in_functions_without_untested_paths":4}
END

untested --tested recorded/tests.wmraw recorded/field.wmraw recorded/case
diff by_hand found || fail "the recordings name other segments"
grep -q "$answer" text || { cat text; fail "the answer from recordings"; }
grep -q '^6 of 12 segments of depth 1 that ran in the field were never tested: 50.00% of the segments, 43.75% of their executions$' text ||
	{ cat text; fail "the head of the report"; }
jq -cS .summary untested.json | diff numbers - || fail "the summary"
grep -q '^ *calls leaf$' text && grep -q 'false *if (x > 5)$' text || { cat text; fail "no source lines"; }
must "$waymark" wpp --compress tests.wmwpp recorded/tests.wmraw
must "$waymark" wpp --compress field.wmwpp recorded/field.wmraw
untested --tested tests.wmwpp field.wmwpp recorded/case
diff by_hand found || fail "grammars name other segments"

untested --tested one/tests.wmraw --tested two/tests.wmraw one/field.wmraw two/field.wmraw one/case two/case
diff by_hand found || fail "stage II names other segments"
grep -q "$answer" text || { cat text; fail "the answer from stage II"; }
jq -cS .summary untested.json | diff numbers - || fail "the summary of stage II"
grep -q '^ *calls leaf$' text && grep -q 'false *if (x > 5)$' text || { cat text; fail "no source lines of stage II"; }

untested --tested one/tests.wmraw --tested tests.wmprof one/field.wmraw three/field.wmraw one/case three/case
diff by_hand found || fail "stage III names other segments"
grep -q "$answer" text || { cat text; fail "the answer from stage III"; }
jq -e '.summary.segments == null and .segments_executed == null' untested.json >/dev/null || fail "stage III knows too much"
# Without the build that does not inline, the paths of functions are not known.
untested --tested tests.wmprof three/field.wmraw three/case
sed 's/true\|false/null/' by_hand | sort >expected
sort found | diff expected - || fail "stage III alone"
grep -q '^whether functions have untested paths is not known' text || { cat text; fail "what is not known"; }

# Where the tests ran a build that does not inline the calls of leaf, only segments through other:1, which no test executed, are
# certainly untested.
grep -v ' leaf ' sites >fewer
stage few -fwaymark-segments=1 -fwaymark-sites=fewer
untested --tested few/tests.wmraw two/field.wmraw few/case two/case
cut -d, -f 1,3 by_hand | grep other:1 >expected
cut -d, -f 1,3 found | diff expected - || fail "calls that are not inlined in the tests"
jq -r '.perhaps_tested[].path | join(" ")' untested.json >perhaps
for segment in 'main:0 main:1 main:2 ( user:0 user:1 user:2' 'user:0 user:2 ( leaf:0 leaf:1 leaf:3 )'; do
	grep -qxF "$segment" perhaps || { cat perhaps; fail "'$segment' is not called perhaps tested"; }
done
jq -e '.summary.untested_segments == 2 and .summary.perhaps_tested_segments == (.perhaps_tested | length)' untested.json >/dev/null ||
	fail "the summary of segments that are perhaps tested"
grep -q "^$(wc -l <perhaps) more segments are perhaps tested: " text && grep -q '^ *perhaps tested$' text || { cat text; fail "perhaps tested"; }

# Depth 2: the segments that begin in main go on into leaf.
"$waymark" segments --depth 2 --json --tested recorded/tests.wmraw recorded/field.wmraw recorded/case |
	jq -c '[.untested[] | [.count, .path]] | sort' >recorded.json || fail "depth 2"
"$waymark" segments --depth 2 --json --tested tests.wmprof three/field.wmraw three/case |
	jq -c '[.untested[] | [.count, .path]] | sort' >three.json || fail "depth 2 of stage III"
diff recorded.json three.json && grep -q '"main:2","(","other:0","other:1","(","leaf:0"' three.json || fail "depth 2 differs"

# refuses SENTENCE COMMAND…
refuses() {
	sentence=$1
	shift
	! "$@" >log 2>&1 && grep -qF -- "$sentence" log || { cat log; fail "'$sentence' is missing: $*"; }
}
refuses 'give the profile of the tests' "$waymark" segments three/field.wmraw three/case
refuses 'counts only untested paths; run the tests with' "$waymark" segments --tested three/field.wmraw two/field.wmraw two/case three/case
refuses 'recordings and profiles cannot be put together' "$waymark" segments recorded/field.wmraw two/field.wmraw two/case recorded/case

# Two functions of the same name are two functions: the tests call that of the other file.
for file in a b; do
	printf 'static int twice(int x)\n{\n\tif (x > 5)\n\t\treturn 1;\n\treturn 2 * x;\n}\nint from_%s(int x)\n{\n\treturn twice(x);\n}\n' $file >$file.c
done
printf 'int from_a(int), from_b(int);\nint main(int argc, char **argv)\n{\n\treturn argc > 2 ? from_a(argc) - 6 : from_b(argc) - 2;\n}\n' >main.c
for kind in segments=1 wpp; do
	must "$waymark" cc -O1 -g -fwaymark-$kind main.c a.c b.c -o names
	rm -f tests.wmraw field.wmraw
	WAYMARK_FILE=tests.wmraw must ./names
	WAYMARK_FILE=field.wmraw must ./names x x
	untested --tested tests.wmraw field.wmraw names
	grep -q '"from_a:0 ( twice@[0-9a-f]*:0 twice@' found || { cat found; fail "$kind: functions of one name are mixed up"; }
done

# Link-time optimisation changes the keys of functions: whether their paths are tested in a build without it is not known.
mkdir -p plain linked
must "$waymark" cc -O1 -g main.c a.c b.c -o plain/names
must "$waymark" cc -O1 -g -flto -fuse-ld=lld -fwaymark-segments=1 main.c a.c b.c -o linked/names
for name in plain linked; do
	rm -f $name/*.wmraw
	WAYMARK_FILE=$name/tests.wmraw must $name/names
	WAYMARK_FILE=$name/field.wmraw must $name/names x x
done
untested --tested plain/tests.wmraw --tested linked/tests.wmraw plain/field.wmraw linked/field.wmraw plain/names linked/names
grep -q '^\[1,false,"main:0' found && grep -q '^\[1,null,"from_a' found && ! grep -q true found ||
	{ cat found; fail "functions that have other keys"; }
jq -e '.summary.untested_segments_in_functions_without_untested_paths == null' untested.json >/dev/null || fail "the summary of other keys"
grep -q '^0 untested segments (0.00% of those that are known) lie' text && grep -q '^whether functions have untested paths is not known of [0-9]* untested segment' text ||
	{ cat text; fail "the text does not say what is not known"; }
