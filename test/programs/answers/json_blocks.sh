# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The report as JSON names the lines and the decision of a block once, in a table of its function.  What --expand repeats in
# every path is what the table says of the blocks of the path.
# told FILE: the lines and decisions of every path, computed from the tables of blocks of functions
told() {
	jq -c '.functions as $all | $all[] | .name as $name | .paths[] |
		[.path // (.blocks | map("\($name):\(.)")) | .[] | select(. != "(" and . != ")")] as $places |
		((.context // []) | map(select(. != "(" and . != ")"))) as $before |
		($before + $places | map(capture("^(?<f>.*):(?<b>[0-9]+)$") | .b |= tonumber)) as $path |
		.to as $to |
		[range($path | length) as $i | $path[$i] as $at | first($all[] | select(.name == $at.f)).block[$at.b] as $block |
			{at: $at, block: $block, next: (if $i + 1 < ($path | length) then $path[$i + 1].b else $to end)}] as $steps |
		{name: $name, id,
		decisions: [$steps[] | select(.block.decision) | .next as $next | .at as $at | .block.decision |
			(.outcomes[] | select(.to == $next)) as $taken | {block: $at.b, line, column, outcome: $taken.outcome, condition: $taken.condition}],
		lines: [$steps[] | .next as $next | .block | .lines[],
			(select(.decision and any(.decision.outcomes[]; .to == $next) and .decision.line > 0) | "\(.decision.file):\(.decision.line)")] |
			unique}' "$1"
}
for scheme in acyclic kiter=2 loopcontext; do
	must "$waymark" cc -O1 -fwaymark-scheme=$scheme program.c -o program
	must env WAYMARK_FILE=$scheme.wmraw ./program
	"$waymark" report --json $scheme.wmraw ./program >table.json || fail "report"
	"$waymark" report --json --expand $scheme.wmraw ./program >expanded.json || fail "report --expand"
	jq -e 'all(.functions[].paths[]; has("lines") or has("decisions") | not) and
		all(.functions[]; (.block | length) == .blocks)' table.json >/dev/null || fail "$scheme: lines or decisions in paths"
	jq -e 'any(.functions[].block[]; .decision | .outcomes? // [] | length > 2)' table.json >/dev/null || fail "$scheme: the switch"
	told table.json >computed.txt
	jq -c '.functions[] | .name as $name | .paths[] | {name: $name, id,
		decisions: [.decisions[] | {block, line, column, outcome, condition}], lines: (.lines | unique)}' expanded.json >expanded.txt
	[ -s expanded.txt ] || fail "$scheme: no paths"
	cmp computed.txt expanded.txt || { diff computed.txt expanded.txt | head -n 4; fail "$scheme: the table says something else"; }
	jq -c '[.functions[] | del(.paths[] | .lines, .decisions)]' expanded.json >a
	jq -c .functions table.json | cmp - a || fail "$scheme: --expand changes other members"
done
"$waymark" report --expand acyclic.wmraw ./program >out 2>&1 && fail "--expand without --json"
grep -q -- '--expand needs --json' out || fail "$(cat out)"

# residual has the same table
must "$waymark" cc -O1 program.c -o program
must env WAYMARK_FILE=tested.wmraw ./program
must env WAYMARK_FILE=field.wmraw ./program 1 2 3 4 5
"$waymark" residual --json --tested tested.wmraw field.wmraw ./program >residual.json || fail "residual"
"$waymark" residual --json --expand --tested tested.wmraw field.wmraw ./program >expanded.json || fail "residual --expand"
jq -e '[.functions[].paths[]] | length > 0 and all(has("lines") | not)' residual.json >/dev/null || fail "residual: lines in paths"
jq -e 'any(.functions[].block[]; .decision)' residual.json >/dev/null || fail "residual: no table"
jq -e '[.functions[].paths[]] | length > 0 and all(has("lines") and has("decisions"))' expanded.json >/dev/null || fail "residual --expand"
