/*
 * Virtual calls as chains of direct calls, as calls and as invokes whose targets return or throw.
 *
 * levels: -O0 -O2
 * flags: -g
 * scheme: context piecewise
 * indirect: targets
 * crosses: _Z7measureRK5Shapei _ZNK6Circle4areaEi
 * crosses: _Z7measureRK5Shapei _ZNK6Square4areaEi
 * crosses: _Z7guardedRK5Shapei _ZNK6Circle4areaEi
 * crosses: _Z7guardedRK5Shapei _ZNK6Square4areaEi
 */
#include <cstdio>

struct Shape {
	virtual ~Shape() = default;
	virtual int area(int x) const = 0;
};
struct Circle : Shape {
	int area(int x) const override;
};
struct Square : Shape {
	int area(int x) const override;
};
struct Ring : Circle {
	int area(int x) const override;
};

__attribute__((noinline)) static int may_throw(int x)
{
	if (x % 3 == 0)
		throw x;
	return x * 2;
}
int Circle::area(int x) const { return x & 1 ? may_throw(x) : 3 * x; }
int Square::area(int x) const
{
	int sum = 0;
	for (int i = 0; i < x; i++)
		sum += x;
	return sum;
}
int Ring::area(int x) const { return Circle::area(x) - Circle::area(x / 2); }

static int destroyed;
struct Guard {
	~Guard() { destroyed++; }
};

__attribute__((noinline)) int measure(const Shape &shape, int x)
{
	return shape.area(x) + (x & 2 ? shape.area(x + 1) : 0);
}

__attribute__((noinline)) int guarded(const Shape &shape, int x)
{
	Guard guard;
	try {
		return shape.area(x);
	} catch (int thrown) {
		return -thrown;
	}
}

int main()
{
	Circle circle;
	Square square;
	Ring ring;
	const Shape *shapes[] = {&circle, &square, &ring};
	int sum = 0, caught = 0;
	for (int i = 0; i < 40; i++) {
		try {
			sum += guarded(*shapes[i % 3], i) + measure(*shapes[i % 2 + 1], i);
		} catch (int) {
			caught++;
		}
	}
	std::printf("%d %d %d\n", sum, caught, destroyed);
}
