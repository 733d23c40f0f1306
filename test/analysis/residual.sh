#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# residual.sh BUILD: what ran in the field and was never tested, on a real program.
set -eu
waymark=$(realpath "$1")/waymark
. "$(dirname "$(realpath "$0")")/../lib.sh"

# Both outcomes of both decisions are tested, but not together.
"$waymark" cc -O1 -g program.c -o program
WAYMARK_FILE=one.wmraw ./program 1 0 >/dev/null
WAYMARK_FILE=two.wmraw ./program 0 1 >/dev/null
"$waymark" merge -o tests.wmprof one.wmraw two.wmraw >/dev/null
WAYMARK_FILE=field.wmraw ./program 1 1 1 1 1 1 0 1 40 >/dev/null
compare="$waymark residual --tested tests.wmprof field.wmraw ./program"

says 'price  program.c:3' $compare
says '1 of 2 paths that ran is untested: 3 of 4 executions (75.00%)' $compare
says 'no untested edge: edge coverage cannot see this path' $compare
says 'new path: line 8 true, where the nearest tested path (path 1, 1 time in the tests) has false; both outcomes are tested' $compare
says '>     8  true       if (coupon)' $compare
says 'no test runs this function' $compare
says '1 of the untested paths' $compare
json '.schema == "waymark.residual/1" and .summary.untested_paths_in_functions_without_untested_edges >= 1 and
	(.functions[] | select(.name == "price") | .paths | length == 1 and .[0].count == 3 and
	 .[0].parts_at.line == 8 and .[0].parts_at.outcome == "true" and .[0].nearest.id == 1 and
	 (.[0].nearest.blocks | length > 2))' $compare --json
json '.functions[] | select(.name == "refund") | .tested == "no" and .paths[0].nearest == null' $compare --json
# the summary is what two reports say
"$waymark" report --json tests.wmprof ./program >tested.json
"$waymark" report --json field.wmraw ./program >field.json
untested=$(jq -n --slurpfile t tested.json --slurpfile f field.json '
	def all: [.functions[] | .name as $n | .paths[] | "\($n) \(.id)"];
	(($f[0] | all) - ($t[0] | all)) | length')
json ".summary.untested_paths == $untested and .summary.paths == ([.functions[].paths_executed] | add)" $compare --json
"$waymark" residual --html pages --tested tests.wmprof field.wmraw ./program
grep -q 'class=parts' pages/f/*.html || fail "the pages do not mark the decision"
"$waymark" residual --function refund --html page --tested tests.wmprof field.wmraw ./program
! grep -o ' 1 \(functions\|paths\)\b.*' page/index.html || fail "the start page uses a plural for one"
grep -q 'has untested edges (3)' page/index.html || fail "the start page does not count the functions with untested edges"
says 'contains files that are not part of a Waymark report' $compare --html .

# several profiles of tests; nothing left to say
says '0 of ' "$waymark" residual --tested tests.wmprof --tested field.wmraw field.wmraw ./program

# gates
exits 0 $compare
exits 3 $compare --fail-if-untested
exits 3 $compare --fail-if-untested=10
exits 0 $compare --fail-if-untested=90
exits 0 "$waymark" residual --tested field.wmraw field.wmraw ./program --fail-if-untested
exits 0 $compare --function 'nothing_*' --help
exits 1 $compare --function 'nothing_*'
exits 1 $compare --fail-if-untested=some

# another version of one function: refused by name, the rest goes on, the gate is shut
mkdir other
sed 's/days > 30/days > 30 \&\& days < 90/' program.c >other/program.c
(cd other && "$waymark" cc -O1 -g program.c -o program)
WAYMARK_FILE=old.wmraw ./program 40 >/dev/null
(cd other && WAYMARK_FILE=new.wmraw ./program 1 1 40 >/dev/null)
says 'function refund: the tests ran another version of its graph' \
	"$waymark" residual --tested old.wmraw other/new.wmraw other/program
says 'price  other/program.c:3' "$waymark" residual --tested old.wmraw other/new.wmraw other/program
exits 3 "$waymark" residual --tested old.wmraw other/new.wmraw other/program --fail-if-untested=100
says 'may contain untested paths' "$waymark" residual --tested old.wmraw other/new.wmraw other/program --fail-if-untested=100
json '(.functions[] | select(.name == "refund") | .status == "refused" and .paths == []) and .refused[0].name == "refund"' \
	"$waymark" residual --json --tested old.wmraw other/new.wmraw other/program
# the headline does not call a function that changed tested
says 'executions; 1 function could not be compared' "$waymark" residual --tested old.wmraw other/new.wmraw other/program
changed="$waymark residual --function refund --tested old.wmraw other/new.wmraw other/program"
says 'no path of the field could be compared: 1 function is refused, see below' $changed
if $changed | grep -q '%'; then fail "a percentage of nothing"; fi
# nor does a report call it a function that never ran
says 'and 1 is refused' "$waymark" report old.wmraw other/program
json '.functions[] | select(.name == "refund") | .status == "refused"' "$waymark" report --json old.wmraw other/program

# as many untested edges are listed as are counted, those without a decision too
"$waymark" cc -O1 -g edges.c -o edges
WAYMARK_FILE=edges1.wmraw ./edges
WAYMARK_FILE=edges2.wmraw ./edges 1 2 3
says '  4 untested edges: line 4, n > 1: true, line 5 to line 6, line 6, n > 2: true, line 7 to line 8' \
	"$waymark" residual --tested edges1.wmraw edges2.wmraw ./edges

# ---- Paths that were left in calls
"$waymark" cc -O1 -g left.c -o left
WAYMARK_FILE=left1.wmraw ./left 1 0
WAYMARK_FILE=left2.wmraw ./left 0 2
WAYMARK_FILE=leave1.wmraw ./left 1 9
WAYMARK_FILE=leave2.wmraw ./left 0 9
WAYMARK_FILE=leave3.wmraw ./left 0 9
"$waymark" merge -o leaves.wmprof leave1.wmraw leave2.wmraw leave3.wmraw >/dev/null
compare="$waymark residual --tested left1.wmraw leaves.wmprof ./left"
unfinished='.functions[] | select(.name == "work").paths | map(select(.id == null) | [.count, .end, .callee, .line, .nearest, .triage_id])'
# no test takes the branch to the call, and a call of another branch is not enough
json "[$unfinished] == [[[2, \"call\", \"check\", 19, null, null], [1, \"call\", \"check\", 19, null, null]]]" $compare --json
json '.summary | .untested_unfinished_paths == 2 and .untested_paths == 3 and .paths == 4' $compare --json
# the path of main to the call is that of a test that came back from it
json '.functions[] | select(.name == "main").paths == []' $compare --json
says 'unfinished path 1  entry -> in the call of check at 19' $compare
says 'new path: it was left inside a call, to which no test comes in the same way' $compare
says '2 of the untested paths were left inside a call' $compare
exits 3 $compare --fail-if-untested
"$waymark" residual --html leaves --tested left1.wmraw leaves.wmprof ./left >/dev/null
grep -q 'in the call of check' leaves/f/*.html || fail 'the pages do not tell where a path was left'
# a test that completes the path, and tests that are left in the same call or in a later one
json "[$unfinished | map(.[0])] == [[1]]" $compare --tested left2.wmraw --json
json "[$unfinished | map(.[0])] == [[2]]" $compare --tested leave1.wmraw --json
WAYMARK_FILE=earlier.wmraw ./left 4 0
WAYMARK_FILE=later.wmraw ./left 3 0
json "[$unfinished] == [[]]" "$waymark" residual --tested later.wmraw earlier.wmraw ./left --json
json "[$unfinished | map(.[3])] == [[21]]" "$waymark" residual --tested earlier.wmraw later.wmraw ./left --json
says '0 of ' "$waymark" residual --tested leaves.wmprof leaves.wmprof ./left
# a residual build says of the beginnings of paths neither that they are tested nor that they are not
"$waymark" merge -o left1.wmprof left1.wmraw >/dev/null
"$waymark" cc -O1 -g -fwaymark-residual=left1.wmprof left.c -o residual
WAYMARK_FILE=rest.wmraw ./residual 1 9
json "[$unfinished | map(.[0])] == [[1]]" "$waymark" residual --tested left1.wmraw rest.wmraw ./residual --json
json '.summary | .untested_unfinished_paths == 1 and .paths == null' "$waymark" residual --tested left1.wmraw rest.wmraw ./residual --json
says 'because without the profiles of the tests (--tested) it is not known' "$waymark" residual rest.wmraw ./residual
json '.summary.untested_unfinished_paths == null' "$waymark" residual rest.wmraw ./residual --json
says 'left in calls (whether tests begin like this is not known here' "$waymark" report rest.wmraw ./residual

# mistakes
exits 1 "$waymark" residual field.wmraw ./program
says 'no profile of the tests was given; use --tested' "$waymark" residual field.wmraw ./program
says 'no profile was given' "$waymark" residual --tested tests.wmprof ./program
says 'no binary was given' "$waymark" residual --tested tests.wmprof field.wmraw
says 'unknown option' $compare --nonesuch
