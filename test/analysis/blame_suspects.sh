#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# blame_suspects.sh BUILD: which outcomes of decisions and which lines go with failed runs; counts against those of llvm-cov.
set -eu
waymark=$(realpath "$1")/waymark here=$(dirname "$(realpath "$0")")
. "$here/../lib.sh"
cp "$here/blame/bug.c" .

# run BUILD-OF-BUG PASSED FAILED: the first argument of each run is the right sum, and the exit code says whether it passed.
arguments='6 1 2 3
4 -1 5
23 0x10 7
252 0xff -3
12 12
-9 -4 -5
-9 -0x10 7
-7 3 -0xa
-1 0xa -0xb'
run() {
	n=0
	mkdir -p "$2" "$3"
	echo "$arguments" >arguments.txt
	while read -r line; do
		n=$((n + 1))
		if WAYMARK_FILE=run.wmraw ./"$1" $line >/dev/null; then mv run.wmraw "$2/$n.wmraw"; else mv run.wmraw "$3/$n.wmraw"; fi
	done <arguments.txt
}

"$waymark" cc -O1 -g bug.c -o bug
run bug passed failed
clang-19 -O1 -g -fprofile-instr-generate -fcoverage-mapping bug.c -o covered
mkdir coverage
n=0
while read -r line; do
	n=$((n + 1)) side=passed
	LLVM_PROFILE_FILE=run.profraw ./covered $line >/dev/null || side=failed
	llvm-profdata-19 merge run.profraw -o run.profdata
	llvm-cov-19 export -instr-profile run.profdata ./covered >coverage/$side.$n.json
	llvm-cov-19 export -format=lcov -instr-profile run.profdata ./covered >coverage/$side.$n.lcov
done <arguments.txt
"$waymark" blame --json --passed passed --failed failed ./bug >blame.json
python3 compare_coverage.py blame.json coverage || fail "the counts are not those of llvm-cov"

# Scores and ranks are those of each measure, and ties share their ranks.
for measure in ochiai tarantula dstar jaccard op2 importance; do
	json '.measure as $m | all((.decisions, .lines); . as $list | map([.measures[$m] // 1e9]) as $k |
		$k == ($k | sort | reverse) and
		all(range($list | length); . as $i | $list[$i].first_rank == 1 + ([$k[] | select(. > $k[$i])] | length) and
			$list[$i].last_rank == ([$k[] | select(. >= $k[$i])] | length) and
			$list[$i].rank == ($list[$i].first_rank + $list[$i].last_rank) / 2))' \
		"$waymark" blame --json --measure $measure --passed passed --failed failed ./bug
done
# Increase is that of the runs that came to the decision, or entered the function of the line.
json '(.decisions[] | select(.line == 13 and .outcome == "true") | .measures.increase) == 3 / 3 - 3 / 5 and
	(.lines[] | select(.line == 14) | .measures.increase) == 3 / 3 - 3 / 9' cat blame.json

# The bug; of the tie behind it, the decision that the others follow from.
json '.decisions[0] | .line == 13 and .outcome == "true" and .failed_runs == 3 and .passed_runs == 0 and .follows == null and
	(.leads_to | map(sub(".*:"; ""))) == ["14", "20"]' cat blame.json
json '.lines[0] | .line == 14 and .function == "number"' cat blame.json
json '.decisions as $d | [$d[] | select(.line == 10 and .outcome == "true")] as [$first, $second] |
	$first.follows == null and $second.follows == $first.edge and
	([$d[] | select(.follows == $second.edge) | [.line, .outcome]] | sort) == [[11, "false"], [11, "true"]]' cat blame.json
says "line 10, s[0] == '0': true (and 3 like it)" "$waymark" blame --passed passed --failed failed ./bug
json '[.decisions[] | select(.line == 29) | .folded] == [false, true]' cat blame.json
json 'all(.decisions[]; .follows == null or .folded)' cat blame.json
says 'bug.c:14  return value; /* the sign is forgotten */' "$waymark" blame --passed passed --failed failed ./bug
says "more outcomes (--top N or --all shows them)" "$waymark" blame --passed passed --failed failed ./bug --top 2
json '[.decisions[], .lines[] | .function] | unique == ["number"]' \
	"$waymark" blame --json --passed passed --failed failed ./bug --function number

# Whatever the paths are, the runs take the same outcomes.
outcomes='[.decisions[] | [.function, .line, .column, .outcome, .failed_runs, .passed_runs]] | sort'
jq -c "$outcomes" blame.json >outcomes.json
for scheme in piecewise kiter=2 context loopcontext; do
	"$waymark" cc -O1 -g -fwaymark-scheme=$scheme bug.c -o across
	rm -rf good bad
	run across good bad
	"$waymark" blame --json --passed good --failed bad ./across | jq -c "$outcomes" | cmp outcomes.json - || fail "outcomes of $scheme"
done

mkdir later
# Runs of an earlier version: blocks are compared, and lines are those of the version that failed.
sed 's/^\tlong sum = 0;/\tlong sum = 0;\n\tif (argc > 50)\n\t\treturn 9;/' bug.c >later/bug.c
(cd later && "$waymark" cc -O1 -g bug.c -o ../newer)
run newer after worse
"$waymark" blame --json --passed passed --failed worse ./bug ./newer >versions.json
json '[.decisions[] | select(.function == "number") | [.line, .outcome, .failed_runs, .passed_runs]] | length > 8' cat versions.json
numbers='[.decisions[] | select(.function == "number") | [.line, .outcome, .failed_runs, .passed_runs]] | sort'
[ "$(jq -c "$numbers" versions.json)" = "$(jq -c "$numbers" blame.json)" ] || fail "a function that has not changed"
json '[.decisions[] | select(.function == "main") | [.line, .outcome, .failed_runs, .passed_runs]] | sort ==
	[[29, "false", 3, 0], [31, "false", 3, 6], [31, "true", 3, 6], [33, "true", 3, 0]]' cat versions.json

# Failed runs that reach the bug by different paths: no path is in more than one of them.  What follows from the bug is in all
# of them, too; it is executed later, and therefore printed later.
"$waymark" cc -O1 -g escape.c -o escape
mkdir right wrong
tab=$(printf '\t') newline='
'
n=0
try() {
	n=$((n + 1))
	if WAYMARK_FILE=run.wmraw ./escape "$1" "$2" >/dev/null; then mv run.wmraw right/$n.wmraw; else mv run.wmraw wrong/$n.wmraw; fi
}
try abc abc
try 'a\nb' "a${newline}b"
try 'ab\nc' "ab${newline}c"
try 'a\n' "a$newline"
try 'ab\n' "ab$newline"
try 'a\xb' axb
try 'a\tb' "a${tab}b"
try 'ab\tc' "ab${tab}c"
try 'a\t' "a$tab"
try 'ab\t' "ab$tab"
[ "$(ls wrong | wc -l)" = 4 ] || fail "the program itself is wrong"
"$waymark" blame --json --passed right --failed wrong ./escape >escape.json
jq -e 'all(.paths[]; .function != "unescape" or .failed_runs < 3 or .passed_runs > 0)' escape.json >/dev/null ||
	fail "a path through the bug is in all failed runs"
json '.decisions | .[0].function == "unescape" and .[0].outcome == "case '"'t'"'" and
	([.[] | select(.failed_runs == 4 and .passed_runs == 0) | .function]) as $all |
	$all == ["unescape", "main", "count_differences", "count_differences", "count_differences", "count_differences", "count_differences",
		"count_differences"] or ($all | debug | false)' cat escape.json
json '.lines[0] | .function == "unescape" and .line == 30' cat escape.json
says "line 25 case 't'" "$waymark" blame --passed right --failed wrong ./escape --top 1

# Each case of a switch is told, also if they are equal; operands of a condition are not.
WAYMARK_FILE=both.wmraw ./escape 'a\tb\xc' "a${tab}bxc" >/dev/null || :
json '[.decisions[] | select(.line == 25) | [.outcome, .folded]] == [["default", false], ["case '"'t'"'", false]]' \
	"$waymark" blame --json --passed right/2.wmraw --failed both.wmraw ./escape
json '[.decisions[] | select(.line == 8) | [.text, .folded]] == [["line 8, *a != *b: true", true], ["line 8, i < 3: true", true], ["line 8, i < 3: false", true]]' \
	cat escape.json
json '[.decisions[] | select(.line == 7) | .folded] == [false, true]' cat escape.json

# What a run does on paths that it does not complete is told up to the call in which they were left, or the report says that it is
# not known.
sed 's/^\t\tputs("positive");/\t\texit(3);/' bug.c >exits.c
"$waymark" cc -O1 -g exits.c -o exits
run exits fine exited
says 'in the call of' "$waymark" blame --passed fine --failed exited ./exits --all
"$waymark" cc -O1 -g -fwaymark-unfinished=off exits.c -o exits
rm -r fine exited
run exits fine exited
says 'left inside calls (by exit, longjmp, an exception or the end of the process)' "$waymark" blame --passed fine --failed exited ./exits
! "$waymark" blame --passed passed --failed failed ./bug | grep -q 'left inside calls' || fail "nothing was left"

"$waymark" blame --html pages --passed passed --failed failed ./bug
[ "$(grep -c '<table class="functions[ "]' pages/index.html)" = 3 ] && grep -q 'sign &lt; 0: true' pages/index.html || fail "pages"
[ "$(grep -c 'id="search"' pages/index.html)" = 1 ] || fail "two searches in a page"
"$waymark" blame --markdown --passed passed --failed failed ./bug >markdown.md
grep -q "^| 1 to 3 | inf | 3 of 3 | 0 of 6 | <code>number</code> bug.c:3 | line 13, sign &#60; 0: true |$" markdown.md || { cat markdown.md; fail "Markdown"; }
