#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# programs.sh BUILD: `waymark hw` on real processes: threads, signals, jumps, crashes, odd files.
. "$(dirname "$0")/lib.sh"

cat >plain.c <<'C'
#include "work.h"
#include <stdio.h>
int main(void) { printf("%d\n", work(999)); return 3; }
C
clang-19 -O0 -g plain.c -o plain
profile 3 ./plain
[ "$(cat out)" = "$(./plain || :)" ] || fail "another output under QEMU"
work_paths 1
expect '.schema == "waymark.hw/1"'
expect '[.paths[] | select(.function == "work" and .counts.frequency == 332) | .lines[] | .line] | index(9) != null'

for flags in -static -s "-Wl,--build-id=none" "-no-pie -fno-pie"; do
	# shellcheck disable=SC2086 # a list of words
	clang-19 -O0 $flags plain.c -o variant
	profile 3 ./variant
	expect '[.paths[] | select(.counts.frequency == 666)] | length == 1'
done

clang++-19 -O0 -g exceptions.cpp -o exceptions
profile 0 ./exceptions
expect 'counts("_ZL7throweri") == [800] and counts("_ZL7betweeni") == [800]'
expect '[.paths[] | select(.function == "main" and .end == "backward branch") | .counts.frequency] | add == 1000'
# A throw is no signal.  Entries of procedures that it leaves do not stay on the path stack, however small that is.
clang++-19 -O1 -g throws.cpp -o throws
for stack in "" "--stack 32"; do
	# shellcheck disable=SC2086 # an option and its value
	"$waymark" hw --json --all $stack -- ./throws >paths.json
	expect '.signals == 0 and .deepest < 40 and .dropped == 0'
	expect 'counts("_Z6middlei") | add == 50'
	expect '[.paths[] | select(.object | test("libgcc_s")) | .end] | index("unknown") == null'
done

# A metric is counted when it is asked for, by paths or by a table, and may be 0 everywhere.
for metric in l1-misses l2-misses mispredictions energy cycle-energy cycles; do
	"$waymark" hw --json --by $metric --stdout /dev/null -- ./plain >paths.json || :
	expect ".by == \"$metric\" and (.paths[0].counts[\"$metric\"] > 0)"
	"$waymark" hw --json --table 64,4,$metric --stdout /dev/null -- ./plain >paths.json || :
	expect "(.paths | map(.counts[\"$metric\"]) | add > 0) and .tables[0].updates > 0"
done
"$waymark" hw --by mispredictions --predictor perfect --stdout /dev/null -- ./plain >out || :
grep -q 'no path has mispredictions' out || { cat out; fail "paths without mispredictions"; }
"$waymark" hw --quiet --record few.wmtrace -- ./plain >out || :
refused 1 'does not have the memory accesses' --by l2-misses --replay few.wmtrace

# A path that spans calls and ends in a loop of a callee: the return of the callee is no part of a path, wherever it is.
clang-19 -O0 -g spans.c -o spans
"$waymark" hw --extend calls=2 --all --json -- ./spans >paths.json
expect '[.paths[] | select(.function == "leaf") | [.outcomes, .end, .counts.frequency]] | sort ==
	[["01", "backward branch", 80], ["1", "return", 20]]'
expect '[.paths[] | select(.function == "deep") | [.outcomes, .end, .counts.frequency]] | sort ==
	[["", "return", 10], ["011101", "backward branch", 10], ["1", "return", 10]]'

clang-19 -O0 -g -pthread threads.c -o threads
profile 0 ./threads
work_paths 160

# Everything before the crash is there; the status is the program's.
cat >crash.c <<'C'
#include "work.h"
int main(void) { *(volatile int *)8 = work(999); return 0; }
C
clang-19 -O0 -g crash.c -o crash
profile 139 ./crash
work_paths 1

# Repeated string instructions are no branches, and count once.
clang-19 -O0 -g repeat.c -o repeat
profile 0 ./repeat
expect 'counts("copy") == [50]'
expect '[.paths[] | select(.function == "copy")][0] | .outcomes == "" and .counts.instructions < 50 * 20'

# A trace says the same as the run it is of; damage is told, and what precedes it is used.
"$waymark" hw --quiet -o live.wmprof --record run.wmtrace -- ./plain >out || :
"$waymark" hw --quiet -o again.wmprof --replay run.wmtrace
cmp live.wmprof again.wmprof || fail "a replay differs from its run"
head -c 3000 run.wmtrace >short.wmtrace
"$waymark" hw --quiet --replay short.wmtrace 2>err || fail "a trace that was cut short is not read"
grep -q 'damaged or truncated' err || fail "nothing is said about damage"
refused 1 'is no trace' --replay plain.c

# All metrics, tables and windows in one pass; a core sees the same paths as no core.
"$waymark" hw --json --metrics --table 512,4 --table 8,2,lru,address,l1-misses,bits=4 --window 5000 --record full.wmtrace -- ./plain 2>/dev/null |
	sed 1d >full.json || :
jq -e '.tables | length == 2 and .[0].bytes == 7552 and all(.[]; .overlap > 0 and .overlap <= 1 and .windows > 1)' full.json >/dev/null ||
	fail "tables"
jq -e '.phases | length > 2' full.json >/dev/null || fail "phases"
"$waymark" hw --json --core --queue 1 --replay full.wmtrace >core.json
jq -e '.cycles > .instructions / 4 and .queue_stall_cycles > 0' core.json >/dev/null || fail "cycles"
for metric in frequency instructions mispredictions; do
	jq -S "[.paths[] | {start, outcomes, build_id, count: .counts[\"$metric\"]}] | sort_by(.build_id, .start, .outcomes)" full.json >a
	jq -S "[.paths[] | {start, outcomes, build_id, count: .counts[\"$metric\"]}] | sort_by(.build_id, .start, .outcomes)" core.json >b
	cmp a b || fail "$metric with and without a core"
done

jq -e '.energy_order > 0.5 and .common_with_frequency.instructions > 0' core.json >/dev/null || fail "comparison of metrics"
"$waymark" hw --json --plackett-burman --replay full.wmtrace >study.json
jq -e '.effects.frequency["table entries"] >= 0 and (.effects | keys | length) == 3' study.json >/dev/null || fail "study"
"$waymark" hw --html site --window 5000 --table 512,4 --replay full.wmtrace
grep -q '<rect' site/index.html || fail "no picture of phases"
grep -q 'i % 3' site/index.html || fail "no source lines in the page"

"$waymark" hw --json --kill --stdout /dev/null --limit 100000 -- sh -c 'while :; do :; done' >limit.json || fail "--kill"
jq -e '.instructions >= 100000 and .instructions < 110000' limit.json >/dev/null || fail "--limit"

# A limit stops at the same block, whether caches are modelled or not.
"$waymark" hw --json --limit 5000 --replay full.wmtrace >limit.json
"$waymark" hw --json --metrics --limit 5000 --replay full.wmtrace >other.json
for file in limit.json other.json; do
	jq -cS '[.instructions, .branches, ([.paths[] | [.start, .outcomes, .counts.frequency, .counts.instructions]] | sort)]' $file
done | uniq | wc -l | grep -qx 1 || fail "--limit with and without caches"

# Merging adds.
cp live.wmprof copy.wmprof
"$waymark" merge --json -o sum.wmprof live.wmprof copy.wmprof >merged.json 2>/dev/null
"$waymark" report --json sum.wmprof | jq -e --slurpfile merged merged.json \
	'(.paths | length) == $merged[0].paths and .totals.frequency == $merged[0].count' >/dev/null || fail "what merge prints"
"$waymark" report --json sum.wmprof ./plain >paths.json
expect '.paths | length > 0'
"$waymark" report --paths 0 sum.wmprof ./plain >none.txt || fail "--paths 0"
grep -q 'more paths; --all prints them' none.txt && ! grep -q 'ends at' none.txt || { cat none.txt; fail "--paths 0 prints paths"; }
"$waymark" report --all sum.wmprof ./plain | grep -c 'ends at' | grep -qx "$(jq '.paths | length' paths.json)" || fail "--all"

# Paths are printed as those of functions, with the calls that are part of them.
clang-19 -O0 -g calls.c -o calls
"$waymark" hw --extend calls=1 --all -- ./calls >calls.txt || fail "--extend calls"
sed -n '/^ .*  main  branches/,/^$/p' calls.txt | sed 's/^ *//; s/calls.c://; s/  */ /g' | tr '\n' '|' |
	grep -qF '|9 return half(3) - 2;|calls half|2 {|3 not taken if (n & 1)|4 return n / 2 + 1;|' ||
	{ cat calls.txt; fail "a call on a path is not told"; }

# Files that cannot be profiled.
printf '#!/bin/sh\n' >script
chmod +x script
clang-19 -m32 -nostdlib -static -x c - -o narrow <<'C'
void _start(void) { for (;;) ; }
C
printf '\177ELF\002\001\001' >broken && head -c 57 /dev/zero >>broken
refused 127 'No such file' -- ./nothing
refused 1 'profile its interpreter' -- ./script
refused 1 '32-bit' -- ./narrow
refused 1 'cannot profile' -- ./broken
refused 1 'unknown option' --frobnicate -- ./plain
refused 1 'no metric' --by heat -- ./plain
refused 1 'is not valid' --table 96,4 -- ./plain
echo "all agree"
