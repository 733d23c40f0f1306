#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# blame.sh BUILD: which paths go with failed runs, recomputed from the reports of the single runs.
set -eu
waymark=$(realpath "$1")/waymark source=$(realpath "$(dirname "$0")/../..")
. "$(dirname "$(realpath "$0")")/../lib.sh"

"$waymark" cc -O1 -g bug.c -o bug
mkdir passed failed tests
# The first argument is the right sum: the exit code says whether the run passed.
n=0
while read -r arguments; do
	n=$((n + 1))
	if WAYMARK_FILE=run.$n.wmraw ./bug $arguments >/dev/null; then mv run.$n.wmraw passed/; else mv run.$n.wmraw failed/; fi
done <<'END'
6 1 2 3
4 -1 5
23 0x10 7
252 0xff -3
12 12
-9 -4 -5
-9 -0x10 7
-7 3 -0xa
-1 0xa -0xb
0 -0x0 0
END
[ "$(ls failed | wc -l)" = 3 ] && [ "$(ls passed | wc -l)" = 7 ] || fail "the program itself is wrong: $(ls failed)"

# Which runs take which path, from their reports.
for side in passed failed; do
	for file in $side/*; do
		"$waymark" report --json "$file" ./bug | jq -r --arg s $side --arg r "$file" '.functions[] | .name as $n | .paths[] | [$s, $r, $n, .id] | @tsv'
	done
done >taken.txt
awk -F '\t' '{ k = $3 " " $4; with[$1, k]++; paths[k] = $3; if (!(($1, $2, $3) in seen)) { seen[$1, $2, $3]; near[$1, $3]++ } }
	END {
		F = 3; P = 7
		for (k in paths) {
			f = with["failed", k] + 0; p = with["passed", k] + 0; nf = near["failed", paths[k]] + 0; np = near["passed", paths[k]] + 0
			if (!f) continue
			increase = f / (f + p) - nf / (nf + np)
			reach = log(f) / log(F)
			printf "%s %d %d %.6f %.6f %s %.6f %.6f %.6f %.6f\n", k, f, p, f / sqrt(F * (f + p)), (f / F) / (f / F + p / P),
				p + F - f ? sprintf("%.6f", f * f / (p + F - f)) : "null", f / (F + p), f - p / (P + 1),
				(increase > 0 && reach > 0 ? 2 / (1 / increase + 1 / reach) : 0), increase
		}
	}' taken.txt | sed 's/-0\.000000/0.000000/g' | sort >expected.txt
"$waymark" blame --json --passed passed/*.wmraw --failed failed/*.wmraw ./bug >blame.json
jq -r '.paths[] | [.function, .id, .failed_runs, .passed_runs, (.measures | .ochiai, .tarantula, .dstar // "null", .jaccard, .op2, .importance, .increase)] | @tsv' blame.json |
	awk -F '\t' '{ printf "%s %s %d %d", $1, $2, $3, $4; for (i = 5; i <= NF; i++) printf $i == "null" ? " null" : " %.6f", $i; print "" }' |
	sed 's/-0\.000000/0.000000/g' | sort >found.txt
cmp expected.txt found.txt || { diff expected.txt found.txt; fail "the measures differ"; }
# The order and the ranks are those of each measure, and ties share their ranks.
for measure in ochiai tarantula dstar jaccard op2 importance; do
	json '.measure as $m | .paths as $p | ($p | map([.measures[$m] // 1e9])) as $k |
		$k == ($k | sort | reverse) and
		all(range(1; $p | length); . as $i | $k[$i] != $k[$i - 1] or $p[$i].measures.increase <= $p[$i - 1].measures.increase) and
		all(range($p | length); . as $i | $p[$i].first_rank == 1 + ([$k[] | select(. > $k[$i])] | length) and
			$p[$i].last_rank == ([$k[] | select(. >= $k[$i])] | length) and $p[$i].rank == ($p[$i].first_rank + $p[$i].last_rank) / 2)' \
		"$waymark" blame --json --measure $measure --passed passed --failed failed ./bug
done
"$waymark" blame --json --passed passed --failed failed ./bug | jq -c .paths >paths.json
jq -c .paths blame.json | cmp paths.json - || fail "a directory stands for the runs in it"

# The decision that tells the most suspicious path from the nearest passing one; what only follows from a failure is behind it.
says 'true, where the nearest path of passed runs' "$waymark" blame --passed passed --failed failed ./bug
json '.paths[0] | .function == "number" and (.nearest_passed.parts_at | .line == 13 and .outcome == "true" and .passed_outcome == "false")' \
	"$waymark" blame --json --passed passed --failed failed ./bug --function number
says 'no passed run completes a path of this function' "$waymark" blame --passed passed --failed failed ./bug --all
# Of every path, the nearest is a path of passed runs of the same function with the longest common beginning.
"$waymark" report --json passed/* ./bug >passed.json
jq -e --slurpfile passed passed.json '
	def common($a; $b): ([range([$a, $b | length] | min) | select($a[:. + 1] == $b[:. + 1])] | length);
	all(.paths[]; . as $p | [$passed[0].functions[] | select(.name == $p.function) | .paths[] | select(.id != $p.id)] as $others |
		if ($others | length) == 0 then $p.nearest_passed == null else
			([$others[] | common(.blocks; $p.blocks)] | max) as $best |
			$best == ($others[] | select(.id == $p.nearest_passed.path) | common(.blocks; $p.blocks))
		end)' blame.json >/dev/null || fail "the nearest path"

# Untested paths first
cp passed/run.1.wmraw passed/run.2.wmraw tests/
"$waymark" blame --json --passed passed --failed failed --tested tests ./bug >tested.json
"$waymark" report --json tests/* ./bug | jq -c '[.functions[] | .name as $n | .paths[] | [$n, .id]]' >tests.json
jq -e --slurpfile t tests.json '(.paths | map(.tested)) as $l | $l == ($l | sort) and ($l | unique) == [false, true] and
	all(.paths[]; .tested == ([[.function, .id]] | inside($t[0])))' tested.json >/dev/null || fail "untested paths are not first"
says 'no test takes this path' "$waymark" blame --passed passed --failed failed --tested tests ./bug

# Across calls and over iterations
for scheme in piecewise kiter=2 context; do
	"$waymark" cc -O1 -g -fwaymark-scheme=$scheme bug.c -o across
	rm -rf good bad
	mkdir good bad
	WAYMARK_FILE=good/1.wmraw ./across 23 0x10 7
	WAYMARK_FILE=good/2.wmraw ./across -9 -4 -5
	WAYMARK_FILE=bad/1.wmraw ./across -9 -0x10 7 >/dev/null || true
	json '.paths[0].passed_runs == 0 and .paths[0].failed_runs == 1 and .paths[0].nearest_passed.parts_at != null' \
		"$waymark" blame --json --passed good --failed bad ./across
done

"$waymark" blame --html pages --passed passed --failed failed ./bug
grep -q 'What goes with failed runs' pages/index.html || fail "pages"
grep -q 'the sign is forgotten' pages/f/*.html || fail "page of a function"

# Mistakes and names
says 'no passed run was given' "$waymark" blame --failed failed ./bug
says 'no failed run was given' "$waymark" blame --passed passed ./bug
says 'no binary was given' "$waymark" blame --passed passed --failed failed
says 'is neither a passed nor a failed run' "$waymark" blame passed/run.1.wmraw --passed passed --failed failed ./bug
says 'valid: ochiai, tarantula, dstar, jaccard, op2, importance' "$waymark" blame --measure best --passed passed --failed failed ./bug
cp passed/run.1.wmraw "$(printf 'e\033[31m.wmraw')"
"$waymark" blame --passed "$(printf 'e\033[31m.wmraw')" --failed failed ./bug --json >escaped.txt
! grep -q "$(printf '\033')" escaped.txt || fail "a control character is printed"

# The experiment of doc/blame.md: ranks and lines to read, by hand.  The bug is in line 7.  Ochiai ranks path 1 (lines 1, 2)
# first, then paths 2 (1, 7) and 3 (3, 4, 5), which are equal: the path through the bug is expected at place 1 + 3 / 2; three
# lines are read at best (1, 2, 7) and six at worst.  Lines: 2 is executed by both failed runs and by no other, before 7 and 9, which are
# equal.  The third of four decisions leads to the bug, and so does the fourth, which shares its score with two others; the text does not
# print the third.
cat >small.json <<'END'
{"passed": ["p"], "failed": ["f", "g"], "decisions": [
	{"file": "d/x.c", "line": 1, "leads_to": ["d/x.c:2"], "folded": false, "first_rank": 1, "last_rank": 1},
	{"file": "d/x.c", "line": 5, "leads_to": ["d/x.c:6"], "folded": false, "first_rank": 2, "last_rank": 4},
	{"file": "d/x.c", "line": 6, "leads_to": ["d/x.c:7"], "folded": true, "first_rank": 2, "last_rank": 4},
	{"file": "d/x.c", "line": 7, "leads_to": [], "folded": false, "first_rank": 2, "last_rank": 4}], "lines": [
	{"file": "d/x.c", "line": 2, "first_rank": 1, "last_rank": 1},
	{"file": "d/x.c", "line": 9, "first_rank": 2, "last_rank": 3},
	{"file": "d/x.c", "line": 7, "first_rank": 2, "last_rank": 3}], "paths": [
	{"lines": ["d/x.c:1", "d/x.c:2"], "rank": 1, "nearest_passed": null, "measures": {"ochiai": 1, "tarantula": 1, "dstar": null, "jaccard": 1, "op2": 1, "importance": 1, "increase": 1}},
	{"lines": ["d/x.c:1", "d/x.c:7"], "rank": 2.5, "nearest_passed": {"path": 1, "parts_at": {"file": "d/x.c", "line": 7}}, "measures": {"ochiai": 0.5, "tarantula": 1, "dstar": 2, "jaccard": 1, "op2": 1, "importance": 1, "increase": 0.5}},
	{"lines": ["d/x.c:3", "d/x.c:4", "d/x.c:5"], "rank": 2.5, "nearest_passed": null, "measures": {"ochiai": 0.5, "tarantula": 1, "dstar": 3, "jaccard": 1, "op2": 1, "importance": 1, "increase": 0}}]}
END
printf '%s\n' 'f failed x.c 2' 'g failed x.c 2' 'f failed x.c 7' 'f failed x.c 9' 'p passed x.c 8' >small.txt
"$source/bench/blame-bugs/evaluate" small.json src/x.c 7 small.txt >row.json
jq -e '.ochiai.rank == 2.5 and .ochiai.lines == 4.5 and .["ochiai+"].rank == 2 and .["ochiai+"].lines == 3 and .dstar.rank == 3 and
	.tarantula.rank == 2 and .line_ochiai.rank == 2.5 and .line_ochiai.all == 4 and .parts_at_bug and .failed == 2 and .paths == 3 and
	.decision.rank == 3 and (.decision.tied * 3 | round) == 7 and .decision.lines == 5 and .decision.shown == 3 and
	.line_dstar == {"rank": 3, "tied": 2.5, "lines": 3}' row.json >/dev/null ||
	{ cat row.json; fail "bench/blame-bugs/evaluate"; }
