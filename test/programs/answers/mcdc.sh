# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# MC/DC of a suite of expressions is what follows, by brute force, from the values of all conditions that the program itself
# prints; and where clang -fcoverage-mcdc analyses an expression, it shows what unique-cause MC/DC shows.
suites=$cases/../mcdc
cp "$suites/witness.h" "$suites/check.py" .

# suite MARKED SUFFIX DRIVER: makes the programs
suite() {
	python3 "$suites/check.py" split "$suites/$1" "plain.$2" "witness.$2" || fail "check.py split"
	must clang++-19 -x "$3" -w -DWITNESS "witness.$2" -o "witness.$2.x"
	must clang++-19 -x "$3" -w -O0 -fprofile-instr-generate -fcoverage-mapping -fcoverage-mcdc "plain.$2" -o "clang.$2.x"
	must clang++-19 -x "$3" -w -O1 "plain.$2" -o "plain.$2.x"
}
# compare MARKED SUFFIX SEED ROUNDS BINARY [missing]: missing: paths must be found that would show conditions
compare() {
	set -- "$1" "$2" "$3" "$4" "$5" "${6-}"
	"./witness.$2.x" "$3" "$4" >witness.txt || fail "the witness of $1"
	rm -f run.wmraw
	must env WAYMARK_FILE=run.wmraw "./$5" "$3" "$4"
	must "$waymark" merge -o run.wmprof run.wmraw
	"$waymark" report --mcdc --json run.wmprof "./$5" >mcdc.json || fail "report --mcdc --json"
	python3 "$suites/check.py" report "$suites/$1" witness.txt mcdc.json $6 || fail "$1, $5, $3 $4: the report is wrong"
}
# as_clang MARKED SUFFIX SEED ROUNDS
as_clang() {
	"./witness.$2.x" "$3" "$4" >witness.txt || fail "the witness of $1"
	must env LLVM_PROFILE_FILE=clang.profraw "./clang.$2.x" "$3" "$4"
	must llvm-profdata-19 merge -o clang.profdata clang.profraw
	llvm-cov-19 export "./clang.$2.x" -instr-profile=clang.profdata >clang.json 2>clang.log || fail "llvm-cov"
	python3 "$suites/check.py" clang "$suites/$1" witness.txt clang.json || fail "$1, $3 $4: clang"
}

suite suite.marked c c
suite suite_cpp.marked cpp c++
for kind in -O0,values -O2,branches ${WHOLE:+-O0,branches -O2,values}; do
	options="${kind%,*} -g -w -fwaymark-conditions=${kind#*,}"
	must "$waymark" cc $options plain.c -o c.x
	must "$waymark" c++ $options plain.cpp -o cpp.x
	compare suite.marked c 1 1 c.x
	compare suite.marked c 5 4 c.x
	compare suite.marked c 3 9 c.x missing
	compare suite.marked c 7 90 c.x
	compare suite_cpp.marked cpp 2 1 cpp.x
	compare suite_cpp.marked cpp 1 5 cpp.x
	compare suite_cpp.marked cpp 4 60 cpp.x
done
# Random expressions.
for seed in 1 ${WHOLE:+2}; do
	python3 "$suites/random_suite.py" $seed 50 >random.marked || fail "random_suite.py"
	python3 "$suites/check.py" split random.marked plain.r.c witness.r.c || fail "check.py split"
	must clang-19 -w -DWITNESS witness.r.c -o witness.r.x
	for conditions in branches values; do
		must "$waymark" cc -O1 -g -w -fwaymark-conditions=$conditions plain.r.c -o r.x
		suites=. compare random.marked r 3 7 r.x
		suites=. compare random.marked r 3 40 r.x
	done
done
as_clang suite.marked c 3 9
as_clang suite.marked c 7 90
as_clang suite_cpp.marked cpp 1 5

# Schemes of paths inside a function tell the same evaluations.
for scheme in kiter=2 kiter=3 loopcontext; do
	must "$waymark" cc -O1 -g -w -fwaymark-conditions=values -fwaymark-scheme=$scheme plain.c -o c.x
	compare suite.marked c 7 30 c.x
done

# The other forms.
"$waymark" report --mcdc run.wmprof ./c.x >text.txt || fail "report --mcdc"
grep -q ' conditions in .* boolean expressions of .* functions are shown' text.txt || { cat text.txt; fail "no totals"; }
grep -q 'line .*: (a && b) || (c && d): .* of 4 conditions are shown' text.txt || { cat text.txt; fail "an expression is missing"; }
must "$waymark" report --mcdc --html pages run.wmprof ./c.x
grep -q 'shown by evaluations' pages/f/*.html || fail "a page without evaluations"

# What cannot be analysed is said, and nothing of it is called shown.
must "$waymark" cc -O2 -g -w -fwaymark-cfg=optimised plain.c -o c.x
rm -f run.wmraw
must env WAYMARK_FILE=run.wmraw ./c.x 7 30
"$waymark" report --mcdc --json run.wmraw ./c.x >mcdc.json || fail "report of an optimised graph"
jq -e '.mcdc.conditions == 0 and ([.functions[].mcdc | select(.left_out_because == null)] | length == 0)' mcdc.json >jq.log ||
	fail "conditions of an optimised graph"

# A value that is not defined may be selected by, but no branch may depend on it: where an operand or a choice becomes a branch,
# its value is frozen.
cat >undefined.c <<'END_C'
_Bool operand(int a, int b) { return a && b; }
int choice(_Bool flag) { return flag ? 2 : 3; }
END_C
must "$waymark" cc -O0 -fwaymark-conditions=values -S -emit-llvm undefined.c -o undefined.ll
frozen=$(sed -n 's/^ *\(%[^ ]*\) = freeze i1 .*/\1/p' undefined.ll | wc -l)
[ "$frozen" = 2 ] || { cat undefined.ll; fail "$frozen values are frozen"; }
for value in $(sed -n 's/^ *\(%[^ ]*\) = freeze i1 .*/\1/p' undefined.ll); do
	grep -q "br i1 $value, label %\(waymark\|cond\).true" undefined.ll || fail "no branch on $value"
done
