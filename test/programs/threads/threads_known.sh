# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Threads in preferential and residual builds, on both graphs and with both updates: the counts of
# a plain build, and exactly the paths that the training run did not take.
cat >program.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static __thread volatile unsigned seen; /* keeps branches from becoming selects */
#define D(i) if (x >> i & 1) { r += i; seen = i; } else r ^= i;
__attribute__((noinline)) unsigned big(unsigned x) { unsigned r = 0; D(0) D(1) D(2) D(3) D(4) D(5) D(6) D(7) D(8) D(9) D(10) D(11) D(12) D(13) D(14) D(15) D(16) D(17) D(18) return r; }
__attribute__((noinline)) unsigned middle(unsigned x) { unsigned r = 1; D(1) D(2) D(3) D(4) return r; }
__attribute__((noinline)) unsigned small(unsigned x) { if (x % 3) return x + 1; return x - 1; }
__attribute__((noinline)) unsigned looping(unsigned x) { unsigned r = 0; for (unsigned i = 0; i < x % 7; i++) { if (i % 2) r += big(x + i); else r += middle(i * x); } return r; }
static unsigned rounds;
static void *run(void *sum) { unsigned long s = 0; for (unsigned i = 0; i < rounds; i++) s += big(i % 997 * 97) + middle(i) + small(i) + looping(i); *(unsigned long *)sum = s; return 0; }
int main(int argc, char **argv)
{
	pthread_t t[4]; unsigned long s[4], total = 0;
	rounds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 4000;
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, run, &s[i]);
		for (int i = 0; i < 4; i++) { pthread_join(t[i], 0); total += s[i]; }
	}
	printf("%lu\n", total);
	return 0;
}
END
must clang-19 -O2 -pthread program.c -o plain
./plain >plain.out
# profile NAME OPTION…: the profile of a whole run, in NAME.wmprof
profile() {
	name=$1
	shift
	must "$waymark" cc -O2 -pthread "$@" program.c -o "$name"
	rm -f "$name".*wmraw
	WAYMARK_FILE=$name.%p.wmraw "./$name" >"$name.out" 2>"$name.err" || fail "$name $*: exit code"
	cmp plain.out "$name.out" || fail "$name $* prints something else"
	must "$waymark" merge -o "$name.wmprof" "$name".*wmraw
}
for graph in source optimised; do
	must "$waymark" cc -O2 -pthread -fwaymark-cfg=$graph -fwaymark-update=atomic program.c -o all
	rm -f train.wmraw
	must env WAYMARK_FILE=train.wmraw ./all 100
	must "$waymark" merge -o train.wmprof train.wmraw
	profile all -fwaymark-cfg=$graph -fwaymark-update=atomic
	report ./all all.wmprof
	expect 'total("small") == 48000 and f("big").entries > 48000 and (known("run") and known("looping"))'
	for update in gs delta atomic; do
		profile preferential -fwaymark-cfg=$graph -fwaymark-update=$update -fwaymark-interesting=train.wmprof
		must "$build/test/sets" equal all.wmprof preferential.wmprof
		profile residual -fwaymark-cfg=$graph -fwaymark-update=$update -fwaymark-residual=train.wmprof
		must "$build/test/sets" residual train.wmprof all.wmprof residual.wmprof
		report ./residual residual.wmprof
		expect '[f("big").paths[]] | length > 100'
	done
	for method in regions early core; do
		export WAYMARK_TEST=check=$method
		profile residual -fwaymark-cfg=$graph -fwaymark-residual=train.wmprof
		must "$build/test/sets" residual train.wmprof all.wmprof residual.wmprof
		unset WAYMARK_TEST
	done
done
