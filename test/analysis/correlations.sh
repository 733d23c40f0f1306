#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# correlations.sh BUILD: decisions that determine later ones, against what the program itself prints of its decisions.
set -eu
waymark=$(realpath "$1")/waymark
. "$(dirname "$(realpath "$0")")/../lib.sh"

# Each decision prints its line and its outcome.  A call of decide() is one path, because it contains no loop.
"$waymark" cc -O0 -g program.c -o program
for seed in 1 2 3; do
	WAYMARK_FILE=p.wmraw ./program $seed 2>trace
	# By the definition, from the trace: line, outcome, line, outcome, count, executions of the outcome and of the decision.
	awk '
	/^end/ { for (i = 1; i <= n; i++)
			for (j = 1; j < i; j++) { pair[l[j] " " o[j] " " l[i] " " o[i]]++; any[l[j] " " o[j] " " l[i]]++
				ran[l[j] " " l[i] " " o[i]]++; all[l[j] " " l[i]]++ }
		n = 0; next }
	{ n++; l[n] = $1; o[n] = $2 }
	END { for (k in pair) { split(k, w, " ")
		if (pair[k] == any[w[1] " " w[2] " " w[3]] && ran[w[1] " " w[3] " " w[4]] < all[w[1] " " w[3]])
			print k, pair[k], ran[w[1] " " w[3] " " w[4]], all[w[1] " " w[3]] } }' trace | sort >want
	"$waymark" report --correlations decide --json p.wmraw ./program >out.json
	jq -r '.functions[] | select(.name == "decide") | .correlations.found[] |
		"\(.if.line) \(.if.outcome) \(.then.line) \(.then.outcome) \(.count) \(.outcomes) \(.decisions)"' out.json | sort >got
	[ -s want ] || fail "the program has no correlations"
	cmp want got || { diff want got; fail "seed $seed: the correlations differ from those of the trace"; }
	rm p.wmraw
done

# What is printed; ordering by bits; the pages
WAYMARK_FILE=p.wmraw ./program 1 2>/dev/null
says 'determined by an earlier decision on every path that ran, in 1 function' "$waymark" report --correlations decide p.wmraw ./program
says '=> line 16: ' "$waymark" report --correlations decide p.wmraw ./program
"$waymark" report --correlations --all p.wmraw ./program >all.txt
"$waymark" report --json --correlations --all p.wmraw ./program >out.json
[ "$(grep -c ' => ' all.txt)" = "$(jq '[.functions[].correlations.found[]] | length' out.json)" ] || fail "--all does not print all"
json '[.functions[].correlations.found | map(.bits) | . == (sort | reverse)] | all' "$waymark" report --json --correlations --all p.wmraw ./program
json '[.functions[].correlations.found[] | (.count * -((.outcomes / .decisions) | log2) - .bits) | fabs < 0.001] | all' \
	"$waymark" report --json --correlations --all p.wmraw ./program
"$waymark" report --correlations --all --html pages p.wmraw ./program
grep -q 'Decisions that determine later decisions' pages/index.html || fail "no index"
grep -rq '=&gt; line 16' pages/f || fail "no page of the function"
exits 1 "$waymark" report --correlations nonesuch p.wmraw ./program
exits 1 "$waymark" report --correlations decide --mcdc p.wmraw ./program

# The function with the strongest correlation comes first, although the other runs as often.
sed 's/^int main/static int weak(int a, int b)\n{\n\tint r = 0;\n\tif (a > 14)\n\t\tr = 1;\n\tif (b > 6 || r)\n\t\tr += 2;\n\treturn r;\n}\n&/; s/sum += decide/sum += weak(x >> 16 \& 15, x >> 19 \& 7) + decide/' program.c >both.c
"$waymark" cc -O0 -g both.c -o both
WAYMARK_FILE=both.wmraw ./both 1 2>/dev/null
for all in '*' --all; do
	"$waymark" report --correlations "$all" both.wmraw ./both >both.txt
	[ "$(grep -oE '^(decide|weak) ' both.txt | tr -d '\n')" = 'decide weak ' ] || { cat both.txt; fail "the order of functions"; }
done

# Across iterations: the outcome of one iteration determines that of the next, which only paths of two iterations show.
"$waymark" cc -O1 -g loop.c -o loop
WAYMARK_FILE=one.wmraw ./loop
says '0 outcomes of a decision are determined' "$waymark" report --correlations alternate one.wmraw ./loop
"$waymark" cc -O1 -g -fwaymark-scheme=kiter=2 loop.c -o loop
WAYMARK_FILE=two.wmraw ./loop
# 1000 iterations, of which 999 follow another one on a path; 500 follow an even one
json '[.functions[] | select(.name == "alternate") | .correlations.found[] | select(.if.line == 5 and .then.line == 5) |
	[.if.outcome, .then.outcome, .count, .outcomes, .decisions]] | sort == [["false", "true", 500, 500, 999], ["true", "false", 499, 499, 999]]' \
	"$waymark" report --json --correlations alternate two.wmraw ./loop
