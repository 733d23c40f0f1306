# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Every operand of the conditions of statements is a decision of its own, with both counts that llvm-cov has: random conditions.
for seed in ${SEEDS-1 2}; do
	python3 make.py "$seed" >loops.c
	must clang-19 -w -fprofile-instr-generate -fcoverage-mapping loops.c -o plain
	must env LLVM_PROFILE_FILE=plain.profraw ./plain
	must llvm-profdata-19 merge -o plain.profdata plain.profraw
	llvm-cov-19 export ./plain -instr-profile plain.profdata 2>llvm-cov.log |
		jq -c '[.data[0].functions[].branches[] | [.[0], .[4], .[5]]] | sort | .[]' >want
	[ "$(wc -l <want)" -gt 200 ] || fail "llvm-cov has no branches"
	for level in -O0 -O2; do
		must "$waymark" cc -w -g $level loops.c -o loops
		rm -f run.wmraw
		WAYMARK_FILE=run.wmraw must ./loops
		"$waymark" report --source loops.c --json run.wmraw ./loops >source.json || fail "no source"
		jq -c '[.decisions[] | select(.outcomes | length == 2) |
			[.line] + (.outcomes | if .[0].outcome == "false" then reverse else . end | map(.count))] | sort | .[]' source.json >have
		diff want have >difference || { cat difference; fail "seed $seed, $level: other operands or counts than llvm-cov"; }
		# An export tells no text: which of two counts is that of the negation is not told.
		"$waymark" export --format lcov -o lcov.info run.wmraw ./loops
		sed -n 's/^BRDA:\([0-9]*\),\([0-9]*\),0,\(.*\)$/\1 \3/p' lcov.info | sed 's/-$/0/' >first
		sed -n 's/^BRDA:\([0-9]*\),\([0-9]*\),1,\(.*\)$/\1 \3/p' lcov.info | sed 's/-$/0/' >second
		paste -d ' ' first second | awk '{print "[" $1 "," ($2 < $4 ? $2 "," $4 : $4 "," $2) "]"}' | sort >exported
		tr -d '[]' <want | awk -F , '{print "[" $1 "," ($2 < $3 ? $2 "," $3 : $3 "," $2) "]"}' | sort | cmp -s - exported ||
			fail "seed $seed, $level: the export has other counts than llvm-cov"
	done
done

# On a path, the last operand is told where it was evaluated.
must "$waymark" cc -g path.c -o path
WAYMARK_FILE=path.wmraw must ./path
"$waymark" report path.wmraw ./path >report.txt
grep -q "^ *\*e >= '0': true, \*e <= '9': false$" report.txt || { cat report.txt; fail "the last operand is not told"; }
"$waymark" report --source path.c path.wmraw ./path | grep -q "\*e <= '9': true 3, false 1$" || fail "the counts of the last operand"
