#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# export_coverage.sh BUILD: `waymark export` of lcov and cobertura says what the program says that it did, genhtml reads the
# one, and xmllint validates the other.
set -eu
waymark=$(realpath "$1")/waymark
. "$(dirname "$(realpath "$0")")/../lib.sh"

# The program counts its own lines (HERE) and outcomes (IS): "line N COUNT" and "outcome N WHICH TRUE FALSE".
mv counts_itself.c 'a & <b>.c'

# agrees: what the program said is in run.info: each line, each outcome of a decision
agrees() {
	while read -r kind line a b c; do
		case $kind in
		line) grep -qx "DA:$line,$a" run.info || fail "line $line was executed $a times" ;;
		outcome)
			grep -qx "BRDA:$line,$a,0,$b" run.info || fail "decision $a of line $line was $b times true"
			grep -qx "BRDA:$line,$a,1,$c" run.info || fail "decision $a of line $line was $c times false"
			;;
		esac
	done <said
	[ "$(grep -c ^outcome said)" -ge 5 ] || fail "the program says too little"
}

for options in '-O0 -g' '-O2 -g' '-O1 -g -fwaymark-scheme=kiter=3' '-O1 -g -fwaymark-scheme=loopcontext' \
	'-O1 -g -fwaymark-scheme=context' '-O1 -g -fwaymark-scheme=piecewise' '-O1 -g -fwaymark-segments=1'; do
	rm -f ./*.wmraw
	# shellcheck disable=SC2086 # a list of options
	"$waymark" cc $options "a & <b>.c" -o program || fail "cc $options"
	WAYMARK_FILE=one.wmraw ./program 60 >said
	"$waymark" export --format lcov one.wmraw ./program >run.info || fail "$options: no export"
	grep -qx 'FNDA:69,classify' run.info || { cat run.info; fail "$options: classify was called 69 times"; }
	grep -qx 'FNDA:0,never' run.info || fail "$options: never was not called"
	grep -qx 'BRDA:23,0,0,-' run.info || fail "$options: the decision of never was not reached"
	agrees
done

# The sums are those of the records, and two runs add up.
WAYMARK_FILE=two.wmraw ./program 60 >/dev/null
"$waymark" export --format lcov -o twice.info one.wmraw two.wmraw ./program
for record in LF:DA LH:DA BRF:BRDA BRH:BRDA FNF:FN FNH:FNDA; do
	sum=${record%:*} of=${record#*:}
	all=$(awk -F: -v sum="$sum" '$1 == sum { n += $2 } END { print n }' run.info)
	case $sum in
	*H) listed=$(grep "^$of:" run.info | sed 's/FNDA:\([0-9]*\).*/x,\1/; s/.*,//' | grep -cvx -e 0 -e -) ;;
	*F) listed=$(grep -c "^$of:" run.info) ;;
	esac
	[ "$all" = "$listed" ] || fail "$sum is $all, and there are $listed records"
done
sed -n 's/^DA:\([0-9]*\),\([0-9]*\)$/\1 \2/p' run.info | awk '{ print "DA:" $1 "," 2 * $2 }' >doubled
grep '^DA:' twice.info | cmp - doubled || fail "the same run twice does not have twice the counts"

# The entries are those of the report, where no calls are crossed or inlined.
"$waymark" cc -O1 -g "a & <b>.c" -o program
rm -f one.wmraw
WAYMARK_FILE=one.wmraw ./program 60 >said
"$waymark" export --format lcov one.wmraw ./program >run.info
"$waymark" report --json one.wmraw ./program | jq -r '.functions[] | select(.entries != null) | "FNDA:\(.entries),\(.name)"' | sort >entries
grep '^FNDA:' run.info | sort | cmp - entries || fail "the entries are not those of the report"

# MC/DC: both conditions of line 5 are shown, as the program's outcomes say; and the records are those of the report.
for value in t f; do
	for index in 0 1; do
		grep -qE "^MCDC:5,2,$value,[1-9][0-9]*,$index," run.info || { grep ^MC run.info; fail "condition $index of line 5"; }
	done
done
"$waymark" report --json --mcdc --file 'a & <b>.c' one.wmraw ./program |
	jq -r '[.functions[].mcdc.expressions[]? | select(.not_analysed_because == null and (.conditions | length) > 1) | .line as $l | (.conditions | length) as $n |
		.conditions | to_entries[] | select(.value.kind == "branch" or .value.kind == "value") | "\($l),\($n),\(.key),\(.value.shown)"] | .[]' | sort >conditions
[ "$(wc -l <conditions)" -ge 3 ] || { cat conditions; fail "the report has no conditions"; }
sed -n '/<b>.c/,/end_of_record/s/^MCDC:\([0-9]*\),\([0-9]*\),t,\([0-9]*\),\([0-9]*\),.*/\1,\2,\4,\3/p' run.info |
	sed 's/,0$/,false/; s/,[1-9][0-9]*$/,true/' | sort | cmp - conditions || { cat conditions; grep ^MCDC run.info; fail "MC/DC records"; }
[ "$(sed -n 's/^MCF://p' run.info | paste -sd+ | bc)" = "$(grep -c ^MCDC: run.info)" ] || fail "MCF"

# genhtml reads it.
genhtml --branch-coverage --quiet -o html run.info 2>genhtml.log || { cat genhtml.log; fail "genhtml"; }
[ ! -s genhtml.log ] || { cat genhtml.log; fail "genhtml complains"; }
lcov --rc lcov_branch_coverage=1 --summary run.info >summary 2>&1
for word in "lines......: .*($(sed -n 's/^LH://p' run.info | paste -sd+ | bc) of $(sed -n 's/^LF://p' run.info | paste -sd+ | bc) lines)" \
	"branches...: .*($(sed -n 's/^BRH://p' run.info | paste -sd+ | bc) of $(sed -n 's/^BRF://p' run.info | paste -sd+ | bc) branches)"; do
	grep -q "$word" summary || { cat summary; fail "lcov does not say: $word"; }
done

# Cobertura: the structure of coverage-04.dtd, and the same numbers.
"$waymark" export --format cobertura -o named.xml one.wmraw ./program
grep -v '^<!DOCTYPE' named.xml >run.xml # which names a file of the network
xmllint --nonet --noout --dtdvalid coverage.dtd run.xml || fail "the XML does not have the structure of Cobertura"
xpath() {
	xmllint --nonet --xpath "$1" run.xml
}
[ "$(xpath 'string(//class[@filename="a & <b>.c"]/@name)')" = 'a & <b>.c' ] || fail "the class of the file is missing"
for line in $(sed -n '/<b>.c/,/end_of_record/s/^DA:\([0-9]*\),.*/\1/p' run.info); do
	count=$(sed -n "/<b>.c/,/end_of_record/s/^DA:$line,//p" run.info)
	[ "$(xpath "string(//class[@name='a & <b>.c']/lines/line[@number=$line]/@hits)")" = "$count" ] || fail "line $line has other hits"
done
[ "$(xpath 'string(//class[@name="a & <b>.c"]/lines/line[@number=5]/@condition-coverage)')" = '100% (4/4)' ] || fail "condition coverage"
[ "$(xpath 'string(//class[@name="a & <b>.c"]/lines/line[@number=23]/@condition-coverage)')" = '0% (0/2)' ] || fail "condition coverage of never"
[ "$(xpath 'count(//class/lines/line[@hits > 0]) = /coverage/@lines-covered')" = true ] ||
	fail "lines-covered"

# Only what was asked for; mistakes get one sentence.
"$waymark" export --format lcov --function never one.wmraw ./program >some.info
[ "$(grep -c ^FN: some.info)" = 1 ] || fail "--function"
"$waymark" export --format lcov --exclude counted.h one.wmraw ./program >some.info
! grep -q 'counted.h' some.info || fail "--exclude"
exits 1 "$waymark" export one.wmraw ./program
says '--format is missing' "$waymark" export one.wmraw ./program
exits 1 "$waymark" export --format instr one.wmraw ./program
says 'gives clang the same counts per line' "$waymark" export --format instr one.wmraw ./program
exits 1 "$waymark" export --format lkov one.wmraw ./program
says "there is no format 'lkov'; the formats are lcov" "$waymark" export --format lkov one.wmraw ./program

# Activations that were left inside a call are said.
"$waymark" cc -g -O1 -fwaymark-unfinished=off leaves.c -o leaves
WAYMARK_FILE=leaves.wmraw ./leaves
says 'the counts inside 1 function are not exact' "$waymark" export --format lcov leaves.wmraw ./leaves
grep -qx 'FNDA:1,main' out || fail "main was entered"
