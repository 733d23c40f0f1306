#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Killed at random times, 100 times: every file reads back whole and holds at least what was announced.
. "$(dirname "$0")/lib.sh"
build subject subject.c
i=0
while [ $i -lt 100 ]; do
	fresh
	(cd run && exec ../subject kill >announced.txt) &
	pid=$!
	sleep "$(awk -v seed=$i 'BEGIN { srand(seed); printf "%.4f", rand() * 0.03 }')"
	kill -9 $pid
	wait $pid 2>/dev/null || true
	i=$((i + 1))
	[ -n "$(find run -name '*.wmraw')" ] || { [ ! -s run/announced.txt ] && continue; }
	files 1
	announced=$(awk '/^announced [0-9]+$/ { n = $2 } END { print n + 0 }' run/announced.txt)
	for key in 1 2 3 4 11 12 13 14 21 22 23 24; do
		awk -v key=$key -v least="$announced" '$1 == "func" && $3 == key && ($6 < least || $6 > $4 || $9) { print; bad = 1 }
			END { exit bad }' dump.txt || die "round $i: fewer counts than the $announced announced"
	done
done
