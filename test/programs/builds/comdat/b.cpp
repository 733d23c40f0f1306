#include "shared.hpp"
#include <cstdio>
int a(int);
static __attribute__((noinline)) int local(int x)
{
	while (x > 5)
		x -= clamp(x);
	return x;
}
int main()
{
	int s = 0;
	for (int i = 0; i < 30; i++)
		s += a(i) + local(i) + larger(i, 7);
	std::printf("%d\n", s);
}
