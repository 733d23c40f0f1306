#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# wpp.sh BUILD: `waymark hw --wpp`, and `waymark wpp` on what it writes.
. "$(dirname "$0")/lib.sh"
check=$build/test/hardware/wpp_check

# record STATUS PROGRAM…: run.wmwpp and run.wmtrace of one run; checked holds what the trace says
record() {
	want=$1 got=0
	shift
	"$waymark" hw --quiet --wpp run.wmwpp --record run.wmtrace -- "$@" >out 2>err || got=$?
	[ "$got" = "$want" ] || { cat err; fail "exit code $got instead of $want: $*"; }
	"$check" run.wmtrace run.wmwpp >checked || { cat checked; fail "the recording of $* is not its trace"; }
}

# A program without a library, whose addresses are those of the file: all paths, by hand.
clang-19 -O0 -g -ffreestanding -nostdlib -static -fno-pie bare.c -o bare
record 1 ./bare
"$waymark" wpp --dump --json run.wmwpp ./bare >dump.json
# Each iteration: from the head of the loop into the call, the callee, and from the call to the backward jump.  The
# exit of the loop never ends.
jq -ce '[.dump[] | [.function, .outcomes, .end]] == [
	["_start", "0", "call"], ["odd", "", "return"], ["_start", "111", "backward branch"],
	["_start", "0", "call"], ["odd", "", "return"], ["_start", "011", "backward branch"],
	["_start", "0", "call"], ["odd", "", "return"], ["_start", "111", "backward branch"]]' dump.json >/dev/null ||
	{ jq -c '.dump[] | [.function, .outcomes, .end]' dump.json; fail "the paths of bare.c"; }
jq -e '[.dump[] | select(.outcomes == "011") | .lines[] | .line] | index(7) != null' dump.json >/dev/null ||
	fail "no line of the addition"
"$waymark" wpp --range 3..5 --json run.wmwpp ./bare | jq -e '[.dump[] | [.position, .function]] == [[3, "_start"], [4, "odd"]]' >/dev/null ||
	fail "--range"
"$waymark" wpp --share 30 --min-length 2 --max-length 3 --json run.wmwpp ./bare >hot.json
# Each iteration executes 2 + 1 + 3 blocks.  6 of 18 blocks are hot: the callee and the way back from it twice, the way
# from the head of the loop into the callee twice, and once the only way over the addition that has 6 blocks.
jq -ce '[.cost, (.hot[] | [.count, .cost, [.sequence[].function]])] ==
	[18, [2, 8, ["odd", "_start"]], [2, 6, ["_start", "odd"]], [1, 6, ["odd", "_start", "_start"]]]' hot.json >/dev/null ||
	{ jq -c '[.cost, (.hot[] | [.count, .cost, [.sequence[].function]])]' hot.json; fail "hot sequences"; }

# A replay writes the same recording; libraries that are not given have addresses.
cat >plain.c <<'C'
#include "work.h"
#include <stdio.h>
int main(void) { printf("%d\n", work(999)); return 3; }
C
clang-19 -O0 -g plain.c -o plain
record 3 ./plain
mv run.wmwpp live.wmwpp
"$waymark" hw --quiet --wpp run.wmwpp --replay run.wmtrace
cmp live.wmwpp run.wmwpp || fail "a replay records something else"
"$waymark" wpp --share 5 live.wmwpp ./plain >text
grep -q 'sum += i;' text || fail "no source lines"
"$waymark" wpp --dump live.wmwpp ./plain | grep -q 'libc.so.6+0x' || fail "no address of the C library"
"$waymark" wpp --html site live.wmwpp ./plain
grep -q '>work</text>' site/index.html || fail "no row of the function in the picture"
grep -q 'i % 3' site/index.html || fail "no source lines in the page"

# Paths beyond the limit of branches, threads, signals with siglongjmp, a crash.
clang-19 -O0 -g -pthread many.c -o many
record 0 ./many
read -r paths _ threads _ signals _ splits _ <checked
[ "$paths" -gt 3000 ] && [ "$threads" = 5 ] && [ "$signals" -ge 55 ] && [ "$splits" -gt 0 ] ||
	{ cat checked; fail "the program did not do what it is for"; }
"$waymark" wpp --json run.wmwpp ./many | jq -e '.streams | length == 5' >/dev/null || fail "streams of threads"
record 139 ./many crash

# A full disk leaves nothing behind.  (The limit would also hold for the memory that is shared with a running program.)
mkdir full
got=0
(cd full && ulimit -f 4 && trap '' XFSZ && exec "$waymark" hw --quiet --wpp run.wmwpp --replay ../run.wmtrace) >out 2>err || got=$?
[ "$got" = 1 ] || { cat err; fail "exit code $got on a full disk"; }
grep -q 'cannot write run.wmwpp: File too large' err || { cat err; fail "nothing is said about a full disk"; }
[ -z "$(ls full)" ] || fail "a temporary file stays on a full disk"

# What such a recording cannot answer, and files that do not belong to it.
denied() {
	text=$1 got=0
	shift
	"$waymark" wpp "$@" >out 2>err || got=$?
	[ "$got" = 1 ] || fail "exit code $got: wpp $*"
	[ "$(wc -l <err)" = 1 ] && grep -q "$text" err || { cat err; fail "no '$text' in the message about wpp $*"; }
}
denied 'recorded it from machine code' --as acyclic -o x.wmprof live.wmwpp ./plain
denied 'recorded it from machine code' --segments 2 live.wmwpp ./plain
denied 'recorded it from machine code' --sites live.wmwpp ./plain
denied 'did not run in the recording' live.wmwpp ./many
# Nothing is left of a recording that did not begin.
printf '#!/bin/sh\n' >script
chmod +x script
refused 1 'profile its interpreter' --wpp x.wmwpp -- ./script
[ -z "$(ls x.wmwpp* 2>/dev/null)" ] || fail "a temporary file stays without a program"
refused 1 'needs --mode wpp' --wpp x.wmwpp --mode acyclic -- ./plain
refused 1 'cannot write missing' --wpp missing/x.wmwpp -- ./plain
echo "all agree"
