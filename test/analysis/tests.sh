#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# tests.sh BUILD: one profile per test, and what the tests are worth.
set -eu
waymark=$(realpath "$1")/waymark
. "$(dirname "$(realpath "$0")")/../lib.sh"

"$waymark" cc -O1 -g program.c -o program
mkdir suite suite/split
WAYMARK_FILE=suite/none.wmraw ./program
WAYMARK_FILE=suite/positive.wmraw ./program 5 6 7
WAYMARK_FILE=suite/negative.wmraw ./program -5 -6
WAYMARK_FILE=suite/mixed.wmraw ./program 1 -1 2
WAYMARK_FILE=suite/split/1.wmraw ./program 0
WAYMARK_FILE=suite/split/2.wmraw ./program 0 3
suite="$waymark tests suite ./program"

says '5 tests take' $suite
says '(no smaller set does)' $suite
"$waymark" tests --print smallest suite ./program | sort >smallest
printf 'mixed\nnone\nsplit\n' | cmp - smallest || fail "smallest: $(cat smallest)"
"$waymark" tests --print smallest suite | sort | cmp - smallest || fail "the binary changes the smallest set"
"$waymark" tests --print redundant suite | sort | tr '\n' ' ' | grep -qx 'negative positive ' || fail "redundant"
[ -z "$("$waymark" tests --print unjudged suite ./program)" ] || fail "all tests take paths of the program"
says '2 tests can be removed together: the smallest set takes all their paths' $suite
says 'valid: smallest, order, redundant, unjudged' $suite --print idle
[ "$("$waymark" tests --print order suite | wc -l)" = 5 ] || fail "order"
json '.paths as $paths | .schema == "waymark.tests/1" and .smallest.exact and .smallest.count == 3 and
	(.tests | map(.new_paths) | . == (sort | reverse) and add == $paths) and .tests[-1].so_far == $paths' $suite --json

# which test takes a path
says '2 of 5 tests take this path' $suite --path sign:0
says 'no test takes path sign:0' "$waymark" tests --path sign:0 suite/none.wmraw ./program
says 'no test takes a path through program.c:5' "$waymark" tests --line program.c:5 suite/none.wmraw ./program
json '.taken_by[0].tests | map(.test) | sort == ["mixed", "negative"]' $suite --json --path sign:0
says 'paths through program.c:6' $suite --line program.c:6
json '[.taken_by[] | .function] | unique == ["sign"]' $suite --json --line program.c:6
json '[.taken_by[].tests[].test] | unique == ["mixed", "positive", "split"]' $suite --json --line program.c:7

# --print with a question: the tests that take paths through the line
names() {
	"$waymark" tests "$@" suite ./program | sort | tr '\n' ' '
}
[ "$(names --line program.c:5 --print order)" = 'mixed negative ' ] || fail "order of line 5: $(names --line program.c:5 --print order)"
[ "$(names --line program.c:5 --print smallest | wc -w)" = 1 ] || fail "smallest of line 5"
[ "$(names --line program.c:5 --print redundant | wc -w)" = 1 ] || fail "redundant of line 5"
[ "$(names --path sign:0 --print order)" = 'mixed negative ' ] || fail "order of path 0"
[ "$(names --line program.c:8 --print smallest)" = 'split ' ] || fail "smallest of line 8"
[ -z "$("$waymark" tests --line program.c:8 --print order suite/none.wmraw ./program)" ] || fail "no test goes there"
exits 1 $suite --print order --json

# a test that runs another program is not judged, and a test whose name is given is not removed for that
printf 'int main(int n, char **v) { (void)v; return n > 9; }\n' >other.c
"$waymark" cc -O1 -g other.c -o other
mkdir elsewhere
cp suite/mixed.wmraw suite/negative.wmraw elsewhere
WAYMARK_FILE=elsewhere/stranger.wmraw ./other
strangers="$waymark tests elsewhere ./program"
says '2 of 3 tests take' $strangers
says '1 test is not judged: it takes no path of the binaries given' $strangers
says '1 test can be removed: the smallest set takes all its paths' $strangers
[ "$($strangers --print redundant)" = negative ] || fail "redundant: $($strangers --print redundant)"
[ "$($strangers --print unjudged)" = stranger ] || fail "unjudged"
[ "$($strangers --print order | wc -l)" = 2 ] || fail "the order has tests that are not judged"
json '[.tests[] | select(.judged | not) | [.name, .redundant]] == [["stranger", false]] and (.tests | length) == 3' $strangers --json
says '3 tests take' $strangers ./other

# mistakes
exits 1 "$waymark" tests
exits 1 "$waymark" tests suite suite/none.wmraw
says 'suite/none.wmraw is given twice' "$waymark" tests suite suite/none.wmraw ./program
exits 1 "$waymark" tests --path sign:0 suite
says 'needs the binary' "$waymark" tests --path sign:0 suite
exits 1 $suite --path nonesuch:0
exits 1 $suite --path sign
exits 1 $suite --path sign:99999
says 'there is no path 99999' $suite --path sign:99999
exits 1 $suite --line program.c:999
exits 1 $suite --print nonesuch
mkdir void
says 'holds no .wmprof' "$waymark" tests void
echo junk >suite/junk.wmraw
says 'junk.wmraw was left out' $suite
says '5 tests take' $suite
rm suite/junk.wmraw

# Iterations and contexts: the same iterations in another order, or reached in another way, are
# other paths; beyond 2^63 paths they have names, and those are asked for in the same way.
take_loops() {
	"$waymark" cc -O1 -g -fwaymark-scheme="$1" loop.c -o loop
	rm -rf loops
	mkdir loops
	WAYMARK_FILE=loops/alternate.wmraw ./loop ababab
	WAYMARK_FILE=loops/runs.wmraw ./loop aaabbb
	WAYMARK_FILE=loops/again.wmraw ./loop abababab
	loops="$waymark tests loops ./loop"
}
take_loops acyclic
says '2 tests can be removed together' $loops
take_loops kiter=2
"$waymark" tests --print smallest loops | grep -qx runs || fail "kiter=2: runs and one that alternates are needed"
says '1 test can be removed' $loops
says 'iteration 2' $loops --line loop.c:6
json '[.taken_by[] | select(.iterations | length > 0) | .tests[].test] | unique == ["again", "alternate", "runs"]' \
	$loops --json --line loop.c:6
# An untested path parts from its nearest once, in one iteration.
"$waymark" residual --tested loops/alternate.wmraw loops/runs.wmraw ./loop >parting.txt
[ "$(grep -c '^ *> ' parting.txt)" = "$(grep -c 'new \(path\|edge\): line' parting.txt)" ] || { cat parting.txt; fail "marks are not one per path"; }
json '[.functions[].paths[].parts_at | select(.).position] | any(. > 3)' "$waymark" residual --json --tested loops/alternate.wmraw \
	loops/runs.wmraw ./loop
take_loops loopcontext
says '2 tests can be removed together' $loops
says 'iteration after it' $loops --line loop.c:6
take_loops kiter=64
says '3 of them take all paths' $loops
path=$("$waymark" tests --line loop.c:6 loops ./loop | sed -n 's/.* path \([0-9]*\) .*/count:\1/p' | head -n 1)
says '1 of 3 tests takes this path' $loops --path "$path"
exits 1 "$waymark" show --path "$path" ./loop
says 'function count has too many paths for ids' "$waymark" show --path count:0 ./loop

# Pages name the tests of a path only where they are known: not across calls, and not of counts that were refused.
"$waymark" report --html taken.pages --tests suite suite/none.wmraw suite/mixed.wmraw ./program
page_data taken.pages/f/*.js >taken.all
grep -q '"taken":\[\[.*,"all":true,"by":\[\[[1-5]' taken.all && grep -q '"tests":\["mixed","negative","none","positive","split"\]' taken.all || fail "pages do not name the tests"
[ "$(grep -c '"tests":' taken.all)" = 1 ] || fail "names of tests are written more than once"
"$waymark" report --html untaken.pages --tests suite/none.wmraw suite/mixed.wmraw ./program
page_data untaken.pages/f/*.js | grep -q '"taken":\[\],"all":true' || fail "pages do not say that no test takes the paths of sign"
mkdir -p damaged/two
cp suite/none.wmraw damaged/
cp suite/none.wmraw damaged/two/
echo damaged >damaged/lost.wmprof
for whose in a b; do # of a test that is left out, and of one that is not
	"$waymark" report --html "damaged-$whose.pages" --tests damaged suite/mixed.wmraw ./program 2>/dev/null
	! page_data "damaged-$whose.pages"/f/*.js | grep -q '"all":true' || fail "profile $whose of the tests was not read, and may take paths"
	mv damaged/lost.wmprof damaged/two/ 2>/dev/null || true
done
"$waymark" cc -O1 -g -fwaymark-scheme=piecewise program.c -o across
WAYMARK_FILE=across.wmraw ./across 1 -1
"$waymark" report --html across.pages --tests across.wmraw across.wmraw ./across
page_data across.pages/f/*.js >across.all
! grep -q '"by":' across.all || fail "the tests of paths across calls are not known"
! grep -q '"taken":' across.all || fail "the tests of functions whose paths cross calls are not known"
sed 's/n > 0/n > 0 \&\& n != 7/' program.c >changed.c
mkdir renewed
cp program.c renewed/
(cd renewed && "$waymark" cc -O1 -g program.c -o program && WAYMARK_FILE=../old.wmraw ./program 1 -1)
mv changed.c renewed/program.c
(cd renewed && "$waymark" cc -O1 -g program.c -o program && WAYMARK_FILE=../new.wmraw ./program 1 -1)
"$waymark" report --html changed.pages --tests old.wmraw new.wmraw renewed/program 2>/dev/null
page_data changed.pages/f/*.js | grep -q '"taken":\[\],"all":false' || fail "the pages do not say that counts were refused"

# A drawing is that of its function, or there is none: dot may leave out a graph, or a part of it.
if dot=$(command -v dot); then
	mkdir fake
	for part in graph node; do
		case $part in
		graph) program='NR == 1, /^stop$/ { next } { print }' ;;
		node) program='/^node / && !gone++ { next } { print }' ;;
		esac
		printf '#!/bin/sh\n"%s" "$@" | awk '"'%s'"'\n' "$dot" "$program" >fake/dot
		chmod +x fake/dot
		PATH="$PWD/fake:$PATH" "$waymark" report --html $part.pages --tests suite suite/none.wmraw suite/mixed.wmraw ./program 2>/dev/null
		# a line per function
		page_data $part.pages/f/0.js >$part.all
		page_data taken.pages/f/0.js >taken.all
		sed -n 1p $part.all | grep -q '^{"number":0,.*"graph":null' || fail "a drawing without its $part"
		sed -n 2p taken.all >taken.data
		sed -n 2p $part.all >$part.data
		grep -q '^{"number":1,' taken.data || fail "no data of the second function"
		cmp taken.data $part.data || fail "another drawing is changed"
		! grep -q '"graph":null' taken.all || fail "there is no drawing"
	done
fi
