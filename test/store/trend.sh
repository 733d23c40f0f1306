#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# trend.sh BUILD [URL]: what the tests of each commit took, from the store and the builds: the first build has two commits, and
# in the second build one function is other code.
set -eu
waymark=$(realpath "$1")/waymark
here=$(dirname "$(realpath "$0")")
. "$here/../lib.sh"
url=${2-$PWD/fleet.db}

# test_of COMMIT NAME PROGRAM ARGUMENT...: stores a test
test_of() {
	commit=$1 name=$2 program=$3
	shift 3
	rm -f "$name.wmraw"
	WAYMARK_FILE="$PWD/$name.wmraw" "$program" "$@" || true
	says '1 stored' "$waymark" store push --test "$name" --commit "$commit" "$url" "$name.wmraw"
}
mkdir old new
cp first.c app.c
"$waymark" cc -g -O0 app.c -o old/app
cp second.c app.c
"$waymark" cc -g -O0 app.c -o new/app
"$waymark" store init "$url"
exits 1 "$waymark" store trend "$url" old/app
grep -q 'selects no tests of a commit' out || { cat out; fail "a store without commits"; }

# Commits are in the order of their first runs, which the store knows to the second.
test_of z1 child old/app 3
sleep 1.1
test_of m2 child old/app 3
test_of m2 adult old/app 30
sleep 1.1
test_of 'a<3>&' adult new/app 30
test_of 'a<3>&' coupon new/app 30 x y
WAYMARK_FILE=$PWD/field.wmraw new/app 3
"$waymark" store push --label commit=field "$url" field.wmraw >/dev/null # no test

# The outcomes of first.c: 4 of price, 2 of tax, 2 of main; second.c has 2 more in tax.  At the last commit price is not called with
# a child any more (1 new), and is with a coupon, and main calls tax (2 closed).
"$waymark" store trend "$url" old/app new/app >trend.txt
sed -n '/^ *[0-9][0-9-]* /s/^ *[^ ]* *//p' trend.txt | tr -s ' ' >rows
cat >want <<'ROWS'
1 2 8 - - - - 2 - - z1
2 4 8 0 2 0 0 3 1 0 m2
2 7 10 1 2 2 2 5 3 1 a<3>&
ROWS
cmp -s rows want || { cat trend.txt; fail "the table"; }
grep -qF '70.0% of 10 outcomes of decisions are tested at a<3>&, 5 paths are tested, 3 of 3 functions are entered' trend.txt ||
	{ cat trend.txt; fail "the summary"; }
json '.schema == "waymark.trend/1" and [.commits[] | .known] == [true, true, true]
	and [.commits[].functions_entered] == [2, 2, 3] and .commits[0].untested_outcomes_change == null
	and .commits[2].untested_outcomes_change == {new: 1, added: 2, closed: 2, removed: 2}
	and .commits[2].tested_paths_change == {new: 2, added: 1, closed: 1, removed: 0}
	and ([.commits[1:][] | .untested_outcomes_change | .new + .added - .closed - .removed] | add) + .commits[0].untested_outcomes
		== .commits[2].untested_outcomes' "$waymark" store trend --json "$url" old/app new/app
# Trends are about the project, as untested is.
printf 'ignore = tax' >.waymark
"$waymark" untested --level edge --json "$url#kind=test&commit=a<3>%26" new/app >untested.json
"$waymark" store trend --json "$url" old/app new/app >trend.json
[ "$(jq '.summary | [.outcomes, .untested_outcomes]' -c untested.json)" = "$(jq '.commits[2] | [.outcomes, .untested_outcomes]' -c trend.json)" ] ||
	{ cat trend.json; fail "the trend of a part: $(jq -c .summary untested.json)"; }
jq -e '[.commits[].functions_left_out] == [1, 1, 1] and .commits[2].functions == 2' trend.json >/dev/null || { cat trend.json; fail "what is left out"; }
says 'at a<3>&, 1 function of those that .waymark ignores is left out (--scope=all shows it)' "$waymark" store trend "$url" old/app new/app
json '[.commits[].functions_left_out] == [0, 0, 0] and .commits[2].outcomes == 10' "$waymark" store trend --json --scope=all "$url" old/app new/app
exits 1 "$waymark" store list --scope=all "$url"
rm .waymark
# What untested says of the last commit, whose functions are all entered.
"$waymark" untested --level edge --json "$url#kind=test&commit=a<3>%26" new/app >untested.json
[ "$(jq '.summary | [.outcomes, .untested_outcomes]' -c untested.json)" = '[10,3]' ] || fail "untested: $(jq -c .summary untested.json)"


# Filters, and binaries that were not given: the commit before is the last one with a binary.
says '25.0% of 8 outcomes of decisions are tested at z1' "$waymark" store trend "$url#commit=z1" old/app
json '[.commits[].known] == [false, false, true] and .commits[2].untested_outcomes_change == null' \
	"$waymark" store trend --json "$url" new/app
says 'no binary was given of 2 commits' "$waymark" store trend "$url" new/app
says '25.0% of 8 outcomes of decisions are tested at z1' "$waymark" store trend "$url#commit=z1&commit=a<3>%26" old/app

# The page and the badge.  Texts are escaped, and a share is not rounded up: of 3 outcomes, 2 are tested.
"$waymark" store trend --html page --badge badge.svg "$url" old/app new/app >printed
[ ! -s printed ] || fail "pages and a badge print something: $(cat printed)"
xmllint --noout --nonet badge.svg || fail "the badge is no SVG"
grep -q '<text x="[0-9]*" y="14">70.0%</text>' badge.svg || { cat badge.svg; fail "the badge"; }
sed -n '/<svg/,/<.svg>/p' page/index.html | sed 's,<div class="wide">,,; s,</div>,,; /<h2>/d' >charts
[ "$(grep -c '<svg' charts)" = 2 ] || { cat charts; fail "there are other charts"; }
grep -q '<title>a&lt;3&gt;&amp;: 70.0%</title>' charts && grep -q '<title>m2: 3</title>' charts || { cat charts; fail "the charts"; }
grep -q 'points="10.0,126.5 580.0,93.0 1150.0,66.2 "' charts || { cat charts; fail "the line of the outcomes"; }
grep -q '<td>a&lt;3&gt;&amp;$' page/index.html || fail "the table of the page"
grep -q 'id="search"' page/index.html && fail "the page looks for functions"
"$waymark" store trend --badge again.svg "$url#commit=z1" old/app >printed
[ ! -s printed ] && grep -q '>25.0%<' again.svg || fail "a badge alone"
echo 'int main(int n, char **v) { (void)v; switch (n) { case 1: return 0; case 2: return 0; default: return 1; } }' >three.c
"$waymark" cc -g -O0 three.c -o three
test_of three one ./three
test_of three two ./three x
says '66.6% of 3 outcomes of decisions are tested at three' "$waymark" store trend "$url#program=three" three
json '[.commits[].commit] == ["three"]' "$waymark" store trend --json "$url#program=three" three
# Runs of the field are no tests, also beside tests without a name.
rm -f one.wmraw two.wmraw
WAYMARK_FILE=one.wmraw ./three || true
WAYMARK_FILE=two.wmraw ./three x y || true
says '1 stored' "$waymark" store push --label kind=test,commit=nameless "$url" one.wmraw
says '1 stored' "$waymark" store push --label commit=nameless "$url" two.wmraw
says '33.3% of 3 outcomes of decisions are tested at nameless' "$waymark" store trend "$url#commit=nameless" three

# Mistakes.
fails() {
	words=$1
	shift
	exits 1 "$@"
	grep -qF -- "$words" out || { cat out && fail "'$words' is missing in the output of: $*"; }
}
fails 'none of the binaries wrote the tests' "$waymark" store trend "$url#commit=z1" new/app
fails 'one store and the programs that were tested' "$waymark" store trend "$url" child.wmraw
fails 'choose one of them' "$waymark" store trend --json --html other "$url" old/app
fails 'has no option --badge' "$waymark" store list --badge other.svg "$url"
fails 'the pages show one store' "$waymark" store --html other list "$url"
[ ! -e other ] && [ ! -e other.svg ] || fail "a command that fails writes something"
