#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# feedback.sh BUILD [URL]: from the tests over the residual build to the triaged path, all profiles in a store; and every command
# that reads a profile reads the store.
set -eu
waymark=$(realpath "$1")/waymark
here=$(dirname "$(realpath "$0")")
. "$here/../lib.sh"
url=${2-$PWD/fleet.db}

# fails WORDS COMMAND...: a mistake of the user
fails() {
	words=$1
	shift
	exits 1 "$@"
	grep -qF -- "$words" out || { cat out && fail "'$words' is missing in the output of: $*"; }
}

"$waymark" store init "$url"
"$waymark" cc -O1 -g program.c -o app
WAYMARK_FILE=one.wmraw ./app 1 0 >/dev/null
WAYMARK_FILE=two.wmraw ./app 0 1 0 1 >/dev/null
"$waymark" store push --test one --commit c1 "$url" one.wmraw >/dev/null
"$waymark" store push --test 'two & more#' --commit c1 "$url" two.wmraw >/dev/null

# what a file says, the store says
"$waymark" merge -o tests.wmprof one.wmraw two.wmraw >/dev/null
for command in report 'report --json' 'report --mcdc' 'untested' 'export --format lcov' 'merge -o -'; do
	binary=./app
	[ "$command" != 'merge -o -' ] || binary=
	$waymark $command tests.wmprof $binary >file.txt 2>file.err
	$waymark $command "$url#kind=test&commit=c1" $binary >store.txt 2>store.err
	if [ "$command" = untested ]; then # the store knows the tests apart
		$waymark untested one.wmraw two.wmraw $binary 2>file.err | sed 's/\<two\>/two \& more#/g' >file.txt
	fi
	cmp -s file.txt store.txt || fail "$command: $(diff file.txt store.txt | head -n 5)"
done
says 'two & more#' "$waymark" tests "$url#kind=test" ./app
"$waymark" tests --print order "$url#commit=c1" | sort >names.txt
printf 'one\ntwo & more#\n' | cmp -s - names.txt || fail "names of tests: $(cat names.txt)"
says '1 appeared' "$waymark" diff "$url#test=one" "$url#test=two %26 more%23" --function price ./app
"$waymark" diff one.wmraw two.wmraw ./app >file.txt
"$waymark" diff "$url#test=one" "$url#test=two %26 more%23" ./app >store.txt
cmp -s file.txt store.txt || fail "diff: $(diff file.txt store.txt)"
says 'passed' "$waymark" blame --passed "$url#test=one" --failed "$url#test=two %26 more%23" ./app
printf -- '--- a/program.c\n+++ b/program.c\n@@ -8,1 +8,1 @@\n-	if (coupon > 1)\n+	if (coupon)\n' >change.diff
"$waymark" untested --changed - one.wmraw two.wmraw ./app <change.diff | sed 's/\<two\>/two \& more#/g' >file.txt
"$waymark" untested --changed - "$url#commit=c1" ./app <change.diff >store.txt
cmp -s file.txt store.txt || fail "untested --changed: $(diff file.txt store.txt)"
fails 'the store has no profile that' "$waymark" report "$url#commit=c2" ./app
fails 'is no time' "$waymark" report "$url#since=yesterday" ./app
# a run counts once, wherever it comes from
"$waymark" merge -o twice.wmprof "$url#test=one" one.wmraw >/dev/null 2>twice.err
"$waymark" merge -o once.wmprof one.wmraw >/dev/null
cmp -s twice.wmprof once.wmprof || fail "a run in a store and in a file was counted twice: $(cat twice.err)"

# what is tested is no news; the rest is
"$waymark" store known -o known.wmprof "$url"
cmp -s known.wmprof tests.wmprof || fail "known without triaged paths is the profile of the tests"
"$waymark" cc -O1 -g -fwaymark-residual=known.wmprof program.c -o field
WAYMARK_FILE=field.wmraw ./field 1 1 1 1 x 1 ax 1 >/dev/null
"$waymark" store push --label version=1.0 --machine m1 "$url" field.wmraw >/dev/null
# the tests are those of the store
report="$waymark untested --field $url#version=1.0 ./field"
says 'untested paths ran in the field' $report
says 'both outcomes are tested' $report
$report --json >report.json
jq -e '[.functions[].paths[].triage_id] | length >= 3 and (map(select(test("^[0-9a-f]{12}$"))) | length) == length' report.json >/dev/null ||
	fail "ids: $(jq -c '[.functions[].paths[].triage_id]' report.json)"
id=$(jq -r '.functions[] | select(.name == "price").paths[0].triage_id' report.json)
says "triage id $id" $report
fails 'no untested path has the triage id' $report --triage 000000000001
fails 'needs one store' "$waymark" untested --field field.wmraw --triage "$id" tests.wmprof ./field
# several at once: all of them, or none if one does not exist
others=$(jq -r '[.functions[].paths[].triage_id][1:3] | map("--triage " + .) | join(" ")' report.json)
fails 'no untested path has the triage id' $report $others --triage 000000000001
fails '--note was given twice' $report $others --note a --note b
json '.triaged == []' "$waymark" store triaged --json "$url"
$report $others --note both >triaged.txt
[ "$(grep -c '^triaged: ' triaged.txt)" = 2 ] || fail "two ids: $(cat triaged.txt)"
json '.triaged | map(.note) == ["both", "both"]' "$waymark" store triaged --json "$url"
"$waymark" store untriage "$url" $(echo "$others" | sed 's/--triage//g')
json '.triaged == []' "$waymark" store triaged --json "$url"
"$waymark" untested --field "$url#version=1.0" --triage "$id" --note "both are rare
and harmless" ./field >triaged.txt
grep -q "^triaged: $id  price:" triaged.txt || fail "$(cat triaged.txt)"
says '1 untested path is left out, because it is triaged' $report
$report --json | jq -e --arg id "$id" '[.functions[].paths[].triage_id] | index($id) == null' >/dev/null || fail "a triaged path is reported"
says 'both are rare and harmless' "$waymark" store triaged "$url"
json ".triaged | length == 1 and .[0].triage_id == \"$id\" and .[0].function == \"price\"" "$waymark" store triaged --json "$url"

# the next build reports only what is new: paths of loops, too, whose beginning is no entry
for id in $(jq -r '.functions[].paths[].triage_id' report.json); do
	"$waymark" untested --field "$url" --triage "$id" --note again ./field >/dev/null 2>&1 || [ "$(jq -r '.functions[] | select(.name == "price").paths[0].triage_id' report.json)" = "$id" ] ||
		fail "$id cannot be triaged"
done
says '0 untested paths ran in the field' $report
"$waymark" store known -o known.wmprof "$url"
"$waymark" cc -O1 -g -fwaymark-residual=known.wmprof program.c -o next
WAYMARK_FILE=next.wmraw ./next 1 1 1 1 x 1 ax 1 >/dev/null
says '0 untested paths ran in the field, 0 times' "$waymark" residual next.wmraw ./next
WAYMARK_FILE=new.wmraw ./next 0 0 1 1 >/dev/null
says '1 untested path ran in the field, 1 time' "$waymark" residual new.wmraw ./next
# … and as a profile of tests, it leaves no function out
"$waymark" residual --tested known.wmprof field.wmraw ./field >compared.txt 2>&1
grep -q '^0 untested paths ran in the field' compared.txt || fail "known.wmprof as tests: $(head -n 3 compared.txt)"
"$waymark" store push --label version=1.1 --machine m2 "$url" new.wmraw >/dev/null
json '[.functions[].paths[]] | length == 1' "$waymark" untested --field "$url#version=1.1" --json ./next

# undone
"$waymark" store untriage "$url" "$id"
fails 'no id of a triaged path' "$waymark" store untriage "$url" "$id"
json "[.functions[].paths[].triage_id] == [\"$id\"]" $report --json
