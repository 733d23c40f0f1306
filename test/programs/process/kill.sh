# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Killed with SIGKILL at random times, 100 times: every raw file reads back whole and
# holds at least what the program had announced before.
cat >program.c <<'END'
#include <stdio.h>
#include <unistd.h>
#define D(i) if (x >> i & 1) r += i; else r ^= i;
__attribute__((noinline)) unsigned big(unsigned x) { unsigned r = 0; D(0) D(1) D(2) D(3) D(4) D(5) D(6) D(7) D(8) D(9) D(10) D(11) D(12) D(13) D(14) D(15) D(16) D(17) D(18) return r; }
__attribute__((noinline)) unsigned small(unsigned x) { return x % 3 ? x + 1 : x - 1; }
int main(void)
{
	for (unsigned i = 1;; i++) {
		big(i % 700 * 747);
		small(i);
		if (i % 64 == 0) {
			char line[16];
			int n = snprintf(line, sizeof line, "%010u\n", i);
			if (write(1, line, n) != n) return 1;
		}
	}
}
END
must "$waymark" cc -O2 program.c -o program
: >rounds
round=0
while [ "$(wc -l <rounds)" -lt 100 ]; do
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
