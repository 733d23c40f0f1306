#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# untested_paths.sh BUILD: which paths and outcomes no test took, from the profiles of the tests alone.
set -eu
waymark=$(realpath "$1")/waymark
. "$(dirname "$(realpath "$0")")/../lib.sh"

"$waymark" cc -O1 -g program.c -o program
mkdir tests
WAYMARK_FILE=tests/member.wmraw ./program 1 0 >/dev/null
WAYMARK_FILE=tests/coupon.wmraw ./program 0 1 ab >/dev/null
untested="$waymark untested tests ./program"
paths="$untested --level path"

# ---- Text
says '3 of 4 functions are entered by tests' $untested
says '0 of 4 outcomes of decisions are untested; 2 of 4 paths are tested' $untested
says 'new path: line 8 true, where the nearest tested path (path 1, 1 time in the tests) has false; both outcomes are tested' $untested
says 'nearest test: member' $untested
says '>     8  true       if (coupon)' $untested
says '1 function is entered by no test' $untested
says 'refund  program.c:12, 2 paths' $untested
says 'more untested paths (--most N shows more)' $paths
# more tests than are named, and all of them
for copy in 1 2; do
	cp tests/member.wmraw "member$copy.wmraw"
done
says 'line 45, argc > 100: true (tests that come here: all 4)' "$waymark" untested tests member1.wmraw member2.wmraw ./program
rm member1.wmraw member2.wmraw
# one profile of all tests: nothing is said of tests
"$waymark" merge -o all.wmprof tests >/dev/null
"$waymark" untested all.wmprof ./program >out
grep -q 'nearest tests*:' out && fail 'one profile has no tests to tell apart'

# ---- All paths, with distances that are computed here from the blocks of the paths
"$waymark" report --json tests/*.wmraw ./program >ran.json
"$waymark" untested --level path --json --most 10000 tests ./program >all.json
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
		([$f.paths[] | [.likely_infeasible, .distance]] | . == sort)] | length == 3 and all' >/dev/null ||
	fail 'paths or distances are not what the blocks say'
# fewer paths are the first of them
for most in 1 2 7; do
	"$waymark" untested --level path --json --most $most tests ./program >some.json
	jq -en --slurpfile all all.json --slurpfile some some.json --argjson n $most '
		[$all, $some | [.[0].functions[].paths // [] | map(select(.likely_infeasible | not).id) | .[:$n]]] | .[0] == .[1]' >/dev/null ||
		fail "--most $most does not list the nearest paths"
done
json '.schema == "waymark.untested/1" and .level == "path" and .tests == ["coupon", "member"] and
	.summary.functions == 4 and .summary.functions_entered == 3 and
	(.summary.paths == .summary.tested_paths + .summary.untested_paths) and
	(.functions[] | select(.name == "refund") | .tested == "no" and (has("paths") | not)) and
	(.functions[] | select(.name == "price") | .paths | length == 2 and .[0].id == 0 and .[0].distance == 1 and
	 .[0].count == 0 and .[0].parts_at.line == 8 and .[0].parts_at.outcome == "true" and .[0].parts_at.outcome_tested and
	 .[0].nearest.id == 1 and .[0].tests == ["member"] and .[0].likely_infeasible == false)' $paths --json
json '.functions[] | select(.name == "price").paths[0] | [., .nearest] | all((.lines | length > 3) and (.decisions | length > 1))' \
	$untested --json --expand

# where two paths start that do not start together
says 'new path: it starts at the entry, and the nearest tested path (path 7, 1 time in the tests) at the loop head in line 41; tests start here too' \
	$paths --function main
# ---- Paths that cannot be executed come last: sum is 0 in the first iteration
says 'likely infeasible: after line 21, the decision in line 28 cannot go this way' $paths --all
jq -e '.functions[] | select(.name == "kinds") | .block as $block |
	[.paths[] | select(.likely_infeasible)] | length > 0 and all(.[]; .start == "entry" and (.reason | length > 0))' all.json \
	>/dev/null || fail 'other paths than those of the first iteration are infeasible'

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
says 'line 45, argc > 100: true (tests that come here: coupon and member)' $untested --level edge --all
says '(no test comes here)' $untested --level edge --all

# ---- Both: these outcomes, and those of all untested paths that take none of them
"$waymark" untested --json --most 10000 tests ./program >both.json
jq -en --slurpfile all all.json --slurpfile edges edges.json --slurpfile both both.json '
	[$both[0].functions[] | select(.tested == "yes") | . as $f |
		([$edges[0].functions[] | select(.name == $f.name).edges[] | "\(.from) \(.to)"]) as $untested |
		([$f.edges[] | "\(.from) \(.to)"] == $untested) and
		([$all[0].functions[] | select(.name == $f.name).paths[] | . as $p |
			[range(0; (.blocks | length) - 1) | "\($p.blocks[.]) \($p.blocks[. + 1])"] as $taken |
			select(($taken - $untested) == $taken).id] | sort) as $want |
		# the back edge that ends a path is not among its blocks
		([$f.paths[].id] | sort) as $have | ($have - $want == []) and
		([($want - $have)[] as $id | $all[0].functions[] | select(.name == $f.name).paths[] | select(.id == $id).end] |
			all(. == "loop"))] | length == 3 and all' >/dev/null || fail 'not only paths over tested outcomes are listed'
"$waymark" untested tests ./program >out
[ "$(sed -n '1s/,.*//p' out)" = "$(jq -r '"\(.summary.untested_outcomes) of \(.summary.outcomes) outcomes of decisions are untested"' edges.json)" ] ||
	{ cat out && fail 'the first line does not say how many outcomes are untested'; }
# paths follow in functions that have no untested outcome, or that are asked for
says 'untested paths that take only tested outcomes:' "$waymark" untested --function price tests ./program
says 'untested paths that take only tested outcomes:' "$waymark" untested --function kinds tests ./program
"$waymark" untested tests ./program >out
sed -n '/^kinds /,/^$/p' out | grep -q '^  [0-9]* untested paths take only tested outcomes (--level path lists paths)$' || { cat out && fail 'paths of kinds'; }
sed -n '/^kinds /,/^$/p' out | grep -q ' -> ' && fail 'paths of a function with untested outcomes'
# functions with untested outcomes are the first
awk '/^  [0-9]+ of [0-9]+ outcomes? of decisions/ { if ($1 > 0 && zero) exit 1; zero = $1 == 0 }' out || { cat out && fail 'the order'; }

# ---- The field, which each of these asks for
WAYMARK_FILE=field.wmraw ./program 1 1 bc >/dev/null
"$waymark" untested --field field.wmraw --json tests/member.wmraw tests/coupon.wmraw ./program >field.json
jq -e '.schema == "waymark.residual/1" and .tested_runs == 2 and .field_runs == 1 and .summary.untested_paths > 0' field.json \
	>/dev/null || fail 'the field is not compared with the tests'
same() {
	"$waymark" "$@" --json ./program >other.json
	cmp field.json other.json || fail "waymark $* prints something else than --field"
}
same untested --tested tests/member.wmraw --tested tests/coupon.wmraw field.wmraw
same untested --tested tests/member.wmraw --field field.wmraw --tested tests/coupon.wmraw
same residual --tested tests/member.wmraw --tested tests/coupon.wmraw field.wmraw
same residual --tested tests --field field.wmraw
exits 3 "$waymark" untested --field field.wmraw --fail-if-untested tests/member.wmraw ./program
exits 0 "$waymark" untested --field field.wmraw --most 100000 tests/member.wmraw ./program
# its options are not silently ignored
for option in '--level edge' --exclude-throws '--changed HEAD' '--budget 1' --fail '--fail-under 1' '--baseline b' \
	'--write-baseline b'; do
	# shellcheck disable=SC2086 # an option and its value
	says "${option%% *} cannot be combined with profiles of the field" "$waymark" residual $option --tested tests field.wmraw ./program
done
says 'their gate is --fail-if-untested' "$waymark" untested --fail --field field.wmraw tests ./program
says 'belongs to --field' "$waymark" untested --fail-if-untested tests ./program
says 'no binary was given' "$waymark" untested --field field.wmraw tests
[ ! -e b ] || fail 'a baseline of the field was written'
# findings of the paths of the JSON document, the most frequent of each function, at the lines where they part from tested ones
"$waymark" untested --field field.wmraw --most 1 --sarif field.sarif --markdown tests ./program >field.md
jq -en --slurpfile field field.json --slurpfile sarif field.sarif '
	[$sarif[0].runs[0].results[] | select(.ruleId == "untested-in-field" and .level == "warning") |
		[.locations[0].physicalLocation.region.startLine, .partialFingerprints.waymarkDecisions[-12:],
		 (.message.text | test("ran 1 time in the field: ")), (.codeFlows[0].threadFlows[0].locations | length > 1)]] ==
	[$field[0].functions[] | .line as $line | .paths[0] // empty |
		[.parts_at.line // $line, .triage_id, true, true]]' >/dev/null || fail 'SARIF of the field'
grep -q 'ran in the field' field.md || fail 'SARIF in a file leaves out the Markdown'
"$waymark" residual --all --github --tested tests field.wmraw ./program >out
[ "$(grep -c '^::warning file=.*program.c,line=.*::Untested path of ' out)" = "$(jq '[.functions[].paths[]] | length' field.json)" ] ||
	fail 'annotations of the field'
says 'only one of --json, --markdown, --github and --sarif - can be printed' "$waymark" residual --github --markdown --tested tests field.wmraw ./program

# ---- Pages
"$waymark" untested --html pages tests ./program
grep -q 'What no test took' pages/index.html && grep -q 'nearest test: member' pages/f/*.html ||
	fail 'the pages lack something'

# ---- Gates
outcomes() {
	jq "[.functions[] | select(.name == \"$1\").edges[]] | length" edges.json
}
near() {
	jq "[.functions[] | select(.name == \"$1\").paths[] | select(.distance == 1 and (.likely_infeasible | not))] | length" all.json
}
exits 0 $untested --budget 100 --fail-under 1
for gate in outcomes near; do
	count=$($gate kinds)
	[ "$count" -gt 1 ] || fail "$gate of kinds: $count"
	level=$([ $gate = near ] && echo '--level path' || echo)
	printf '# a comment\nkinds %d\nmai*\t100\n*  2\n' "$count" >budget
	exits 0 $untested $level --budget budget
	printf 'kinds %d\n' "$((count - 1))" >budget
	exits 3 $untested $level --budget budget
done
says "kinds has $(near kinds) untested paths within one decision of a tested path, and its budget is 0" $paths --budget 0
says "kinds has $(outcomes kinds) untested outcomes, and its budget is 0" $untested --budget 0
exits 3 $untested --fail
exits 3 $paths --fail
# all outcomes of price are tested, and not all its paths
exits 0 $untested --function price --fail
exits 3 $paths --function price --fail
exits 3 $untested --fail-under 99.5
says 'of the outcomes are tested' $untested --fail-under 99.5
says 'of the paths within one decision of a tested path are tested' $paths --fail-under 99.5
# no test enters refund, which has two outcomes
exits 0 $untested --function refund --budget 2
exits 3 $untested --function refund --budget 1
exits 3 $untested --function refund --fail
printf 'main\n' >wrong
exits 1 $untested --budget wrong
says 'wrong, line 1' $untested --budget wrong
exits 1 $untested --budget nowhere
exits 1 $untested --fail-under 101

# ---- Changed lines: only paths through them
sed 's/price -= 20/price -= 21/' program.c >changed.c
diff -u --label a/program.c --label b/program.c program.c changed.c >change.diff || true
"$waymark" untested --level path --changed - --json tests ./program <change.diff >some.json
jq -en --slurpfile all all.json --slurpfile some some.json '
	([$all[0].functions[] | select(.name == "price").paths[] | select(.blocks | index(3)) | .id] | sort) as $want |
	($some[0].functions | length == 1 and .[0].name == "price" and ([.[0].paths[].id] | sort) == $want and
	 .[0].untested_paths == ($want | length)) and ($want | length == 1)' >/dev/null || fail 'other paths than the changed ones'
exits 0 sh -c "$untested --changed - --fail </dev/null"
# a decision that did not change counts if it keeps all tests from changed lines, and else not
json '.summary.outcomes == 0 and .summary.untested_paths == 1' sh -c "$untested --json --changed - <change.diff"
exits 0 sh -c "$untested --fail --changed - <change.diff"
sed 's/sum += 2/sum += 3/' program.c >changed_kinds.c
diff -u --label a/program.c --label b/program.c program.c changed_kinds.c >kinds.diff || true
json '[.functions[].edges[] | [.line, .outcome]] | sort == [[28, "true"], [28, "true"]]' sh -c "$untested --json --changed - <kinds.diff"
exits 3 sh -c "$untested --fail --changed - <kinds.diff"
# a gate that looks at other lines than those that were compiled does not hold
cp program.c compiled.c
cp changed.c program.c
exits 3 sh -c "$untested --changed - --budget 1000 <change.diff"
says 'the gate fails, because changed files are not those that were compiled' sh -c "$untested --changed - --budget 1000 <change.diff"
cp compiled.c program.c
exits 0 sh -c "$untested --changed - --budget 1000 <change.diff"
# files of which nothing is known are named
printf -- '--- a/other.c\n+++ b/other.c\n@@ -1 +1 @@\n-a\n+b\n' | cat change.diff - >two.diff
says '2 changed files, of which 1 is in the debug information; not other.c' sh -c "$untested --changed - <two.diff"
exits 1 $untested --changed-root .

# ---- A baseline
"$waymark" untested --write-baseline base.json tests ./program >/dev/null
exits 0 $untested --baseline base.json --fail
exits 0 $untested --baseline base.json --fail --level path
says 'are in the baseline and are not listed' $untested --baseline base.json
# a test less: what it took is untested again, and nothing else
"$waymark" untested --level path --baseline base.json --json --most 100 tests/coupon.wmraw ./program >lost.json
"$waymark" report --json tests/coupon.wmraw ./program >less.json
jq -en --slurpfile ran ran.json --slurpfile less less.json --slurpfile lost lost.json '
	def ids($f): [$f[0].functions[] | .name as $n | .paths // [] | .[] | "\($n) \(.id)"];
	(ids($ran) - ids($less) | sort) == (ids($lost) | sort) and ([$lost[0].functions[].paths // [] | .[].tested_in_baseline] | all)
	' >/dev/null || fail 'the paths that the baseline took and these tests do not are not listed'
exits 3 "$waymark" untested --baseline base.json --fail tests/coupon.wmraw ./program
# lines that move change nothing; a new decision is listed, and the rest of the function is not
(echo && echo && cat program.c) >moved.c
"$waymark" cc -O1 -g moved.c -o program
WAYMARK_FILE=moved/a.wmraw ./program 1 0 >/dev/null
WAYMARK_FILE=moved/b.wmraw ./program 0 1 ab >/dev/null
exits 0 "$waymark" untested --baseline base.json --fail moved ./program
sed 's/if (sum % 7 == 6)/if (sum == 12)\n\t\t\tsum++;\n\t\tif (sum % 7 == 6)/; s/if (argc > 100)/if (argc > 101)/' moved.c >grown.c
"$waymark" cc -O1 -g grown.c -o program
WAYMARK_FILE=grown/a.wmraw ./program 1 0 >/dev/null
WAYMARK_FILE=grown/b.wmraw ./program 0 1 ab >/dev/null
"$waymark" untested --baseline base.json --level edge --json grown ./program >new.json
jq -e '[.functions[] | select(.edges | length > 0) | [.name, (.edges[] | .line, .outcome)]] ==
	[["kinds", 36, "true"], ["main", 49, "true"]] or
	[.functions[] | select(.edges | length > 0) | [.name, (.edges[] | .line, .outcome)]] ==
	[["main", 49, "true"], ["kinds", 36, "true"]]' new.json >/dev/null || { cat new.json && fail 'not only the new outcomes'; }
"$waymark" untested --level path --baseline base.json --json --most 1000 grown ./program >new.json
jq -e '[.functions[] | .name as $n | .block as $block | .paths // [] | .[] | .blocks as $b |
	any(range(0; $b | length); $block[$b[.]].decision.line == (if $n == "kinds" then 36 else 49 end))] |
	length > 5 and all' new.json >/dev/null || fail 'a path without a new decision is listed'
says 'graph of 1 function differs from the baseline' "$waymark" untested --baseline base.json grown ./program
echo '{"schema":"waymark.baseline/1","functions":[{"name":3}]}' >wrong
exits 1 "$waymark" untested --baseline wrong grown ./program
says 'is no baseline' "$waymark" untested --baseline wrong grown ./program
echo '{' >wrong
exits 1 "$waymark" untested --baseline wrong grown ./program
exits 1 "$waymark" untested --baseline nowhere grown ./program

# ---- SARIF, with what the standard requires
"$waymark" untested --level path --sarif out.sarif --most 3 grown ./program >out
[ -s out ] && fail 'text is printed beside SARIF'
jq -e '.version == "2.1.0" and (.["$schema"] | test("sarif-schema-2.1.0.json$")) and (.runs | length == 1) and (.runs[0] |
	(.tool.driver | .name == "Waymark" and all(.rules[]; (.id | type == "string") and (.shortDescription.text | length > 0))) and
	(.tool.driver.rules as $rules | .results | length > 8 and all(.[];
		.ruleId == $rules[.ruleIndex].id and (.message.text | length > 10) and
		(.level | IN("none", "note", "warning", "error")) and
		(.locations | length == 1 and all(.[].physicalLocation;
			.artifactLocation.uri == "grown.c" and .region.startLine >= 1)) and
		(if .ruleId == "untested-path" then
			(.partialFingerprints | length == 1 and all(.[]; test("^[0-9a-f]{16}$"))) and
			(.codeFlows[0].threadFlows[0].locations | length > 0 and
			 all(.[]; .location.physicalLocation.region.startLine >= 1)) else true end) and
		all(.relatedLocations // [] | .[]; (.message.text | length > 0) and (.id | type == "number") and
			.physicalLocation.artifactLocation.uri == "grown.c")))) and
	([.runs[0].results[] | select(.ruleId == "untested-path").partialFingerprints[]] | length == (unique | length))' \
	out.sarif >/dev/null || fail 'the SARIF file lacks something'
"$waymark" untested --level path --sarif - --most 3 grown ./program >out
cmp out out.sarif || fail '--sarif - prints something else'
# what a gate counts: outcomes
"$waymark" untested --json grown ./program >edges.json
"$waymark" untested --sarif - grown ./program | jq -e --slurpfile edges edges.json '
	([.runs[0].results[] | select(.ruleId == "untested-outcome")] | length) == ([$edges[0].functions[].edges // [] | .[]] | length) and
	all(.runs[0].results[]; .ruleId != "untested-path")' >/dev/null || fail 'SARIF has not what gates count'

# ---- Annotations, one command per line whatever the names are
mkdir 'odd,a:b%'
printf '#line 1 "odd,a:b%%/new\\nline\\033.c"\n' | cat - program.c >odd.c
"$waymark" cc -O1 -g odd.c -o odd
WAYMARK_FILE=odd.wmraw ./odd 1 0 >/dev/null
"$waymark" untested --level path --github --function price odd.wmraw ./odd >out
[ "$(grep -c '^::warning file=[^:,]*,line=[68],col=[0-9]*,title=[^:,]*::' out)" = "$(wc -l <out)" ] ||
	{ cat out && fail 'an annotation is not one command'; }
grep -qF '%2Ca%3Ab%25' out || { cat out && fail 'a property is not escaped'; }
grep -q "$(printf '\033')" out && fail 'a control character is printed'
exits 1 "$waymark" untested --github --json odd.wmraw ./odd

# ---- Paths across calls are not sought: outcomes instead
"$waymark" cc -O1 -g -fwaymark-scheme=piecewise program.c -o across
mkdir -p across.tests
WAYMARK_FILE=across.tests/a.wmraw ./across 1 0 >/dev/null
says 'paths are not sought here, because its paths cross calls' "$waymark" untested across.tests ./across
"$waymark" untested --json across.tests ./across >some.json
"$waymark" cc -O1 -g program.c -o program
"$waymark" untested --level edge --json tests/member.wmraw ./program >edges.json
jq -en --slurpfile a some.json --slurpfile b edges.json '
	[$a, $b | [.[0].functions[] | .name as $n | .edges // [] | .[] | "\($n) \(.from) \(.to)"] | sort] | .[0] == .[1] and
	(.[0] | length > 3)' >/dev/null || fail 'paths across calls take other outcomes than paths of functions'
exits 3 "$waymark" untested --function refund --fail across.tests ./across
exits 3 "$waymark" untested --function refund --budget 1 across.tests ./across

# ---- Profiles of another version: what is not known fails a gate
sed 's/if (sum % 7 == 6)/if (sum == 12)\n\t\t\tsum++;\n\t\tif (sum % 7 == 6)/' program.c >other.c
mkdir other
"$waymark" cc -O1 -g other.c -o other/program
says 'function kinds: the profile is of another version of its graph' "$waymark" untested tests other/program
"$waymark" untested tests other/program | grep -q '^  kinds ' && fail 'a function of which nothing is known is called untested'
exits 3 "$waymark" untested --budget 100 tests other/program
exits 3 "$waymark" untested --function kinds --fail-under 0 tests other/program
exits 0 "$waymark" untested --function price --fail-under 0 tests other/program
says 'no function that is compiled with Waymark has a changed line' sh -c "$waymark untested --changed - tests other/program </dev/null"

# ---- A test that leaves its functions by exit completes no path of main
# … of which, without described calls, nothing is known.
"$waymark" cc -O1 -g -fwaymark-unfinished=off leaves.c -o leaves
WAYMARK_FILE=returns.wmraw ./leaves 1
WAYMARK_FILE=leaves.wmraw ./leaves 3
says 'tests enter this function but complete no path of it' "$waymark" untested leaves.wmraw ./leaves
json '.functions[] | select(.name == "main") | .tested == "entered" and .untested_paths == 0 and .unknown_paths == 1 and .paths == []' \
	"$waymark" untested --json leaves.wmraw ./leaves
"$waymark" untested --write-baseline base.json returns.wmraw ./leaves >/dev/null
exits 0 "$waymark" untested --baseline base.json --function main --fail leaves.wmraw ./leaves
grep -q 'activations were left inside calls of 1 function' out || { cat out && fail "what is not known"; }
exits 0 "$waymark" untested --baseline base.json --fail returns.wmraw leaves.wmraw ./leaves

# ---- Exceptions
"$waymark" c++ -O1 -g throws.cpp -o throws
WAYMARK_FILE=throws.wmraw ./throws 1
says 'a call throws an exception (--exclude-throws leaves' "$waymark" untested throws.wmraw ./throws
json '.functions[] | select(.name | test("careful")) | .untested_paths > 1 and .untested_outcomes > 1' \
	"$waymark" untested --json throws.wmraw ./throws
json '.functions[] | select(.name | test("careful")) | .untested_paths == 1 and .untested_outcomes == 1 and
	(.paths | length == 1 and .[0].parts_at.line == 14 and .[0].parts_at.outcome == "true")' \
	"$waymark" untested --level path --exclude-throws --json throws.wmraw ./throws

# ---- `report` and `untested` count the same functions, also those that are refused, and say where they do not.
printf '%s\n' 'int twice(int x) { if (x > 1) return 2;' '#ifdef MORE' 'if (x > 4) return 5;' '#endif' 'return 1; }' \
	'int unused(int x) { return x ? 1 : 2; }' 'int main(int c, char **v) { (void)v; return twice(c) - 1; }' >changing.c
"$waymark" cc -O1 -g changing.c -o changing
WAYMARK_FILE=changing.wmraw ./changing
says '2 of 3 functions ran, ' "$waymark" report changing.wmraw ./changing
says '2 of 3 functions are entered by tests, ' "$waymark" untested changing.wmraw ./changing
cp changing copied
says '2 of 6 functions ran, ' "$waymark" report changing.wmraw ./changing ./copied
says '2 of 3 functions are entered by tests, ' "$waymark" untested changing.wmraw ./changing ./copied
says '3 of these functions are in several binaries and counted once' "$waymark" untested changing.wmraw ./changing ./copied
"$waymark" cc -O1 -g -DMORE changing.c -o changing
says '1 of 3 functions ran and 1 is refused, ' "$waymark" report changing.wmraw ./changing
says '1 of 3 functions is entered by tests and 1 is refused, ' "$waymark" untested changing.wmraw ./changing
json '.summary.functions == 2 and .summary.functions_refused == 1' "$waymark" untested --json changing.wmraw ./changing

# Outcomes in which a call throws are the last.
json '.functions[] | select(.name | test("careful")) | [.edges[].outcome == "threw"] | (. == sort) and any and (all | not)' \
	"$waymark" untested --json throws.wmraw ./throws

# ---- Sentences: a subject, and what it does.  The optimised graph often knows only where control goes.
says 'line 10 threw, where the nearest tested path (path 1, 1 time in the tests) returned; no test goes this way' \
	"$waymark" untested --level path --function careful throws.wmraw ./throws
"$waymark" cc -O2 -g -fwaymark-cfg=optimised goes.c -o goes
WAYMARK_FILE=goes.wmraw ./goes 5 >/dev/null || : # it exits with what it printed
"$waymark" untested --level path goes.wmraw ./goes >goes.txt
grep -qE 'line 10:17 goes to line 12:13, where the nearest tested path \(.*\) goes to line 12:23; ' goes.txt ||
	{ cat goes.txt && fail "two places of a line are told by their columns"; }
! grep -qE 'has (to|returned|threw)' goes.txt || { cat goes.txt && fail "words that make no sentence"; }

# ---- What an outcome leads to: in order of that
"$waymark" cc -O0 -g behind.c -o behind
WAYMARK_FILE=behind.wmraw ./behind 1 0 >/dev/null
"$waymark" untested --json behind.wmraw ./behind >behind.json
jq -e '[.functions[] | select(.name == "region").edges[] | [.line, .outcome, .distance, .behind]] ==
	[[5, "case 2", 1, 4], [20, "true", 1, 2], [5, "default", 1, 0], [22, "true", 1, 0], [24, "true", 1, 0],
	 [10, "true", 2, 0], [10, "false", 2, 0], [21, "true", 2, 0], [21, "false", 2, 0], [11, "true", 3, 0], [11, "false", 3, 0]]' \
	behind.json >/dev/null || { jq -c '.functions[].edges[] | [.line, .outcome, .distance, .behind]' behind.json && fail 'what is behind outcomes'; }
says '  line 5 case 2; 4 untested outcomes are behind it' "$waymark" untested behind.wmraw ./behind

# ---- A number of possible paths that nobody can compare leads nowhere
awk 'BEGIN { print "int many(int x)\n{\n\tint s = 0;"; for (i = 0; i < 40; i++) printf "\tif (x & %d)\n\t\ts += x + %d;\n", 2^(i % 20), i
	print "\treturn s;\n}\nint main(int c, char **v)\n{\n\t(void)v;\n\treturn many(c - 1);\n}" }' >many.c
"$waymark" cc -g -O0 many.c -o many
WAYMARK_FILE=many.wmraw ./many
says '40 of 80 outcomes of decisions are untested, 2 of 2 functions are entered by tests, 2 of their paths are tested' \
	"$waymark" untested many.wmraw ./many
says '  40 of 80 outcomes of decisions are untested; 1 of 10^12.0 paths is tested' "$waymark" untested many.wmraw ./many
says '2^40 paths' printf '2^%d paths' "$(jq -n "$("$waymark" untested --json many.wmraw ./many | jq '.summary.paths - 1') | log2")"

# ---- How many paths --all prints: beside outcomes as --most says, and otherwise 100, or more if --most says so
listed() {
	name=$1 count=$2
	shift 2
	found=$("$waymark" untested --json "$@" | jq --arg name "$name" '.functions[] | select(.name == $name) | .paths | length')
	[ "$found" = "$count" ] || fail "$found paths of $name are listed instead of $count: untested $*"
}
listed kinds 2 --all --most 2 tests ./program
listed kinds 3 --all tests ./program
listed kinds 23 --level path --all --most 2 tests ./program
{
	echo 'int main(int argc, char **argv) { int sum = 0;'
	for bit in 0 1 2 3 4 5 6 7; do echo "if (argv[1][$bit] == '1') sum += $bit;"; done
	echo 'return argc + sum == 0; }'
} >eight.c
"$waymark" cc -O1 -g eight.c -o eight
WAYMARK_FILE=eight.wmraw ./eight 00000000
listed main 100 --level path --all eight.wmraw ./eight
listed main 200 --level path --all --most 200 eight.wmraw ./eight

# ---- Mistakes
exits 1 "$waymark" untested ./program
exits 1 "$waymark" untested tests
exits 1 "$waymark" untested --field field.wmraw --fail tests/member.wmraw ./program
exits 1 "$waymark" untested --level line tests ./program
exits 1 "$waymark" untested --most 10001 tests ./program
exits 1 "$waymark" untested --function nowhere tests ./program
echo 'untested: fine'
