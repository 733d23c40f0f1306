#include <csetjmp>
#include <cstdlib>
#include <stdexcept>
#ifdef INLINED
#define IN static __attribute__((always_inline)) inline
#else
#define IN static __attribute__((noinline))
#endif
#define OUT extern "C" __attribute__((noinline))
static int left;
static volatile int sum;
static jmp_buf back;
OUT void at(int where)
{
	sum += where;
	if (--left == 0)
		abort();
}
OUT void fails(int n)
{
	at(n);
	if (n % 3 == 0)
		throw n;
	at(n);
}
OUT int far(int n, int depth);
IN void sixth(int n)
{
	if (n & 1)
		at(61);
	fails(n);
	for (int i = 0; i < n % 4; i++)
		at(62);
}
IN void fifth(int n)
{
	at(51);
	sixth(n);
	if (n & 2)
		sixth(n + 1);
	at(52);
}
IN int fourth(int n)
{
	try {
		fifth(n);
	} catch (int caught) {
		at(41);
		if (caught > 8)
			throw std::runtime_error("large");
	}
	at(42);
	return n;
}
IN int third(int n)
{
	int result = 0;
	for (int i = 0; i < 2; i++) {
		at(31);
		result += fourth(n + i);
	}
	return result;
}
struct guard {
	int n;
	~guard() { at(n); }
};
IN int second(int n)
{
	guard here = {21};
	if (n & 1)
		return third(n) + 1;
	at(22);
	return third(n / 2) + third(n + 1);
}
IN int first(int n)
{
	int result = 0;
	try {
		at(11);
		result = second(n);
		at(12);
	} catch (std::exception &) {
		at(13);
		result = fourth(1);
	}
	return result;
}
OUT void jump(int n)
{
	at(71);
	if (n)
		longjmp(back, n);
}
OUT int returns_twice(int n)
{
	volatile int again = 0;
	if (setjmp(back) == 0)
		again = first(n);
	at(81);
	jump(again++ == 0);
	return again + first(n + 1);
}
OUT int far(int n, int depth)
{
	at(91);
	int result = first(n);
	if (depth)
		result += far(n + 1, depth - 1);
	return result + third(1);
}
int main(int argc, char **argv)
{
	(void)argc;
	left = atoi(argv[1]);
	return (returns_twice(2) + far(4, 5)) * 0;
}
