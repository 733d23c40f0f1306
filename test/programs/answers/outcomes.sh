# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# An outcome is told of the condition as the source writes it, negated or not, and of its operands by their text.
for level in -O0 -O2; do
	must "$waymark" cc $level case.c -o case
	rm -f -- *.wmraw
	must ./case
	report ./case *.wmraw
	expect '[f("f").paths[] | select(.start == "entry") | .decisions[] | [.line, .condition, .outcome]]
		== [[4, null, "true"], [6, "a", "false"], [8, null, "true"]]'
	expect '[f("f").paths[] | select(.end == "return") | .decisions[] | [.line, .condition, .outcome]]
		== [[8, null, "false"], [10, "!b", "false"]]'
	# Without the source, an outcome is that of the whole condition, or of the operand at a column.
	"$waymark" report --json --expand --no-source merged.wmprof ./case >report.json || fail "report --no-source"
	expect '[f("f").paths[] | select(.start == "entry") | .decisions[] | [.line, .condition, .outcome]]
		== [[4, null, "true"], [6, "column 8", "false"], [8, null, "true"]]'
done
