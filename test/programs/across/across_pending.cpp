/*
 * Paths that wait for calls that never return (the schemes with pending paths): the calls throw, through activations with
 * and without landing pads, or the program ends inside them.
 *
 * levels: -O0 -O2
 * scheme: context=pending piecewise=pending
 * fact: all(.units[].balance; .abandoned == 0)
 * source: sum(.functions[].paths[] | select(.end == "call") | .count) == 63
 */
#include <cstdio>
#include <cstdlib>

static int destroyed;
struct Guard {
	~Guard() { destroyed++; }
};

static __attribute__((noinline)) int leaf(int n)
{
	return n & 1 ? n : -n;
}

/* No landing pad. */
static __attribute__((noinline)) int over(int n)
{
	if (n == 0)
		throw 1;
	return over(n - 1) + leaf(n);
}

/* A landing pad that goes on unwinding, and one that does not. */
static __attribute__((noinline)) int through(int n)
{
	Guard guard;
	if (n == 0)
		return over(2);
	try {
		return through(n - 1) + leaf(n);
	} catch (int thrown) {
		if (n % 3)
			throw;
		return thrown;
	}
}

static __attribute__((noinline)) int leave(int n)
{
	if (n == 0) {
		std::printf("%d\n", destroyed);
		std::exit(3);
	}
	return leave(n - 1) + leaf(n);
}

int main()
{
	int sum = 0;
	for (int i = 0; i < 10; i++) {
		try {
			sum += through(i);
		} catch (int) {
			sum += 100;
		}
	}
	return leave(leaf(sum) & 3) + sum;
}
