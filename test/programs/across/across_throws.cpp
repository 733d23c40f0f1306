/*
 * Paths across calls that return or throw: through crossed invokes, cleanups, rethrows, and functions without handlers.
 *
 * levels: -O0 -O2
 * scheme: context piecewise
 */
#include <cstdio>
#include <stdexcept>

static int destroyed;
struct Guard {
	int weight;
	~Guard() { destroyed += weight; }
};

__attribute__((noinline)) int may_throw(int x)
{
	if (x % 3 == 0)
		throw x;
	return x * 2;
}

__attribute__((noinline)) int through(int x)
{
	Guard guard{x};
	int sum = 0;
	for (int i = 0; i < 3; i++)
		sum += may_throw(x + i);
	return sum;
}

__attribute__((noinline)) int without_handler(int x)
{
	int first = may_throw(x + 1);
	return x & 4 ? first : -first;
}

__attribute__((noinline)) int catches(int x)
{
	try {
		return x & 1 ? through(x) : without_handler(x);
	} catch (int thrown) {
		if (thrown > 8)
			throw std::runtime_error("large");
		return thrown;
	}
}

struct Shape {
	virtual ~Shape() = default;
	virtual int area(int x) const { return may_throw(3 * x + 1); }
};
struct Square : Shape {
	int area(int x) const override { return x * x; }
};

template <class T> __attribute__((noinline)) T twice(T x)
{
	return x + catches(int(x) | 1);
}

int main()
{
	Shape shape;
	Square square;
	int sum = 0, large = 0;
	for (int i = 0; i < 20; i++) {
		const Shape &one = i & 1 ? shape : square;
		try {
			sum += catches(i) + one.area(i) + (i % 5 ? 0 : twice<long>(i));
		} catch (const std::runtime_error &) {
			large++;
		}
	}
	std::printf("%d %d %d\n", sum, large, destroyed);
}
