#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# untested_functions.sh BUILD: a residual build counts functions that no test ran as a complete build does, with the time of each
# path, in threads and forked children, in arrays and in hash tables, with every way to update counters, and after a reset.
set -eu
waymark=$(realpath "$1")/waymark
. "$(dirname "$(realpath "$0")")/../lib.sh"

echo 'int main(void) { return 0; }' >other.c
"$waymark" cc other.c -o other
WAYMARK_FILE=other.wmraw ./other
"$waymark" merge -o tests.wmprof other.wmraw >/dev/null

# The paths and counts of a process and of its child.
counts() { # DIRECTORY BINARY
	for file in "$1"/*; do
		"$waymark" report --json "$file" "$2" |
			jq -c '[.functions[] | select(.name != "main") | {name, paths: [.paths[] | [.id, .count]]}] | sort_by(.name)'
	done | sort
}
timed='[.functions[].paths[] | select((.first_seen // 0) == 0 or .pid == 0)] == []'

for options in '' -fwaymark-cfg=optimised -fwaymark-update=delta -fwaymark-update=atomic; do
	# shellcheck disable=SC2086
	"$waymark" cc -O2 -pthread $options program.c -o complete
	# shellcheck disable=SC2086
	"$waymark" cc -O2 -pthread $options -fwaymark-residual=tests.wmprof program.c -o residual
	for how in '' r; do
		rm -rf whole untested && mkdir whole untested
		# shellcheck disable=SC2086
		WAYMARK_FILE=whole/%p.wmraw ./complete $how && WAYMARK_FILE=untested/%p.wmraw ./residual $how
		counts whole complete >expected
		counts untested residual >got
		[ -s expected ] || fail "$options: nothing was counted"
		cmp expected got || fail "$options $how: the residual build counts something else"
		for file in untested/*; do
			json "$timed" "$waymark" report --json "$file" residual
		done
	done
done
