# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Profile input A, build from it, run input B: a preferential build counts all paths of B, a
# residual build exactly those that A did not take; with one thread and with many, on
# stores of every kind, through setjmp, exceptions' cousins and loops with one path.
cat >program.c <<'END'
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* The assembly keeps the optimiser from making the branches selections. */
#define D(i) if (x >> i & 1) { r += i; __asm__ volatile(""); } else r ^= i;
/* 2^20 paths: never an array. */
__attribute__((noinline)) unsigned big(unsigned x)
{
	unsigned r = 0;
	D(0) D(1) D(2) D(3) D(4) D(5) D(6) D(7) D(8) D(9) D(10) D(11) D(12) D(13) D(14) D(15) D(16) D(17) D(18) D(19)
	return r;
}
/* The same in a loop that ends one path per round, and in one that may leave by longjmp. */
__attribute__((noinline)) unsigned rounds(unsigned x, unsigned n)
{
	unsigned r = 0;
	for (unsigned i = 0; i < n; i++, x = x * 5 + 1) { D(0) D(1) D(2) D(3) D(4) D(5) D(6) D(7) D(8) D(9) D(10) D(11) D(12) D(13) D(14) D(15) D(16) }
	return r;
}
static __thread jmp_buf place;
__attribute__((noinline)) static void leave(unsigned x) { if (x % 5 == 0) longjmp(place, 1 + x % 3); }
__attribute__((noinline)) unsigned comes_back(unsigned x)
{
	volatile unsigned v = 0;
	unsigned r = 0;
	D(0) D(1) D(2)
	switch (setjmp(place)) {
	case 0: break;
	case 1: v = v + 1; break;
	default: v = v + 2;
	}
	D(3) D(4) D(5) D(6) D(7) D(8) D(9) D(10) D(11) D(12) D(13) D(14) D(15)
	if (!v) leave(x);
	return r + v;
}
/* One path a round; the first belongs to what came before. */
__attribute__((noinline)) unsigned sum(const unsigned char *p, unsigned n, unsigned x)
{
	unsigned r = 0;
	if (x & 1) r = 7;
	if (x & 2) r ^= 9;
	for (unsigned i = 0; i < n; i++) r = r * 31 + p[i];
	if (x & 4) r++;
	return r;
}
/* Loops with few paths behind many: some of these paths are only B's, between A's. */
__attribute__((noinline)) unsigned small_loops(unsigned x)
{
	unsigned r = 0, y = x;
	D(0) D(1) D(2) D(3) D(4) D(5) D(6) D(7) D(8) D(9) D(10) D(11) D(12) D(13) D(14) D(15) D(16)
	for (unsigned i = 0; i < 6 + y % 3; i++) {
		x = y < 3000 ? i & 1 ? 1 : 4 : (y + i) & 7;
		D(0) D(1) D(2)
	}
	return r;
}
__attribute__((noinline)) unsigned always(unsigned x) { return x % 2 ? x : x + 1; }
struct work { unsigned from, to, step, result; };
static void *run(void *argument)
{
	struct work *w = argument;
	static const unsigned char text[64] = "abcdefghijklmnopqrstuvwxyz";
	for (unsigned i = w->from; i < w->to; i += w->step)
		w->result += big(i * 77) + rounds(i, i % 9) + comes_back(i) + sum(text, i % 50, i / 50) + small_loops(i) + always(i);
	return 0;
}
int main(int argc, char **argv)
{
	struct work w[4];
	pthread_t t[4];
	unsigned threads = atoi(argv[1]), result = 0;
	for (unsigned i = 0; i < threads; i++)
		w[i] = (struct work){atoi(argv[2]) + i * 100, atoi(argv[3]) + i * 100, atoi(argv[4]), 0};
	for (unsigned i = 0; i < threads; i++)
		if (threads == 1) run(&w[i]); else pthread_create(&t[i], 0, run, &w[i]);
	for (unsigned i = 0; i < threads; i++) {
		if (threads > 1) pthread_join(t[i], 0);
		result += w[i].result;
	}
	printf("%u\n", result);
	return argc != 5;
}
END

# profile NAME ARGUMENTS…: runs it and merges
profile() {
	profiled=$1
	shift
	rm -f run*.wmraw
	WAYMARK_FILE=run.wmraw ./build "$@" >$profiled.out || fail "$profiled does not run"
	must "$waymark" merge -o $profiled.wmprof run*.wmraw
}

sets() {
	"$build/test/sets" "$@" >sets.log 2>&1 || { cat sets.log; fail "$scheme $level $graph $update $threads threads: $*"; }
}

# build_and_compare OPTION…: from a.wmprof, run on B
build_and_compare() {
	must "$waymark" cc $level -pthread -fwaymark-scheme=$scheme -fwaymark-cfg=$graph -fwaymark-update=$update "$@" program.c -o build
	profile found "$threads" 200 5000 3
	cmp b.out found.out || fail "$* prints something else"
}

proof() {
	must "$waymark" cc $level -pthread -fwaymark-scheme=$scheme -fwaymark-cfg=$graph -fwaymark-update=$update program.c -o build
	profile a "$threads" 0 3000 2
	profile b "$threads" 200 5000 3
	for store in '' perfect; do
		export WAYMARK_TEST=$limit,$store
		build_and_compare -fwaymark-interesting=a.wmprof
		sets equal b.wmprof found.wmprof
		[ $threads = 1 ] || break
	done
	WAYMARK_TEST=$limit
	build_and_compare -fwaymark-residual=a.wmprof
	sets residual a.wmprof b.wmprof found.wmprof
	[ "$(sed -n 's/residual: \([0-9]*\) .*/\1/p' sets.log)" -gt 100 ] || fail "hardly any path is untested: $(cat sets.log)"
}

scheme=acyclic limit=
for level in -O0 -O2; do
	for graph in source optimised; do
		threads=1 update=gs
		proof
		threads=4
		for update in gs delta atomic; do
			proof
		done
	done
done

# Paths over iterations and with contexts, in arrays and, where the limit is 1, never.
while read -r scheme level graph update threads limit; do
	limit=array-limit=$limit
	proof
done <<-END
	kiter=2 -O0 source gs 1 1
	kiter=2 -O2 optimised gs 4 65536
	kiter=3 -O2 source atomic 4 1
	loopcontext -O2 optimised delta 4 1
END
unset WAYMARK_TEST

# A loop that is left when its first window ends has no second one: nothing untested is seen.
cat >twice.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <waymark.h>
__attribute__((noinline)) unsigned sum(const char *p, int n)
{
	unsigned r = 0;
	for (int i = 0; i < n; i++) r = r * 31 + p[i];
	return r;
}
__attribute__((no_profile_instrument_function)) static void tell(const struct waymark_untested *path, void *closure)
{
	(void)closure;
	printf("%s:%llu\n", path->function, (unsigned long long)path->path);
}
int main(int argc, char **argv)
{
	(void)argc;
	waymark_on_untested(tell, 0);
	return sum("abcdef", atoi(argv[1])) == 0;
}
END
for scheme in kiter=2 kiter=3; do
	must "$waymark" cc -O1 -fwaymark-scheme=$scheme twice.c -o build
	profile few "${scheme#*=}"
	must "$waymark" cc -O1 -fwaymark-scheme=$scheme -fwaymark-residual=few.wmprof twice.c -o build
	profile again "${scheme#*=}"
	[ ! -s again.out ] || { cat again.out; fail "$scheme: a tested path is untested"; }
	profile more 6
	[ "$(grep -c sum: more.out)" = 1 ] || { cat more.out; fail "$scheme: one path of six rounds is untested"; }
done

# A profile of the same source in another form is most likely a mistake.
must "$waymark" cc -O1 -fwaymark-scheme=kiter=2 -fwaymark-residual=few.wmprof twice.c -o build
grep -q 'few.wmprof knows functions of twice.c, but not in the form they have here' must.log || { cat must.log; fail "no word about another scheme"; }
must "$waymark" cc -O1 -fwaymark-scheme=kiter=3 -fwaymark-residual=few.wmprof twice.c -o build
[ ! -s must.log ] || { cat must.log; fail "a word about the same scheme"; }

# A function whose only path was abandoned in a call has no path in the profile, but it is known as it is here.
printf 'void leave(int code);\nint usage(void) { leave(0); return 1; }\n' >usage.c
printf '#include <stdlib.h>\nint usage(void);\nvoid leave(int code) { exit(code); }\nint main(void) { return usage(); }\n' >leaves.c
must "$waymark" cc -O1 usage.c leaves.c -o build
profile left
must "$waymark" cc -O1 -fwaymark-residual=left.wmprof -c usage.c
[ ! -s must.log ] || { cat must.log; fail "a word about a function that was left"; }

# What cannot be meant, and what cannot be read, is an error.
refused() {
	pattern=$1
	shift
	! "$waymark" cc -c program.c -o refused.o "$@" >log 2>&1 || fail "accepted: $*"
	grep -q -- "$pattern" log || { cat log; fail "says nothing of '$pattern': $*"; }
}
refused 'exclude each other' -fwaymark-interesting=a.wmprof -fwaymark-residual=a.wmprof
refused 'needs -fwaymark-interesting' -fwaymark-scheme=preferential
refused 'cannot read' -fwaymark-residual=missing.wmprof
echo 'no profile at all' >text.wmprof
refused 'cannot use the profile text.wmprof' -fwaymark-interesting=text.wmprof
refused 'holds only untested paths' -fwaymark-residual=more.wmprof
must "$waymark" cc -c program.c -o accepted.o -fwaymark-scheme=preferential -fwaymark-interesting=a.wmprof -MMD -MF accepted.d
grep -q a.wmprof accepted.d || { cat accepted.d; fail "the profile is no prerequisite"; }

# Profiles of paths across calls, and paths that are named by their pieces, have no such numbering.
cat >pieces.c <<'END'
static int odd(int n) { return n & 1 ? n : -n; }
static int loop(int n, unsigned x)
{
	int s = 0;
	for (int i = 0; i < n; i++) {
		s += x & 1 ? odd(i) : 1;
		if (x & 2)
			s += 3;
		if (x & 4)
			s += 5;
		x = x * 1103515245 + 12345;
		x ^= x >> 16;
	}
	return s;
}
int main(void)
{
	int s = 0;
	for (unsigned i = 0; i < 9; i++)
		s += loop(40, i);
	return s == 3;
}
END
for scheme in context piecewise; do
	must "$waymark" cc -O1 -g -fwaymark-scheme=$scheme pieces.c -o pieces
	rm -f pieces.wmraw
	WAYMARK_FILE=pieces.wmraw must ./pieces
	for options in '--interesting pieces.wmraw' '--calls --scheme piecewise --weights pieces.wmraw' '--calls --scheme piecewise --profile pieces.wmraw'; do
		code=0
		"$waymark" show $options pieces >log 2>&1 || code=$?
		[ $code = 1 ] && grep -q 'needs a profile whose paths stay in one function' log || { cat log; fail "$scheme: show $options, exit code $code"; }
	done
done
must "$waymark" cc -O1 -g -fwaymark-scheme=kiter=40 pieces.c -o pieces
rm -f pieces.wmraw
WAYMARK_FILE=pieces.wmraw must ./pieces
"$waymark" show --json --interesting pieces.wmraw pieces | jq -e '[.functions[].name] | index("main") and (index("loop") | not)' >/dev/null || fail "show --interesting with pieces"
