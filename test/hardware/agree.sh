#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# agree.sh BUILD [FILE.c]: paths counted by instrumentation at -O0 on the graph `source`, and by
# the path detector on a plain build.
#
# Blocks and branch outcomes have no common names, so paths are compared by function, start,
# end and count, as multisets: all paths of every function without indirect jumps.
set -eu
build=$(realpath "$1") here=$(dirname "$(realpath "$0")")
program=$(realpath "${2-$here/agree.c}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
unset WAYMARK_FILE
code=0
"$build/waymark" cc -O0 -g -fwaymark-cfg=source -w "$program" -o counted
WAYMARK_FILE=counted.wmraw ./counted >counted.out || code=$?
"$build/waymark" report --json --scope=all --all counted.wmraw ./counted >software.json
clang-19 -O0 -g -w "$program" -o plain
status=0
"$build/waymark" hw --quiet -o plain.wmprof -- ./plain >plain.out || status=$?
[ "$code" = "$status" ] || { echo "exit code $status under QEMU, $code without"; exit 1; }
cmp counted.out plain.out
"$build/waymark" report --json --all plain.wmprof ./plain >hardware.json

cat >common.jq <<'JQ'
def lines: sort | group_by(.) | map("\(length) x \(.[0])") | .[];
JQ
jq -r -n --slurpfile s software.json 'include "common"; [$s[0].functions[] | .name as $n | .paths[] |
	"\($n) \(.start) \(.end | if . == "backedge" then "backward branch" else . end) \(.count)"] | lines' -L . >software.txt
# A path starts at the function or behind it, in a loop.
jq -r -n --slurpfile h hardware.json --slurpfile s software.json 'include "common";
	($s[0].functions | map(.name)) as $known |
	[$h[0].paths[] | select((.object // "") | endswith("/plain")) | select(.function as $f | $known | index($f))] |
	group_by(.function) | map(select(all(.[]; .end != "indirect jump"))) | flatten | group_by(.function) |
	map((map(.start) | min) as $low | .[] | "\(.function) \(if .start == $low then "entry" else "loop" end) \(.end) \(.counts.frequency)") |
	lines' -L . >hardware.txt
# Functions with indirect jumps are in neither.
cut -d' ' -f3 hardware.txt | sort -u >compared
awk 'NR == FNR {keep[$1] = 1; next} keep[$3]' compared software.txt >software.kept
[ -s hardware.txt ] || { echo "no path was found"; exit 1; }
diff software.kept hardware.txt || { echo "instrumentation (<) and path detector (>) differ"; exit 1; }
echo "$(wc -l <hardware.txt) classes of paths of $(wc -l <compared) functions agree"
