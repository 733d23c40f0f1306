#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# children.sh BUILD: `waymark hw -o` on programs that fork and that start other programs.
. "$(dirname "$0")/lib.sh"

# children COUNT PROGRAM: the sum of work's entries over all children's profiles, COUNT of which have any
children() {
	count=0 sum=0
	for file in run.wmprof.*; do
		[ -e "$file" ] || continue
		one=$("$waymark" report --json "$file" "$2" | jq '[.paths[] | select(.function == "work") | .counts.frequency] | add // 0')
		[ "$one" = 0 ] || count=$((count + 1))
		sum=$((sum + one))
	done
	[ "$count" = "$1" ] || { ls run.wmprof*; fail "$count children instead of $1 have paths of $2"; }
	rm -f run.wmprof.*
}

# Parent, child and grandchild, which outlives both; other threads are not in a child.
clang-19 -O0 -g -pthread forks.c -o forks
profile 0 ./forks
work_paths 10
children 2 ./forks
[ "$sum" = $(((10 + 20) * 1000)) ] || fail "the children have $sum executions of paths"

# Programs in the place of others: by a shell, a script with an argument, the search of a path, and posix_spawn.
cat >plain.c <<'C'
#include "work.h"
#include <stdio.h>
int main(int argc, char **argv) { printf("%s %d %d\n", argv[0], argc, work(999)); return 3; }
C
clang-19 -O0 -g plain.c -o plain
clang-19 -O0 -g spawn.c -o spawn
printf '#!/bin/sh -e\n./plain "$@" || echo "$0 got $?"\n' >script
chmod +x script
PATH=/nowhere:/usr/bin:/bin:$work
export PATH
profile 3 ./spawn ./script 'two words' x
printf './plain 3 166833\n./script got 3\nanother name 3 166833\n' | cmp - out || { cat out; fail "another output"; }
[ ! -s err ] || { cat err; fail "a warning about programs that are profiled"; }
children 2 ./plain
[ "$sum" = 2000 ] || fail "the programs have $sum executions of paths"

# What cannot be profiled runs as ever, and a warning says so.
clang-19 -m32 -nostdlib -static -x c - -o narrow <<'C'
void _start(void) { __asm__ volatile("int $0x80" : : "a"(1), "b"(5)); }
C
profile 5 /bin/sh -c 'exec ./narrow'
grep -q 'cannot be profiled' err || fail "nothing is said about a 32-bit program"
profile 127 /bin/sh -c 'exec ./nothing'
! grep -q 'cannot be profiled' err || fail "a program that does not exist was started"
rm -f run.wmprof.*

# A program of another architecture.
clang-19 --target=aarch64-linux-gnu -O0 -g -ffreestanding -nostdlib -static -fuse-ld=lld foreign.c -o foreign
profile 7 /bin/sh -c 'exec ./foreign'
children 1 ./foreign
[ "$sum" = 1000 ] || fail "the AArch64 program has $sum executions of paths"

# Programs go on when the command is killed.
cat >goes_on.sh <<'C'
touch started
while [ ! -e killed ]; do sleep 0.05; done
exec ./plain >after
C
"$waymark" hw --quiet -o run.wmprof -- /bin/sh goes_on.sh >out 2>err &
command=$!
while [ ! -e started ]; do sleep 0.05; done
kill -9 $command
wait $command 2>/dev/null || :
touch killed
for _ in $(seq 100); do [ ! -s after ] || break; sleep 0.1; done
[ -s after ] || fail "a program does not go on when the command is killed"

# Without -o, only the program that was given is profiled.
"$waymark" hw --json --stdout out -- sh -c './plain; exec ./plain' >run.json 2>err || :
grep -q 'only with -o' err || fail "nothing is said about exec without -o"
[ "$(cat out)" = "$(./plain || :; ./plain || :)" ] || fail "children do not run without -o"
echo "all agree"
