#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# untested_paths.sh BUILD: which paths and outcomes no test took, from the profiles of the tests alone.
set -eu
waymark=$(realpath "$1")/waymark
. "$(dirname "$(realpath "$0")")/lib.sh"

cat >program.c <<'END_C'
#include <stdio.h>
#include <stdlib.h>
int price(int member, int coupon)
{
	int price = 100;
	if (member)
		price -= 10;
	if (coupon)
		price -= 20;
	return price;
}
int refund(int days)
{
	if (days > 30)
		return 0;
	return 100;
}
int kinds(const char *text)
{
	int sum = 0;
	for (; *text; text++) {
		switch (*text) {
		case 'a':
			sum += 1;
			break;
		case 'b':
		case 'c':
			if (sum > 3 || text[1] == 'a')
				sum += 2;
			break;
		default:
			sum += sum > 50 ? atoi(text) : 3;
		}
		if (sum % 7 == 6)
			break;
	}
	return sum;
}
int main(int argc, char **argv)
{
	for (int i = 1; i + 1 < argc; i += 2)
		printf("%d\n", price(atoi(argv[i]), atoi(argv[i + 1])));
	if (argc % 2 == 0)
		printf("%d\n", kinds(argv[argc - 1]));
	if (argc > 100)
		printf("%d\n", refund(argc));
	return 0;
}
END_C
"$waymark" cc -O1 -g program.c -o program
mkdir tests
WAYMARK_FILE=tests/member.wmraw ./program 1 0 >/dev/null
WAYMARK_FILE=tests/coupon.wmraw ./program 0 1 ab >/dev/null
untested="$waymark untested tests ./program"

# ---- Text
says 'The tests enter 3 of 4 functions' $untested
says '2 of 4 paths are untested; 0 of 4 outcomes of decisions are untested' $untested
says 'new: line 8 true, where the nearest tested path (path 1, 1 time in the tests) has false; tests go this way too' $untested
says 'nearest test: member' $untested
says '>     8  true       if (coupon)' $untested
says '1 function is entered by no test' $untested
says 'refund  program.c:12, 2 paths' $untested
says 'more untested paths (--most N shows more)' $untested
# one profile of all tests: nothing is said of tests
"$waymark" merge -o all.wmprof tests >/dev/null
"$waymark" untested all.wmprof ./program >out
grep -q 'nearest tests*:' out && fail 'one profile has no tests to tell apart'

# ---- All paths, with distances that are computed here from the blocks of the paths
"$waymark" report --json tests/*.wmraw ./program >ran.json
"$waymark" untested --json --most 10000 tests ./program >all.json
jq -en --slurpfile ran ran.json --slurpfile all all.json '
	def exits: {return: 1, noreturn: 1, unwind: 1}[.end] // 0;
	# the decisions of a path: outcomes, as pairs of blocks, and where it starts
	def decisions($block; $starts):
		. as $p | [
			(if $starts > 1 then "start \(.start) \(.blocks[0])" else empty end),
			(range(0; (.blocks | length) - 1) | select($block[$p.blocks[.]].decision) |
				"\($p.blocks[.]) \($p.blocks[. + 1])"),
			(if exits == 0 and $block[.blocks[-1]].decision then "\(.blocks[-1]) \(.end)" else empty end)];
	[$all[0].functions[] | select(.tested == "yes") | . as $f |
		($ran[0].functions[] | select(.name == $f.name).paths) as $tested |
		([$f.paths[], $tested[]] | map([.start, .blocks[0]]) | unique | length) as $starts |
		($tested | map(decisions($f.block; $starts))) as $sets |
		# no path is missing, and none is listed that ran
		([$f.paths[].id, $tested[].id] | sort == [range(0; $f.paths_possible)]) and
		$f.untested_paths == ($f.paths | length) and
		# each has the least number of decisions that differ from a tested path
		all($f.paths[]; . as $p | .distance == ($sets | map(($p | decisions($f.block; $starts)) - . | length) | min)) and
		([$f.paths[].distance] | . == sort)] | length == 3 and all' >/dev/null ||
	fail 'paths or distances are not what the blocks say'
# fewer paths are the first of them
for most in 1 2 7; do
	"$waymark" untested --json --most $most tests ./program >some.json
	jq -en --slurpfile all all.json --slurpfile some some.json --argjson n $most '
		[$all, $some | [.[0].functions[].paths // [] | map(.id) | .[:$n]]] | .[0] == .[1]' >/dev/null ||
		fail "--most $most does not list the nearest paths"
done
json '.schema == "waymark.untested/1" and .level == "path" and .tests == ["coupon", "member"] and
	.summary.functions == 4 and .summary.functions_entered == 3 and
	(.summary.paths == .summary.tested_paths + .summary.untested_paths) and
	(.functions[] | select(.name == "refund") | .tested == "no" and (has("paths") | not)) and
	(.functions[] | select(.name == "price") | .paths | length == 2 and .[0].id == 0 and .[0].distance == 1 and
	 .[0].count == 0 and .[0].parts_at.line == 8 and .[0].parts_at.outcome == "true" and .[0].parts_at.outcome_tested and
	 .[0].nearest.id == 1 and .[0].tests == ["member"] and .[0].likely_infeasible == false)' $untested --json
json '.functions[] | select(.name == "price").paths[0].lines | length > 3' $untested --json --expand

# ---- Outcomes: those of graphs that no tested path takes
"$waymark" untested --level edge --json tests ./program >edges.json
jq -en --slurpfile ran ran.json --slurpfile edges edges.json '
	[$edges[0].functions[] | select(.tested == "yes") | . as $f |
		[$ran[0].functions[] | select(.name == $f.name).paths[] | .blocks as $b |
			range(0; ($b | length) - 1) | "\($b[.]) \($b[. + 1])"] as $taken |
		[$f.block | to_entries[] | select(.value.decision) | .key as $from | .value.decision.outcomes[] |
			"\($from) \(.to)"] - $taken | sort == ([$f.edges[] | "\(.from) \(.to)"] | sort)] |
	length == 3 and all' >/dev/null || fail 'the untested outcomes are not those that no path takes'
json '.level == "edge" and (.functions[] | select(.name == "main").edges | map(select(.line == 45)) | length == 1 and
	.[0].outcome == "true" and .[0].distance == 1 and .[0].tests == ["coupon", "member"])' $untested --level edge --json
says 'line 45 true (tests that come here: coupon and member)' $untested --level edge --all
says '(no test comes here)' $untested --level edge --all

# ---- The field: another name of residual
WAYMARK_FILE=field.wmraw ./program 1 1 bc >/dev/null
"$waymark" residual --tested tests/member.wmraw --tested tests/coupon.wmraw --json field.wmraw ./program >residual.json
"$waymark" untested --field field.wmraw --json tests/member.wmraw tests/coupon.wmraw ./program >field.json
cmp residual.json field.json || fail '--field prints something else than residual'
exits 3 "$waymark" untested --field field.wmraw --fail-if-untested tests/member.wmraw ./program

# ---- Pages
"$waymark" untested --html pages tests ./program
grep -q 'What no test took' pages/index.html && grep -q 'nearest test: member' pages/f/*.html ||
	fail 'the pages lack something'

# ---- Mistakes
exits 1 "$waymark" untested ./program
exits 1 "$waymark" untested tests
exits 1 "$waymark" untested --level line tests ./program
exits 1 "$waymark" untested --most 10001 tests ./program
exits 1 "$waymark" untested --function nowhere tests ./program
echo 'untested: fine'
