# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The map says which edges lead to failures of checks.

# failures OBJECT FUNCTION: the kinds of its failing edges, one per line
failures() {
	"$waymark" show --cfg --function "$2" "$1" | sed -n 's/^# b[0-9]* -> b[0-9]* fails: //p'
}

# has COUNT KIND: so many edges are of this kind, in the last list
has() {
	[ "$(grep -c "^$2\$" list)" = "$1" ] || fail "$options: not $1 $2: $(cat list)"
}

for options in -O0 -O2 '-O2 -fwaymark-cfg=optimised' '-O2 -fsanitize=address' '-O1 -fsanitize=undefined' \
	'-O2 -fsanitize=undefined -fsanitize-trap=all'; do
	# shellcheck disable=SC2086 # a list of words
	must "$waymark" cc $options -g -c p.c -o p.o
	# Both operands of the assert fail it; abort() is no assert.
	failures p.o check >list
	case $options in
	*undefined*) grep -q '^sanitizers$' list || fail "$options: no check of the sanitizer" ;;
	*optimised*) continue ;;
	*) has 0 sanitizers ;;
	esac
	has 2 asserts
	has 0 noreturn
	failures p.o loop >list
	has 1 asserts
	failures p.o fail >list
	has 3 noreturn
	failures p.o main >list
	has 0 noreturn
done

# An assert of the project, by the name of what it calls.
must "$waymark" cc -O1 -g -c own.c -o own.o
failures own.o own >list
has 1 asserts
has 0 noreturn

# In C++, assert is a branch on the value of its condition, which an operand may decide.
for options in -O0 -O2 '-O2 -fsanitize=undefined'; do
	# shellcheck disable=SC2086
	must "$waymark" c++ $options -g -c q.cpp -o q.o
	failures q.o check >list
	has 4 asserts
	grep -q '^throws$' list || fail "$options: no throw"
	failures q.o main >list
	has 0 throws
done

# What is possible does not depend on checks, of which no failure ran.
profile() {
	rm -rf tests
	mkdir tests
	for argument in "$@"; do
		WAYMARK_FILE=tests/t$argument.wmraw ./p "$argument" >/dev/null 2>&1 || :
	done
}
possible() {
	"$waymark" report --json "$@" tests p | jq -c '[.functions[] | {name, paths_possible}] | sort_by(.name)'
}
asked() {
	"$waymark" untested --json "$@" tests p | jq -c .summary
}
for options in -O0 -O2 '-O2 -fsanitize=undefined' '-O1 -fsanitize=undefined -fno-sanitize-recover=all' \
	'-O2 -fsanitize=undefined -fsanitize-trap=all'; do
	# shellcheck disable=SC2086
	must "$waymark" cc $options -g p.c -o p
	profile 0 3
	for arguments in '' --checks; do
		# shellcheck disable=SC2086
		possible $arguments >"possible$arguments"
		# shellcheck disable=SC2086
		asked $arguments >"asked$arguments"
	done
	[ "$(cat possible)" = '[{"name":"check","paths_possible":2},{"name":"fail","paths_possible":2},{"name":"loop","paths_possible":4},{"name":"main","paths_possible":4}]' ] ||
		fail "$options: $(cat possible)"
	jq -e '.outcomes == 8 and .paths == 10 and .left_out_outcomes >= 3 and .tested_left_out_outcomes == 0' asked >/dev/null ||
		fail "$options: $(cat asked)"
	jq -se '.[1].outcomes > .[0].outcomes + 3 and .[1].paths > .[0].paths and .[1].left_out_outcomes == 0' asked asked--checks \
		>/dev/null || fail "$options: $(cat asked asked--checks)"
	"$waymark" untested tests p >words
	grep -qE '^[0-9]+ outcomes of asserts and sanitizers are left out \(--checks lists them\)$' words || fail "$(cat words)"
	"$waymark" report tests/*.wmraw p >words
	grep -qE '^[0-9]+ outcomes of asserts and sanitizers are left out of what is possible \(--checks counts them\)$' words ||
		fail "$(cat words)"
	! "$waymark" report --checks tests/*.wmraw p | grep -q 'left out' || fail "--checks leaves something out"
done

# A check that failed is shown: its path is possible because it ran, and a test took the outcome.
must "$waymark" cc -O1 -g p.c -o p
profile 0 -1
"$waymark" report --json tests p >report.json
expect 'f("check").paths_possible == 3 and (f("check").paths | length) == 2 and .totals.left_out_paths_executed == 1'
"$waymark" report tests/*.wmraw p >words
grep -q 'but 1 path that ran took one (--checks counts all)' words || fail "$(cat words)"
"$waymark" untested tests p >words
grep -q '^3 outcomes of asserts and sanitizers are left out, of which tests took 1 (--checks lists them)$' words || fail "$(cat words)"
"$waymark" untested --json tests p | jq -e '.functions[] | select(.name == "check") | .paths_sought == 2 and .left_out_outcomes == 2' \
	>/dev/null || fail "sought paths"

# Operands of an assert decide nothing else; what stands before an assert in the same line does.
cp operands.c operands.cpp
for compiler in cc c++; do
	for options in -O0 -O2; do
		[ $compiler = cc ] && source=operands.c || source=operands.cpp
		must "$waymark" $compiler $options -g $source -o operands
		rm -f operands.wmraw
		WAYMARK_FILE=operands.wmraw ./operands
		"$waymark" untested --json operands.wmraw operands | jq -e '.summary | .outcomes == 2 and .untested_outcomes == 1 and .left_out_outcomes == 3' \
			>/dev/null || fail "$compiler $options: operands of asserts are decisions"
		"$waymark" untested operands.wmraw operands | grep -q '^  line 7, a: false$' || fail "$compiler $options: the decision before an assert"
		"$waymark" untested --json --checks operands.wmraw operands | jq -e '.summary.outcomes > 12' >/dev/null || fail "$compiler $options: --checks"
		"$waymark" report --source $source --json operands.wmraw operands | jq -e '.decisions | length == 1 and .[0].line == 7' >/dev/null ||
			fail "$compiler $options: annotated source has operands of asserts"
	done
done

# A throw expression does not return.
for options in -O0 -O2; do
	must "$waymark" c++ $options -g thrown.cpp -o thrown
	rm -f thrown.wmraw
	WAYMARK_FILE=thrown.wmraw ./thrown
	"$waymark" untested --json --level outcome --scope=all thrown.wmraw thrown | jq -e '.functions[] | select(.name == "_ZL1fiPi") | .untested_outcomes == 1' \
		>/dev/null || fail "$options: $("$waymark" untested --json --level outcome thrown.wmraw thrown)"
	"$waymark" untested thrown.wmraw thrown >words
	! grep -q returned words || fail "$options: a throw expression returns: $(cat words)"
	"$waymark" report --json thrown.wmraw thrown | jq -e '.functions[] | select(.name == "_ZL1fiPi") | .paths_possible == 2' >/dev/null ||
		fail "$options: paths behind a throw expression are possible"
	"$waymark" untested --checks thrown.wmraw thrown | grep -q '^  line 13 returned' || fail "$options: --checks"
done

# A gate holds although no assert has failed, and a throw expression can be left out.
cat >gate.c <<'END'
#include <assert.h>
int main(int argc, char **argv)
{
	assert(argc && argv);
	return 0;
}
END
must "$waymark" cc -O1 -g gate.c -o gate
WAYMARK_FILE=gate.wmraw ./gate
for level in both outcome path; do
	must "$waymark" untested --level $level --fail gate.wmraw gate
	! "$waymark" untested --level $level --checks --fail gate.wmraw gate >words 2>&1 || fail "--checks --fail: $(cat words)"
done
must "$waymark" c++ -O1 -g q.cpp -o q
WAYMARK_FILE=q.wmraw ./q
has_throw() {
	"$waymark" untested "$@" --level outcome --function check q.wmraw q | grep -q 'n > 3: true'
}
has_throw || fail "the throw expression is not listed"
! has_throw --exclude-throws || fail "the throw expression is listed"
"$waymark" untested --exclude-throws q.wmraw q | grep -q ' outcomes of asserts, sanitizers and throws are left out' || fail "words"
"$waymark" untested --checks --exclude-throws q.wmraw q | grep -qx '[0-9]* outcomes\? of throws \(is\|are\) left out' || fail "--checks --exclude-throws"
! "$waymark" untested --checks --field q.wmraw --tested q.wmraw q 2>words || fail "--checks with --field"
grep -q -- '--checks cannot be combined with profiles of the field' words || fail "$(cat words)"

# Conditions of asserts and checks are not analysed, unless an evaluation failed, and are no decisions of lines.
must "$waymark" cc -O1 -g -fsanitize=undefined p.c -o p
profile 0 3
"$waymark" report --mcdc tests/*.wmraw p >words
grep -q '^2 expressions of asserts and other checks are left out (--checks lists them)$' words || fail "$(cat words)"
! grep -q assert\( words || fail "$(cat words)"
"$waymark" report --checks --mcdc tests/*.wmraw p | grep -q 'line 9: assert(i >= 0 && n)' || fail "--checks --mcdc"
"$waymark" report --source p.c tests/*.wmraw p >words
grep -q 'p.c: 1[0-9] of 22 lines with code ran .*, . of 5 decisions reached' words || fail "$(cat words)"
! grep -q 'in assert' words || fail "$(cat words)"
"$waymark" report --checks --source p.c tests/*.wmraw p | grep -q 'in assert: true [12], false 0' || fail "--checks --source"
! "$waymark" report tests/*.wmraw p | grep -q 'to block' || fail "checks that held are told"
"$waymark" report --checks tests/*.wmraw p | grep -q 'to block' || fail "--checks does not tell that checks held"
must "$waymark" cc -O1 -g p.c -o p
profile 0 -1
"$waymark" report tests/*.wmraw p | grep -q '^ *9  .*false' || fail "the path with the failed assert"
"$waymark" report --source p.c tests/*.wmraw p | grep -q 'in assert: goes on: 1, false 1' || fail "the assert that failed is not shown"
"$waymark" report --mcdc tests/*.wmraw p | grep -q 'line 9: assert(i >= 0 && n)' || fail "the assert that failed is not analysed"

# The first check of the type of an object takes another way than later ones.  A test tests the path without it, too.
must "$waymark" c++ -O1 -g -fsanitize=undefined q.cpp -o q
WAYMARK_FILE=reports.wmraw ./q
"$waymark" untested --json --exclude-throws reports.wmraw q >untested.json
jq -e '.functions[] | select(.name | test("check")) | .tested_left_out_outcomes == 1 and .paths_sought == 2 and .untested_paths == 1' \
	untested.json >/dev/null || fail "the report that came back: $(jq -c '.functions[] | select(.name | test("check")) | del(.paths)' untested.json)"
"$waymark" untested --exclude-throws --level path --all reports.wmraw q | grep -q '18:2' || fail "nearest path"

# Under other schemes the outcomes are the same.  Possible paths across calls contain failures.
for options in -fwaymark-scheme=piecewise -fwaymark-scheme=context -fwaymark-scheme=kiter=3 -fwaymark-scheme=loopcontext; do
	must "$waymark" cc -O1 -g -fsanitize=undefined "$options" p.c -o p
	profile 0 3
	asked >asked
	jq -e '.outcomes == 8 and .left_out_outcomes == 16 and .tested_left_out_outcomes == 0' asked >/dev/null ||
		fail "$options: $(cat asked)"
	possible >possible
	possible --checks >possible--checks
	"$waymark" report tests/*.wmraw p >words
	case $options in
	*=piecewise | *=context)
		cmp -s possible possible--checks || fail "$options: possible paths differ: $(cat possible possible--checks)"
		! grep -q 'left out of what is possible' words || fail "$options: $(head -n 5 words)"
		;;
	*)
		! cmp -s possible possible--checks || fail "$options: nothing is left out: $(cat possible)"
		grep -q 'outcomes of asserts and sanitizers are left out of what is possible' words ||
			fail "$options: $(head -n 5 words)"
		;;
	esac
done
