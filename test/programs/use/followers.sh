# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Small functions whose one path follows from their callers': all counts are those of the plain build
# and of the trace, through blocks that are left in the middle, loops, recursion, exceptions and threads.
cat >program.cpp <<'END'
#include <pthread.h>
#include <setjmp.h>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <vector>
static int tiny(int x) { return x * 3 + 1; }
static int twice(int x) { return tiny(x) + tiny(x + 1); }
static int deep(int x) { return twice(x) ^ twice(x + 2); }
/* One block, and no end: nothing follows from it. */
static int for_ever(int x);
static int for_ever_too(int x) { return for_ever(x + 1); }
static int for_ever(int x) { return for_ever_too(x) + 1; }
/* Too many for one call. */
static int wide(int x) { return deep(x) + deep(x + 1) + deep(x + 2) + deep(x + 3) + deep(x + 4); }
inline int shared(int x) { return tiny(x) - 1; }
template <class T> struct box {
	T value;
	T &get() { return value; }
	T &again() { return get(); }
};
static jmp_buf place;
__attribute__((noinline)) static void may_jump(int x) { if (x % 11 == 0) longjmp(place, 1); }
__attribute__((noinline)) static void may_throw(int x) { if (x % 7 == 0) throw std::runtime_error("seven"); }
/* Every path that takes the blocks ends. */
__attribute__((noinline)) int branches(int x)
{
	if (x & 1)
		return tiny(x) + shared(x);
	int sum = deep(x);
	for (int i = 0; i < x % 4; i++)
		sum += i & 1 ? twice(i) : shared(i);
	/* Behind their invokes there are pads that nothing unwinds to. */
	std::unique_ptr<int> none;
	return sum + !none;
}
/* Control vanishes between calls, and behind them. */
__attribute__((noinline)) int vanishes(int x)
{
	int sum = deep(x);
	may_jump(x);
	sum += twice(sum) + tiny(sum);
	may_throw(x);
	sum += shared(sum) + tiny(sum);
	if (x == 12345)
		for_ever(x);
	return sum + wide(x);
}
__attribute__((noinline)) int returns_twice(int x)
{
	int sum = deep(x);
	if (setjmp(place))
		return shared(x) + twice(x);
	sum += twice(x);
	return vanishes(x) + sum;
}
static void *work(void *)
{
	long sum = 0;
	box<long> b = {0};
	for (int i = 0; i < 500; i++)
		b.again() += branches(i), sum += b.get();
	return (void *)sum;
}
int main()
{
	long sum = 0;
	for (volatile int i = 0; i < 200; i = i + 1) {
		try {
			sum += returns_twice(i);
		} catch (std::runtime_error &) {
			sum += tiny(1) + shared(2);
		}
	}
	std::vector<int> v;
	for (int i = 0; i < 300; i++)
		v.push_back(branches(i));
	for (int x : v)
		sum += x;
	pthread_t thread;
	void *result = nullptr;
#ifdef THREADS
	pthread_create(&thread, nullptr, work, nullptr);
	sum += (long)work(nullptr);
	pthread_join(thread, &result);
#else
	(void)thread;
	result = work(nullptr);
#endif
	printf("%ld\n", sum + (long)result);
	if (sum)
		exit(tiny(sum) & 1 ? 3 : 3);
}
END
list='[.functions[] | {key: .name, value: {entries, paths: [.paths[] | [.id, .count]] | sort}}] | from_entries'

# counts NAME OPTION…: builds, runs, leaves what it counted in NAME.json
counts() {
	name=$1
	shift
	must "$waymark" c++ -g "$@" program.cpp -o "$name" -lpthread
	rm -f "$name"*.wmraw
	code=0
	WAYMARK_FILE=$PWD/$name.wmraw ./"$name" >"$name.out" || code=$?
	[ $code = 3 ] || fail "$name ends otherwise: $code"
	report ./"$name" "$name"*.wmraw
	jq -S "$list" report.json >"$name.json"
}

# records PROGRAM: bytes of them
records() {
	size -A "$1" | awk '$1 == "wm_funcs" { print $2 }'
}

for options in '-O1' '-O2' '-O2 -fwaymark-update=atomic -DTHREADS' '-O3 -fwaymark-update=delta -DTHREADS' '-O2 -fwaymark-scheme=kiter=2' \
	'-O2 -fPIC -shared-libgcc'; do
	counts plain $options
	must cp merged.wmprof tests.wmprof
	counts followed $options -fwaymark-interesting=tests.wmprof
	must cmp plain.out followed.out
	diff plain.json followed.json >difference || { cat difference; fail "counts differ with $options"; }
	counts weighed $options -fwaymark-weights=tests.wmprof
	diff plain.json weighed.json >difference || { cat difference; fail "counts differ with weights and $options"; }
	[ "$(records ./followed)" -gt "$(records ./plain)" ] || fail "nothing follows with $options"
done
# Nothing is inlined at -O0, so nothing follows.
counts plain -O0
must cp merged.wmprof tests.wmprof
counts followed -O0 -fwaymark-interesting=tests.wmprof
diff plain.json followed.json >difference || { cat difference; fail "counts differ at -O0"; }
[ "$(records ./followed)" = "$(records ./plain)" ] || fail "functions follow at -O0"

# Against the trace, in which twins are their functions.
counts plain -O2
must cp merged.wmprof tests.wmprof
WAYMARK_TEST=trace must "$waymark" c++ -O2 -g -fwaymark-interesting=tests.wmprof program.cpp "$build/test/trace.o" -o traced
rm -f -- *.wmraw
code=0
WM_TRACE_FILE=trace.txt ./traced >traced.out || code=$?
[ $code = 3 ] || fail "the traced program ends otherwise: $code"
[ "$(records ./traced)" -gt "$(records ./plain)" ] || fail "nothing follows under the trace"
report ./traced ./*.wmraw
trace_equal trace.txt
expect 'f("_Z8vanishesi").balance.abandoned == 45'

# same NAME COMMAND OPTION…: plain and preferential builds of sources in NAME/ count the same
same() {
	directory=$1 driver=$2
	shift 2
	for kind in plain followed; do
		must "$waymark" "$driver" -O2 -g "$@" -o "$directory/$kind"
		rm -f "$directory/$kind"*.wmraw
		WAYMARK_FILE=$directory/$kind.wmraw "$directory/$kind" >"$directory/$kind.out" || fail "$directory: $kind fails"
		report "$directory/$kind" "$directory/$kind"*.wmraw
		jq -S "$list" report.json >"$directory/$kind.json"
		must cp merged.wmprof "$directory/tests.wmprof"
		set -- "$@" -fwaymark-interesting="$directory/tests.wmprof"
	done
	must cmp "$directory/plain.out" "$directory/followed.out"
	diff "$directory/plain.json" "$directory/followed.json" >difference || { cat difference; fail "counts differ: $directory"; }
}

# What a twin calls may count, so that its calls must not be merged or dropped.
mkdir constant
cat >constant/a.c <<'END'
#include <stdio.h>
__attribute__((const, noinline)) static int g(int x) { if (x > 3) return x * 2; return x - 1; }
__attribute__((const)) static int f(int x) { return g(x) + 1; }
__attribute__((const)) static int unused(int x) { return g(x) + 7; }
__attribute__((noinline)) int caller(int x) { unused(x); return f(x) + f(x); }
int main(void) { int sum = 0; for (int i = 0; i < 100; i++) sum += caller(i); printf("%d\n", sum); return 0; }
END
same constant cc constant/a.c
expect 'total("g") == 300'

# A function that cannot be instrumented has a twin all the same, or what it calls would count twice.
mkdir skipped
cat >skipped/a.cpp <<'END'
extern "C" int odd(void) __attribute__((returns_twice));
volatile int sink;
static int inner(int x) { sink = sink + x; return x + 1; }
static int outer(int x) { int s; try { s = inner(x); } catch (...) { s = odd(); } return s; }
__attribute__((noinline)) int hot(int x) { return outer(x) + outer(x + 1); }
int main() { int sum = 0; for (int i = 0; i < 100; i++) sum += hot(i); return sum == 0; }
END
echo 'extern "C" int odd(void) { return 1; }' >skipped/b.cpp
same skipped c++ skipped/a.cpp skipped/b.cpp
expect 'total("_ZL5inneri") == 200'

# Resuming a coroutine may throw, though it is an intrinsic.
mkdir coroutine
cat >coroutine/a.cpp <<'END'
#include <coroutine>
#include <stdexcept>
struct task {
	struct promise_type {
		task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
		std::suspend_always initial_suspend() { return {}; }
		std::suspend_always final_suspend() noexcept { return {}; }
		void return_void() {}
		void unhandled_exception() { throw; }
	};
	std::coroutine_handle<promise_type> handle;
};
static task body(int i)
{
	co_await std::suspend_always{};
	if (i % 4 == 0)
		throw std::runtime_error("four");
	co_await std::suspend_always{};
}
static int tiny(int x) { return x + 1; }
static int twice(int x) { return tiny(x) + tiny(x); }
__attribute__((noinline)) int step(task &t, int x) { int s = twice(x); t.handle.resume(); return s + twice(s); }
int main()
{
	int sum = 0;
	for (int i = 0; i < 100; i++) {
		task t = body(i);
		try {
			sum += step(t, i) + step(t, i);
		} catch (std::runtime_error &) {
			sum++;
		}
		t.handle.destroy();
	}
	return sum == 0;
}
END
same coroutine c++ -std=c++20 coroutine/a.cpp
expect 'f("_Z4stepR4taski") | .entries == 200 and .balance.abandoned == 25'

# A symbol of a shared object may be somebody else's at run time.
mkdir shared
cat >shared/library.c <<'END'
static int one(int x) { return x + 1; }
static int two(int x) { return one(x) * 2; }
__attribute__((noinline)) int hook(int x) { return x; }
__attribute__((noinline)) int hot(int x) { int s = two(x) + one(x); s += hook(s); return s + one(s) + two(s); }
END
cat >shared/main.c <<'END'
#include <setjmp.h>
static jmp_buf place;
static volatile int i, sum;
int hook(int x) { if (i % 4 == 0) longjmp(place, 1); return x + 100; }
int hot(int);
int main(void) { for (i = 0; i < 100; i = i + 1) if (!setjmp(place)) sum = sum + hot(i); return 0; }
END
must clang-19 -rdynamic -fPIE -c shared/main.c -o shared/main.o
options=
for kind in plain followed; do
	must "$waymark" cc -O2 -g -fPIC -shared $options shared/library.c -o "shared/lib$kind.so"
	must clang-19 -rdynamic shared/main.o "shared/lib$kind.so" -Wl,-rpath,"$PWD" -o "shared/$kind"
	WAYMARK_FILE=$PWD/shared/$kind.wmraw must "shared/$kind"
	report "shared/lib$kind.so" "shared/$kind.wmraw"
	expect 'f("hot") | .entries == 100 and .balance.abandoned == 25'
	expect 'total("one") == 350 and total("two") == 175'
	must cp merged.wmprof shared/tests.wmprof
	options=-fwaymark-interesting=shared/tests.wmprof
done

# The program may ask for the address of the function it is in.
mkdir hooks
cat >hooks/a.c <<'END'
#include <stdio.h>
static int one(int x) { return x + 1; }
static int (*volatile pointer)(int) = one;
static int seen;
__attribute__((no_instrument_function)) void __cyg_profile_func_enter(void *f, void *site) { (void)site; seen += f == (void *)pointer; }
__attribute__((no_instrument_function)) void __cyg_profile_func_exit(void *f, void *site) { (void)f, (void)site; }
__attribute__((noinline)) int hot(int x) { return one(x) + one(x + 1); }
int main(void) { int sum = 0; for (int i = 0; i < 100; i++) sum += hot(i); printf("%d %d\n", sum, seen); return 0; }
END
same hooks cc -finstrument-functions hooks/a.c
