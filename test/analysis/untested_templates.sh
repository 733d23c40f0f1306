#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# untested_templates.sh BUILD: instances of a template are one function, unless --instances tells them apart.
set -eu
waymark=$(realpath "$1")/waymark
. "$(dirname "$(realpath "$0")")/../lib.sh"

"$waymark" c++ -O0 -g -std=c++17 program.cpp -o program
mkdir tests
WAYMARK_FILE=tests/many.wmraw ./program 1 20 3 4 5 6 >/dev/null
WAYMARK_FILE=tests/one.wmraw ./program 5 >/dev/null
untested="$waymark untested tests ./program"

# Of each function, what no test takes is what no test takes of any of its instances.
$untested --json --level path --most 10000 >joined.json
$untested --json --level path --most 10000 --instances >apart.json
$untested --json --level outcome >joined_outcomes.json
$untested --json --level outcome --instances >apart_outcomes.json
jq -en --slurpfile joined joined.json --slurpfile apart apart.json \
	--slurpfile joined_outcomes joined_outcomes.json --slurpfile apart_outcomes apart_outcomes.json '
	def common: reduce .[1:][] as $other (.[0]; . - (. - $other)) | sort;
	def of($document; $names): [$document.functions[] | select(.name | IN($names[]))];
	[$joined[0].functions[] | select(.instances) | . as $f |
		[.instances[].name] as $names | of($apart[0]; $names) as $each |
		($each | length) == ($names | length) and ($names | length) > 1 and
		.executions == ([$each[].executions // 0] | add) and
		all(.instances[]; . as $i | .executions == ([$each[] | select(.name == $i.name).executions // 0] | add)) and
		(if .tested == "no" then all($each[]; .tested == "no") else
			([.paths[].id] | sort) == ([$each[] | if .tested == "no" then [range(0; .paths_possible)] else [.paths[].id] end] | common) and
			([of($joined_outcomes[0]; [$f.name])[].edges[] | "\(.from) \(.to)"] | sort) ==
			([of($apart_outcomes[0]; $names)[] | select(.tested != "no") | [.edges[] | "\(.from) \(.to)"]] | common)
		end)] | length == 5 and all' >/dev/null || fail 'an instance is not joined as its paths say'
jq -e '[.functions[] | select(.instances).demangled] | sort == ["clamp<>", "never<>", "stack<>::push", "stack<>::stack", "width<>"]' \
	joined.json >/dev/null || fail 'names of templates'
jq -e '[.functions[] | select(.demangled | test("width")) | .instances | length] | sort == [0, 2]' joined.json >/dev/null ||
	fail 'an instance with another graph is joined'
jq -e 'all(.functions[]; .instances | not)' apart.json >/dev/null || fail '--instances joins'
says 'width<>  program.cpp:23' $untested
says "5 of these functions stand for $(jq '[.functions[].instances // [] | .[]] | length' joined.json) instances of templates" $untested
says '2 instances: int width<int>(int), int width<long>(long)' $untested
one="$waymark untested tests/one.wmraw ./program"
says '3 instances: char clamp<char>(char, char, char) (never ran), int clamp<int>(int, int, int), long clamp<long>(long, long, long)' $one
says 'never<>  program.cpp:30, 1 path' $one
json '.functions | length == 1 and (.[0].instances | length) == 3' $untested --json --function 'clamp<long>'
says 'stack<long>::push(long)  program.cpp:14' $untested --instances
exits 0 $untested --function '*clamp*' --fail
exits 3 $untested --function '*clamp*' --fail --instances
# the tests that come closest are those of all instances
"$waymark" untested --function '*push*' --json tests/one.wmraw ./program >one.json
jq -e '.functions[0].edges | length == 1' one.json >/dev/null || fail 'push'
$untested --html pages >/dev/null
grep -q 'clamp&lt;&gt;' pages/index.html || fail 'the pages have no templates'

# A baseline holds when another instance represents the template.
$untested --write-baseline base.json >/dev/null
"$waymark" c++ -O0 -g -std=c++17 -DEARLIER program.cpp -o program
mkdir earlier
WAYMARK_FILE=earlier/many.wmraw ./program 1 20 3 4 5 6 >/dev/null
WAYMARK_FILE=earlier/one.wmraw ./program 5 >/dev/null
json '.functions[] | select(.demangled == "clamp<>") | .name | test("Ib")' "$waymark" untested --json earlier ./program
exits 0 "$waymark" untested --baseline base.json --function '*clamp*' --fail earlier ./program
exits 0 "$waymark" untested --baseline base.json --function '*never*' --fail earlier ./program

says '--instances cannot be combined with profiles of the field' \
	"$waymark" untested --instances --field tests/one.wmraw tests/many.wmraw ./program
echo 'templates: fine'
