#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static volatile int line[100000], count;
#define V line[count++] = __LINE__
#define OUT __attribute__((noinline))
int *volatile nothing;
__attribute__((no_profile_instrument_function)) OUT void tell(void)
{
	for (int i = 0; i < count; i++) printf("%d\n", line[i]);
	fflush(stdout);
}
OUT int inner(unsigned bits)
{
	V;
	if (bits & 2)
		V;
	else
		V;
	if (bits & 4)
		V;
	return (int)bits;
}
OUT int outer(unsigned seed, unsigned rounds)
{
	int sum = 0;
	for (unsigned i = 0; i < rounds; i++) {
		seed = seed * 1103515245 + 12345;
		unsigned bits = seed >> 16;
		if (bits & 1)
			sum += inner(bits);
		if (bits & 8)
			V;
		if (bits & 16)
			V, sum++;
		else if (bits & 32)
			V, sum--;
		V;
		if (i == rounds - 1) {
			V;
			tell();
			*nothing = sum;
		}
	}
	return sum;
}
int main(int argc, char **argv)
{
	(void)argc;
	return outer((unsigned)atoi(argv[1]), (unsigned)atoi(argv[2]));
}
