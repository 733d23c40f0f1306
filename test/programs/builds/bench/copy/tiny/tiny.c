#include <stdio.h>
#include <time.h>
static __attribute__((noinline)) unsigned next(unsigned x)
{
	return x & 1 ? 3 * x + 1 : x / 2;
}
int main(int argc, char **argv)
{
	unsigned sum = 0;
	(void)argv;
	for (unsigned i = 1; i < (argc > 1 ? 2000 : 20000); i++) {
		unsigned x = i;
		for (int k = 0; k < 20; k++)
			x = next(x);
		sum += x;
	}
	while (clock() < CLOCKS_PER_SEC / 20) // long enough to be measured, on every machine
		;
	printf("%u\n", sum);
	return 0;
}
