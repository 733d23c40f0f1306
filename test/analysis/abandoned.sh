#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# abandoned.sh BUILD: what activations did that were left inside calls, if it is not known (process/left.sh has the paths that are
# known), is neither untested nor 0, and lines before a second return of
# setjmp are counted once.
set -eu
waymark=$(realpath "$1")/waymark
. "$(dirname "$(realpath "$0")")/../lib.sh"
export WAYMARK_UNFINISHED=off

# lcov FILE.wmraw PROGRAM: its lines and outcomes, in one line
lcov() {
	"$waymark" export --format lcov "$@" 2>/dev/null | grep -E '^(DA|BRDA|BRF|BRH|LF|LH):' | tr '\n' ' '
}
# expects WHAT LCOV: what `lcov` prints contains these lines, as words; those with a bang are missing
expects() {
	text=" $1 "
	shift
	for word; do
		case $word in
		!*) case $text in *" ${word#!}"*) fail "$word in:$text" ;; esac ;;
		*) case $text in *" $word "*) ;; *) fail "no $word in:$text" ;; esac ;;
		esac
	done
}
build() {
	"$waymark" cc -O1 -g $1.c -o $1
	WAYMARK_FILE=$1.wmraw ./$1 >/dev/null
}

# exit in a callee: of main, nothing behind the first decision is known but that nothing follows the last call.
build callee
expects "$(lcov callee.wmraw callee)" DA:6,1 DA:7,1 !DA:8 !DA:9 DA:10,0 !BRDA BRF:0 LF:5 LH:4
"$waymark" export --format cobertura callee.wmraw callee 2>/dev/null >callee.xml
grep -q '<line number="7" hits="1"/>' callee.xml || { cat callee.xml && fail "cobertura: an unknown decision"; }
! grep -q 'number="[89]"' callee.xml || { cat callee.xml && fail "cobertura: an unknown line"; }
says '^ true ?, false ?' "$waymark" report --source callee.c callee.wmraw callee
json '.decisions[0].outcomes | map(.count) == [null, null]' "$waymark" report --source callee.c --json callee.wmraw callee
for level in path edge; do
	says 'not known: whether tests took 2 outcomes' "$waymark" untested --level $level callee.wmraw callee
	says 'something is not known of 1 function' "$waymark" untested --level $level callee.wmraw callee
	exits 0 "$waymark" untested --level $level --fail callee.wmraw callee
	grep -q 'activations were left inside calls of 1 function' out || { cat out && fail "the gate does not say what is not known"; }
	json '.summary | .outcomes == 0 and .untested_outcomes == 0 and .unknown_outcomes == 2' \
		"$waymark" untested --json --level $level callee.wmraw callee
	"$waymark" untested --level $level --sarif - callee.wmraw callee | jq -e '.runs[0].results == []' >/dev/null || fail "SARIF"
done
json '.summary | .paths == 1 and .tested_paths == 1 and .untested_paths == 0 and .unknown_paths == 2' "$waymark" untested --json callee.wmraw callee
"$waymark" report --html pages callee.wmraw callee >/dev/null
page_data pages/s/*.js >pages.all
grep -q '8,-1,9,-1,10,0' pages.all || fail "pages: $(grep -o 'lines.*' pages.all)"
grep -q '"true",-1,"false",-1' pages.all || fail "pages: $(grep -o 'decisions.*' pages.all)"

# One activation of many: what others took stays, what the loop would do later is known not to have run.
build step
expects "$(lcov step.wmraw step)" DA:4,4 DA:6,4 !DA:7 DA:8,3 DA:9,1 DA:10,2 DA:14,4 DA:15,3 DA:16,0 \
	!BRDA:6,0,0 BRDA:6,0,1,3 BRDA:8,0,0,1 BRDA:8,0,1,2 BRDA:14,0,0,3 BRDA:14,0,1,0
json '[.functions[] | select(.name == "step" or .name == "main") | [.name, .untested_outcomes, .unknown_outcomes, .untested_paths, .unknown_paths]] |
	sort == [["main", 1, 0, 2, 0], ["step", 0, 1, 0, 2]]' "$waymark" untested --json step.wmraw step

# The second return of setjmp: what precedes the call ran once, and the decision behind it had both outcomes.
build twice
expects "$(lcov twice.wmraw twice)" DA:8,1 DA:9,1 DA:10,1 DA:11,1 DA:13,1 !DA:14 DA:15,0 BRDA:8,0,0,1 BRDA:8,0,1,0 BRDA:10,0,0,1 \
	BRDA:10,0,1,1 !BRDA:13,0,0 BRDA:13,0,1,1
"$waymark" export --format callgrind twice.wmraw twice 2>/dev/null | grep -qx '9 1' || fail "callgrind counts line 9 twice"

# Programs that say themselves which lines they execute: no line that ran is 0 in an export, and no count is too large.
"$waymark" cc -O1 -g mix.c -o mix
"$waymark" cc -O1 -g -fwaymark-scheme=kiter=2 mix.c -o mix2
"$waymark" cc -O1 -g -fwaymark-scheme=loopcontext mix.c -o mix3
known=0
for seed in 1 2 3 4 5 6 7 8; do
	for program in mix mix2 mix3; do
		rm -f ran.txt mix.wmraw
		WAYMARK_FILE=mix.wmraw ./$program $seed
		"$waymark" export --format lcov mix.wmraw ./$program 2>/dev/null | sed -n 's/^DA:\([0-9]*\),/\1 /p' >lines.txt
		# Only of lines that say whether they ran.
		grep -n '^	*HERE;' mix.c | grep -v 'for (' | cut -d: -f1 >marked.txt
		awk 'FILENAME == "marked.txt" { marked[$1]; next } FILENAME == "ran.txt" { ran[$1] = $2; next }
			$1 in marked && $2 == 0 && ran[$1] { print "line " $1 " is 0 and ran " ran[$1] " times" }
			$1 in marked && $2 > ran[$1] + 0 { print "line " $1 " has " $2 " and ran " ran[$1] + 0 " times" }' \
			marked.txt ran.txt lines.txt >wrong.txt
		[ ! -s wrong.txt ] || { cat wrong.txt && fail "$program $seed"; }
		known=$((known + $(wc -l <lines.txt)))
	done
done
[ "$known" -gt 600 ] || fail "only $known lines are known"
