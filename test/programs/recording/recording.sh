# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Recordings (-fwaymark-wpp): the walk that is rebuilt from the streams is the walk of the trace, event by event.

# record NAME DRIVER SOURCE FLAGS…: builds with the trace
record() {
	recorded=$1 driver=$2 program=$3
	shift 3
	WAYMARK_TEST=trace must "$waymark" "$driver" "$@" -fwaymark-wpp "$program" "$build/test/walk_trace.o" -pthread -o "$recorded"
}

# walked OPTIONS NAME ARGUMENTS…: runs it and compares; leaves the totals in `totals`
walked() {
	options=$1 recorded=$2
	shift 2
	rm -rf walk && mkdir walk
	code=0
	WM_WALK_PREFIX=walk/t WAYMARK_FILE=walk/%p.wmraw "./$recorded" "$@" >out 2>err || code=$?
	# shellcheck disable=SC2086
	"$build/test/walk" $options "./$recorded" walk/t walk/*.wmraw >totals 2>&1 || { cat totals err; fail "$recorded: the walks differ"; }
}

# total NAME: of the line of totals
total() {
	sed "s/.*\<$1 \([0-9]*\).*/\1/" totals
}

cat >recursion.c <<'END'
/* longjmp to one of several activations of a recursive function, from below and past functions without setjmp. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
static jmp_buf jump[40];
static int sink;
static int leaf(int n) { if (n % 3 == 0) longjmp(jump[n % 7], n + 1); return n * 2; }
static int passes(int n) { return leaf(n) + leaf(n + 1); }
static int recurse(int depth, int n)
{
	volatile int d = depth;
	int back = setjmp(jump[d]);
	if (back) { sink += back; return d; }
	if (depth == 6) { for (int i = 0; i < 5; i++) sink += passes(n + i); return 0; }
	return recurse(depth + 1, n) + recurse(depth + 1, n + 1);
}
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int main(void)
{
	int list[50];
	for (int i = 0; i < 3; i++) sink += recurse(0, i);
	for (int i = 0; i < 50; i++) list[i] = i * 37 % 50;
	qsort(list, 50, sizeof *list, compare);
	printf("%d %d\n", sink, list[7]);
	exit(0);
}
END
cat >throws.cpp <<'END'
/* Exceptions past frames with and without destructors, through recursion, rethrown, and out of callbacks. */
#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
struct guard { int &n; explicit guard(int &n) : n(n) { n++; } ~guard() { n--; } };
static int live, caught;
static void thrower(int n) { if (n % 4 == 0) throw std::runtime_error("x"); if (n % 4 == 1) throw n; }
static void between(int n) { thrower(n); live += 0; }
static int deep(int n, int depth)
{
	guard g(live);
	try {
		if (depth) return deep(n + 1, depth - 1) + deep(n + 2, depth - 1);
		between(n);
		return 1;
	} catch (int i) {
		caught++;
		if (i % 8 == 1) throw;
		return i;
	}
}
static int work(int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++)
		try { sum += deep(i, 4); } catch (const std::exception &e) { sum += (int)std::string(e.what()).size(); } catch (...) { sum++; }
	std::vector<int> v{5, 3, 9, 1, 7, 2, 8};
	std::sort(v.begin(), v.end(), [](int a, int b) { return a < b; });
	try { std::for_each(v.begin(), v.end(), [](int x) { if (x == 5) throw x; }); } catch (int x) { sum += x; }
	return sum;
}
int main()
{
	int sum = work(40);
	std::vector<std::thread> threads;
	printf("%d %d %d\n", sum, live, caught);
	return 0;
}
END
cat >threads.c <<'END'
/* 64 threads, some at the same time, some after others, some that end in the middle of calls. */
#include <pthread.h>
#include <stdio.h>
static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static void leaves(int n) { if (n == 11) pthread_exit((void *)5); }
static void *work(void *argument)
{
	int n = (int)(long)argument;
	long sum = fib(10 + n % 8);
	for (int i = 0; i < n * 100; i++) sum += i % 3 ? i : -i;
	leaves(n % 16);
	return (void *)sum;
}
int main(void)
{
	long sum = 0;
	void *result;
	pthread_t thread[64];
	for (int round = 0; round < 4; round++) {
		for (int i = 0; i < 16; i++) if (pthread_create(&thread[i], NULL, work, (void *)(long)(round * 16 + i))) return 1;
		for (int i = 0; i < 16; i++) { if (pthread_join(thread[i], &result)) return 1; sum += (long)result; }
	}
	printf("%ld\n", sum);
	return 0;
}
END
cat >standard.cpp <<'END'
#include <cstdio>
#include <thread>
#include <vector>
static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
int main()
{
	std::vector<std::thread> threads;
	for (int i = 0; i < 8; i++) threads.emplace_back([i] { volatile int x = fib(8 + i); (void)x; });
	for (auto &t : threads) t.join();
	return 0;
}
END
cat >forks.c <<'END'
/* Children go on in the activations of their parents; a child forks too. */
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static int below(int depth)
{
	int sum = fib(depth);
	pid_t pid = fork();
	if (pid == 0) sum += fib(6);
	else waitpid(pid, NULL, 0);
	if (depth < 8 + 2) sum += below(depth + 1);
	return sum + fib(5);
}
static void *thread(void *argument)
{
	fib(9);
	if (fork() == 0) { fib(7); _exit(0); }
	wait(NULL);
	return argument;
}
int main(void)
{
	pthread_t other;
	fib(12);
	int sum = below(8);
	pthread_create(&other, NULL, thread, NULL);
	pthread_join(other, NULL);
	return sum == 0;
}
END
for flags in -O0 -O2 '-O2 -fwaymark-cfg=optimised'; do
	record recursion cc recursion.c $flags
	walked '' recursion
	abandoned=$(total abandoned)
	record throws c++ throws.cpp $flags
	walked '' throws
	# On the optimised graph, what would be left is inlined.
	case $flags in
	*optimised) ;;
	*) [ "$abandoned" -gt 20 ] && [ "$(total abandoned)" -gt 50 ] || fail "abandoned: $abandoned, $(cat totals)" ;;
	esac
	record threads cc threads.c $flags
	walked '' threads
	[ "$(total streams) $(total creates) $(total joins)" = "65 64 64" ] || fail "threads: $(cat totals)"
	record forks cc forks.c $flags
	walked '' forks
	set -- walk/*.wmraw
	[ $# -ge 10 ] && [ "$(total streams)" -gt $# ] || fail "forks: $(cat totals)"
	for case in setjmp.c noreturn.c no_return.c tail_call.c musttail.c computed_goto.c asm_goto.c switch_shared.c; do
		record case cc "$cases/language/$case" $flags
		walked '' case
	done
	record case c++ "$cases/language/exceptions.cpp" $flags
	walked '' case
done
record standard c++ standard.cpp -O2
walked '' standard
[ "$(total streams) $(total creates) $(total joins)" = "9 8 8" ] || fail "standard: $(cat totals)"

# Nothing is counted, and other commands say so in words.
must "$waymark" cc -O2 -fwaymark-wpp threads.c -pthread -o plain
"$waymark" show ./plain >shown || fail "show"
grep -q 'subpath.*work' shown || { cat shown; fail "show does not name the scheme"; }
"$waymark" cc -fwaymark-wpp -fwaymark-scheme=kiter=2 threads.c -o no 2>err && fail "two schemes at once"
grep -q 'excludes other schemes' err || fail "$(cat err)"
