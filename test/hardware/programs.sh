#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# programs.sh BUILD: `waymark hw` on real processes: threads, signals, jumps, crashes, odd files.
set -eu
build=$(realpath "$1")
waymark=$build/waymark
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
	echo "FAILED: $*"
	exit 1
}

# profile STATUS PROGRAM ARGUMENTS: leaves paths of all objects in paths.json and stderr in err
profile() {
	want=$1 got=0
	shift
	"$waymark" hw --quiet -o run.wmprof -- "$@" >out 2>err || got=$?
	[ "$got" = "$want" ] || { cat err; fail "exit code $got instead of $want: $*"; }
	"$waymark" report --json run.wmprof "$1" >paths.json
}

# expect FACT: about paths.json; counts(F) are the frequencies of the paths of function F
expect() {
	jq -e "def counts(\$f): [.paths[] | select(.function == \$f) | .counts.frequency] | sort; $1" paths.json >/dev/null ||
		{ jq -c '.paths[] | select(.object != null) | [.function, .outcomes, .end, .counts.frequency]' paths.json; fail "$1"; }
}

# refused STATUS TEXT ARGUMENTS
refused() {
	want=$1 text=$2 got=0
	shift 2
	"$waymark" hw "$@" >out 2>err || got=$?
	[ "$got" = "$want" ] || { cat err; fail "exit code $got instead of $want: $*"; }
	grep -q "$text" err || { cat err; fail "no '$text' in the message about $*"; }
}

cat >work.h <<'C'
static int work(int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++) {
		if (i % 3)
			sum += i;
		else
			sum -= i;
	}
	return sum;
}
C
# Entry, two ways through the loop, exit: by calls of work(999).
work_paths() {
	expect "counts(\"work\") == [$1, $1, $1 * 332, $1 * 666]"
}

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
expect '[.paths[] | select(.function == "work" and .counts.frequency == 332) | .lines[] | .line] | index(8) != null'

for flags in -static -s "-Wl,--build-id=none" "-no-pie -fno-pie"; do
	# shellcheck disable=SC2086 # a list of words
	clang-19 -O0 $flags plain.c -o variant
	profile 3 ./variant
	expect '[.paths[] | select(.counts.frequency == 666)] | length == 1'
done

cat >signals.c <<'C'
#include "work.h"
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
static volatile sig_atomic_t ticks;
static jmp_buf env;
static void handle(int number) { (void)number; ticks++; }
static int deep(int n) { if (n == 0) longjmp(env, 1); return deep(n - 1) + 1; }
int main(void)
{
	struct itimerval timer = {{0, 500}, {0, 500}};
	signal(SIGALRM, handle);
	setitimer(ITIMER_REAL, &timer, 0);
	for (volatile int i = 0; i < 700 || ticks < 5; i++) {
		if (i < 700)
			work(999);
		if (!setjmp(env))
			deep(i % 7);
	}
	return 0;
}
C
clang-19 -O0 -g signals.c -o signals
profile 0 ./signals
work_paths 700
# A signal that arrives between an indirect jump or a return and its target cannot be told from that target.
expect 'counts("handle") | add >= 5 and length <= 2'

cat >exceptions.cpp <<'C'
#include <stdexcept>
static int thrower(int n) { if (n % 5 == 0) throw std::runtime_error("five"); return n; }
static int between(int n) { return thrower(n) + 1; }
int main()
{
	int sum = 0;
	for (int i = 0; i < 1000; i++) {
		try {
			sum += between(i);
		} catch (std::exception &) {
			sum--;
		}
	}
	return sum == 400600 ? 0 : 1;
}
C
clang++-19 -O0 -g exceptions.cpp -o exceptions
profile 0 ./exceptions
expect 'counts("_ZL7throweri") == [800] and counts("_ZL7betweeni") == [800]'
expect '[.paths[] | select(.function == "main" and .end == "backward branch") | .counts.frequency] | add == 1000'

cat >threads.c <<'C'
#include "work.h"
#include <pthread.h>
static void *run(void *argument) { for (int i = 0; i < 20; i++) work(999); return argument; }
int main(void)
{
	pthread_t thread[8];
	for (int i = 0; i < 8; i++)
		pthread_create(&thread[i], 0, run, 0);
	for (int i = 0; i < 8; i++)
		pthread_join(thread[i], 0);
	return 0;
}
C
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
cat >repeat.c <<'C'
#include "work.h"
static char from[1000], to[1000];
static void copy(void)
{
	void *destination = to;
	const void *source = from;
	unsigned long count = 1000;
	__asm__ volatile("rep movsb" : "+D"(destination), "+S"(source), "+c"(count) : : "memory");
}
int main(void) { for (int i = 0; i < 50; i++) copy(); return 0; }
C
clang-19 -O0 -g repeat.c -o repeat
profile 0 ./repeat
expect 'counts("copy") == [50]'
expect '[.paths[] | select(.function == "copy")][0] | .outcomes == "" and .counts.instructions < 50 * 20'

# Another architecture, without a library.
cat >foreign.c <<'C'
#include "work.h"
void _start(void)
{
	for (int i = 0; i < 5; i++)
		work(999);
	register long number __asm__("x8") = 93, status __asm__("x0") = 7;
	__asm__ volatile("svc 0" : : "r"(number), "r"(status));
	for (;;)
		;
}
C
clang-19 --target=aarch64-linux-gnu -O0 -g -ffreestanding -nostdlib -static -fuse-ld=lld foreign.c -o foreign
profile 7 ./foreign
work_paths 5

# A child of fork is not profiled; the parent is, exactly.
cat >forks.c <<'C'
#include "work.h"
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
	if (!fork()) {
		for (int i = 0; i < 30; i++)
			work(999);
		_exit(0);
	}
	int status;
	wait(&status);
	work(999);
	return status;
}
C
clang-19 -O0 -g forks.c -o forks
profile 0 ./forks
work_paths 1

cat >becomes.c <<'C'
#include <unistd.h>
int main(void) { execl("/bin/true", "true", (char *)0); return 1; }
C
clang-19 -O0 -g becomes.c -o becomes
profile 0 ./becomes
grep -q 'executed another program in its place' err || fail "nothing is said about exec"

# A trace says the same as the run it is of; damage is told, and what precedes it is used.
"$waymark" hw --quiet -o live.wmprof --record run.wmtrace -- ./plain >out || :
"$waymark" hw --quiet -o again.wmprof --replay run.wmtrace
cmp live.wmprof again.wmprof || fail "a replay differs from its run"
head -c 3000 run.wmtrace >short.wmtrace
"$waymark" hw --quiet --replay short.wmtrace 2>err || fail "a trace that was cut short is not read"
grep -q 'damaged or truncated' err || fail "nothing is said about damage"
refused 1 'is not a trace' --replay plain.c

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

# Merging adds.
cp live.wmprof copy.wmprof
"$waymark" merge -o sum.wmprof live.wmprof copy.wmprof >/dev/null 2>&1
"$waymark" report --json sum.wmprof ./plain >paths.json
expect '.paths | length > 0'

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
