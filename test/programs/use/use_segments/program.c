#include <stdio.h>
#define STEP(i) \
	if (x >> i & 1) \
		r = r * 31 + x % (i + 3); \
	else \
		r ^= x / (i + 2);
__attribute__((noinline)) static unsigned work(unsigned x, int mode)
{
	unsigned r = x;
	if (mode) {
		STEP(0) STEP(1) STEP(2) STEP(3) STEP(4) STEP(5) STEP(6) STEP(7)
	} else {
		STEP(8) STEP(9) STEP(10) STEP(11) STEP(12) STEP(13) STEP(14) STEP(15)
	}
	return r;
}
unsigned often(unsigned x)
{
	return work(x, 0) + 1;
}
unsigned seldom(unsigned x)
{
	return work(x, 1) + 2;
}
int main(void)
{
	unsigned sum = 0;
	for (unsigned i = 0; i < 20000; i++)
		sum += i % 1000 ? often(i * 2654435761u) : seldom(i);
	printf("%u\n", sum);
	return 0;
}
