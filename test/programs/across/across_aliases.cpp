/*
 * Paths across calls of aliases: complete constructors and destructors that are aliases of the base ones, also in the
 * comdat of a template, and functions with a second name.
 *
 * levels: -O0 -O2
 * flags: -fno-inline
 * scheme: context piecewise
 * crosses: main _ZN3BoxIiEC1Ei
 * crosses: main _ZN3BoxIiED1Ev
 * crosses: main named
 * fact: all(.functions[].balance; .abandoned == 0)
 */
#include <cstdio>

static int log[3];

struct Counter {
	int value;
	Counter(int x);
	~Counter();
};
Counter::Counter(int x)
{
	value = x % 3 ? x : -x;
}
Counter::~Counter()
{
	if (value > 4)
		log[0]++;
}

template <class T> struct Box {
	T value;
	Box(T x);
	~Box();
};
template <class T> Box<T>::Box(T x)
{
	value = 0;
	for (T i = 0; i < x; i++)
		value += i & 1 ? i : 1;
}
template <class T> Box<T>::~Box()
{
	log[value & 1]++;
}
template struct Box<int>;

extern "C" {
static int paths(int x)
{
	return x > 3 ? x : 2 * x;
}
int named(int x) __attribute__((alias("_ZL5pathsi")));
static int again(int x) __attribute__((alias("_ZL5pathsi")));
int weakly(int x) __attribute__((weak, alias("_ZL5pathsi")));
}
int (*volatile pointer)(int) = weakly;

int main()
{
	int sum = 0;
	for (int i = 0; i < 8; i++) {
		Counter counter(i);
		Box<int> box(i);
		sum += counter.value + box.value + named(i) + again(i) + weakly(i) + pointer(i);
	}
	std::printf("%d %d %d\n", sum, log[0], log[1]);
}
