/*
 * Paths that go through calls of functions that do not return: the callee throws, calls another such function, loops
 * before it ends, is called recursively or by its address, and ends the program.
 *
 * levels: -O0 -O2
 * scheme: context piecewise=pending
 * more: piecewise context=pending
 * fact: all(.units[].balance; .abandoned == 0)
 * fact: any(.functions[].paths[]; .end == "noreturn" and (.path | join(" ") | test("checked[^(]*\\( [^(]*fail[^(]*$")))
 * fact: any(.functions[].paths[]; .end == "noreturn" and (.path | join(" ") | test("outer.* \\) \\( [^(]*inner[^(]*\\( [^(]*fail[^(]*$")))
 * crosses: _Z7checkedi _Z4faili
 * crosses: _Z5outeri _Z5innerl
 * crosses: _Z5innerl _Z4faili
 * crosses: _Z5loopsi _Z4spini
 */
#include <cstdio>
#include <cstdlib>

static volatile int work;

__attribute__((noinline, noreturn)) void fail(int n)
{
	if (n & 1)
		throw n;
	throw 'c';
}

/* The caller has no landing pad. */
__attribute__((noinline)) int checked(int n)
{
	if (n % 3 == 0)
		fail(n);
	return n;
}

__attribute__((noinline, noreturn)) void inner(long n)
{
	if (n > 2)
		work = work + 1;
	fail(n);
}

__attribute__((noinline)) int outer(int n)
{
	if (n & 2) {
		work = work + checked(n + n % 3 + 1);
		inner(n);
	}
	return n;
}

/* The path ends at a back edge of the callee, and another one is thrown out of it. */
__attribute__((noinline, noreturn)) void spin(int n)
{
	for (int i = 0;; i++) {
		work = work + 1;
		if (i == n)
			fail(i);
	}
}

__attribute__((noinline)) int loops(int n)
{
	if (n)
		spin(n);
	return 0;
}

/* The recursive call is stepped over: the path ends before it. */
__attribute__((noinline, noreturn)) void down(int n)
{
	work = work + 1;
	if (n == 0)
		fail(4);
	down(n - 1);
}

__attribute__((noinline)) int deep(int n)
{
	if (n > 4)
		down(n - 4);
	return n;
}

typedef void handler(long) __attribute__((noreturn));
/* What is called is not known: the path ends before the call. */
static handler *volatile address = inner;

__attribute__((noinline)) int indirect(int n)
{
	if (n == 5)
		address(n);
	return n;
}

struct Guard {
	~Guard() { work = work + 2; }
};

/* A landing pad that cleans up, for calls that do not return. */
__attribute__((noinline)) int guarded(int n)
{
	Guard guard;
	if (n & 1)
		fail(n);
	return checked(n);
}

static int attempt(int (*function)(int), int n)
{
	try {
		return function(n);
	} catch (int caught) {
		return -caught;
	} catch (char) {
		return 1000;
	}
}

/* The destructors of the program run after the path has ended in exit. */
__attribute__((noinline, noreturn)) static void finish(int sum)
{
	std::printf("%d %d\n", sum, work);
	if (sum == 0)
		std::exit(1);
	std::exit(0);
}

int main()
{
	int sum = 0;
	for (int n = 0; n < 8; n++) {
		try {
			sum += checked(n) + outer(n) + loops(n & 3) + deep(n);
		} catch (int caught) {
			sum -= caught;
		} catch (char) {
			sum += 7;
		}
		sum += attempt(outer, n) + attempt(indirect, n) + attempt(guarded, n) + attempt(loops, n);
	}
	finish(sum);
}
