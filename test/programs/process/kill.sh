# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Killed with SIGKILL at random times, 40 times or, with WHOLE, 100 times: every raw file reads back whole and
# holds at least what the program had announced before.
must "$waymark" cc -O2 program.c -o program
: >rounds
round=0 wanted=${WHOLE:+100}
while [ "$(wc -l <rounds)" -lt ${wanted:-40} ]; do
	round=$((round + 1))
	[ $round -le 400 ] || fail "only $(wc -l <rounds) of 400 rounds announced anything"
	rm -f run.wmraw announced
	WAYMARK_FILE=run.wmraw ./program >announced 2>err &
	pid=$!
	sleep "0.0$(awk -v s="$round" 'BEGIN { srand(s); printf "%03d", rand() * 400 }')"
	kill -9 $pid
	wait $pid 2>/dev/null || true
	# Killed before it said anything, there is nothing to hold it to; killed inside write, the last line is cut.
	least=$(grep -x '[0-9]\{10\}' announced | tail -n 1 | sed 's/^0*//')
	[ -n "$least" ] || continue
	"$waymark" merge -o merged.wmprof run.wmraw >log 2>&1 || { cat log; fail "round $round: merge"; }
	[ ! -s log ] || ! grep -qi 'damaged\|lost\|truncated' log || { cat log; fail "round $round: not whole"; }
	report ./program run.wmraw
	expect "total(\"big\") >= $least and total(\"small\") >= $least"
	echo "$least" >>rounds
done
