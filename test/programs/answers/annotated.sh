# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Annotated source: the counts of lines and the counts of decisions are those of llvm-cov, which counts in another way, and
# they are the same under every scheme.
clang-19 -O0 -g -fprofile-instr-generate -fcoverage-mapping program.c -o plain
LLVM_PROFILE_FILE=plain.profraw ./plain >plain.out
llvm-profdata-19 merge -o plain.profdata plain.profraw
llvm-cov-19 export ./plain -instr-profile plain.profdata >cov.json
llvm-cov-19 export -format=lcov ./plain -instr-profile plain.profdata >cov.txt

# Both outcomes of each decision; llvm-cov counts the cases of a switch otherwise, as regions.
jq -c '[.data[0].functions[].branches[] | select(.[5] + .[4] >= 0) | [.[0], .[4], .[5]]] | sort | .[]' cov.json >branches.all
# One line: LINE COUNT.  llvm-cov counts braces and `do` as the regions that begin or end there, and Waymark as the code that
# is there.
grep -n '^[[:space:]]*\(}\|do {\)' program.c | cut -d : -f 1 >braces
sed -n 's/^DA:\([0-9]*\),\([0-9]*\)$/\1 \2/p' cov.txt | awk 'NR == FNR {brace[$1]; next} !($1 in brace)' braces - >lines.all
[ "$(wc -l <lines.all)" -gt 40 ] || { cat cov.txt; fail "llvm-cov counts no lines"; }

for build in acyclic kiter=3 loopcontext context piecewise -fwaymark-segments=1 -O2; do
	case $build in
	-*) options="-O1 $build" ;;
	*) options="-O0 -fwaymark-scheme=$build" ;;
	esac
	rm -f run.wmraw
	must "$waymark" cc -g $options program.c -o program
	WAYMARK_FILE=run.wmraw ./program >run.out
	cmp plain.out run.out || fail "$build prints something else"
	"$waymark" report --source program.c --json run.wmraw ./program >source.json || fail "$build: no source"
	jq -c '[.decisions[] | select(.outcomes | length == 2) |
		[.line] + (.outcomes | if .[0].outcome == "false" then reverse else . end | map(.count))] | sort | .[]' source.json >branches
	jq -r '.lines[] | select(.state == "ran" or .state == "never") | "\(.line) \(.count)"' source.json >lines
	# the lines of a switch and its cases have no two-way decision in Waymark
	grep -Fxf branches branches.all >branches.common || :
	cmp -s branches branches.common || { diff branches.all branches; fail "$build: decisions differ from llvm-cov"; }
	[ "$(wc -l <branches)" -ge 17 ] || fail "$build: decisions are missing"
	! jq -r '.lines[] | select(.state == "never").line' source.json | grep -xf braces - | grep -xv '65' ||
		fail "$build: a brace that ran is said not to have run"
	awk 'NR == FNR {want[$1] = $2; next} $1 in want && want[$1] != $2 {print $1, "has", $2, "and not", want[$1]; bad = 1}
		$1 in want {same++} END {exit bad || same < 40}' lines.all lines || { cat lines; fail "$build: lines differ from llvm-cov"; }
	jq -c '[.lines, .totals.lines_ran, .totals.decisions_half_taken]' source.json >all.$build
	# the code of an inlined call may lack a line of braces
	case $build in -fwaymark-segments*) continue ;; esac
	[ $build = acyclic ] || cmp all.acyclic all.$build || fail "$build: the lines are not those of the acyclic scheme"
done

# a switch: every case with its count, which add up to the line's
jq -e '.decisions[] | select(.line == 10) | [.outcomes[].count] | length == 3 and all(. > 0)' source.json >/dev/null || fail "no counts of the cases"
jq -e '(.lines[] | select(.line == 10).count) == ([.decisions[] | select(.line == 10) | .outcomes[].count] | add)' source.json >/dev/null ||
	fail "the counts of the cases do not add up"
jq -e '[.calls[] | select(.callee == "steps")] | length == 1 and .[0].function == "nested" and .[0].line == 51 and .[0].count == 68' source.json >/dev/null ||
	fail "the call of steps"

# The text is the same: counts, marks and both counts of a decision.
"$waymark" report --source program.c run.wmraw ./program >text || fail "no text"
awk 'NR > 3 {
	count = substr($0, 1, 15); line = substr($0, 18, 6); gsub(/[ ,]/, "", count); gsub(/ /, "", line)
	if (count ~ /^[0-9]+$/ && line ~ /^[0-9]+$/) print line, count}' text >lines.text
cmp lines lines.text || fail "the text has other counts"
grep -q '^ *0 !  *63  ' text || fail "a line that did not run is not marked"
grep -q '^ *1 ~  *72  ' text || fail "a half-taken decision is not marked"
grep -A 1 '^ *[0-9,]* *~  *72  ' text | grep -q '\^ true 0, false 1$' || fail "the counts of the decision"
! grep -q "$(printf '\033')" text || fail "colours in a file"
"$waymark" report --colour always --source program.c run.wmraw ./program | grep -q "$(printf '\033')" || fail "no colours"

# Which file: exactly one must match.
printf 'static inline int twice(int x)\n{\n\treturn x > 1 ? 2 * x : 2;\n}\n' >twice.h
printf '#include "twice.h"\n#include <stdlib.h>\n__attribute__((noinline)) static void leave(int n)\n{\n\tif (n)\n\t\texit(0);\n}\nint main(int argc, char **argv)\n{\n\t(void)argv;\n\tif (argc > 1)\n\t\treturn 3;\n\tif (twice(argc) == 2)\n\t\tleave(1);\n\treturn 0;\n}\n' >two.c
must "$waymark" cc -g -O1 two.c -o two
WAYMARK_FILE=two.wmraw ./two
if "$waymark" report --source '*' two.wmraw ./two >out 2>&1; then fail "two files are one"; fi
grep -q -- "--source \* matches 2 files; name one of them: .*twice.h, .*two.c" out || { cat out; fail "the files are not listed"; }
if "$waymark" report --source three.c two.wmraw ./two >out 2>&1; then fail "no file is one"; fi
grep -q 'no source file matches --source three.c; the files with code are: .*twice.h, .*two.c' out || { cat out; fail "the files are not listed"; }

# main never ended a path: it is known up to the call that it did not leave.
"$waymark" report --source two.c --json two.wmraw ./two >two.json || fail "no JSON"
jq -e '[.lines[] | select(.line >= 11) | [.line, .state, .count]] ==
	[[11, "ran", 1], [12, "never", 0], [13, "ran", 1], [14, "ran", 1], [15, "never", 0], [16, "never", 0]]' two.json >/dev/null ||
	fail "lines of unfinished paths"
# If that is not known, its entry ran, what may have preceded the call is not known, and what no call follows did not run.
must "$waymark" cc -g -O1 -fwaymark-unfinished=off two.c -o two
rm two.wmraw
WAYMARK_FILE=two.wmraw ./two
"$waymark" report --source two.c --json two.wmraw ./two >two.json || fail "no JSON"
jq -e '[.lines[] | select(.line >= 11) | [.line, .state, .count]] ==
	[[11, "ran", 1], [12, "never", 0], [13, "maybe", null], [14, "maybe", null], [15, "never", 0], [16, "never", 0]]' two.json >/dev/null ||
	fail "lines of abandoned paths"
jq -e '.lines[] | select(.line == 6) | .state == "ran" and .count == 1' two.json >/dev/null || fail "a line before exit"
"$waymark" report --source two.c two.wmraw ./two | grep -q '? *13  .if (twice(argc) == 2)\|? *13   *if' || fail "no mark for what is not known"
