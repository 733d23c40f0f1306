#include <stdio.h>
#include <stdlib.h>
static unsigned long table[256];
__attribute__((noinline)) void one(unsigned long x)
{
	table[x & 255] += 3;
}
__attribute__((noinline)) void two(unsigned long x)
{
	table[x & 127] ^= 5;
}
__attribute__((noinline)) unsigned long decide(int *v, unsigned long x, int n)
{
	unsigned long sum = 0;
	int kind;
	if (n & 1) {
		kind = 1;
		one(x);
	} else {
		kind = 2;
		two(x);
	}
	sum += table[x & 255], v[2] ^= (int)x, x ^= x >> 7, sum += table[(x >> 8) & 255];
	v[3] += (int)sum, x += sum * 13, sum ^= table[(x >> 3) & 255], v[4] += (int)(x >> 2);
	v[5] ^= (int)(sum << 1), v[6] += v[4] * v[5];
	if (kind == 1)
		one(sum);
	else
		two(sum);
	return sum + x;
}
int main(int argc, char **argv)
{
	int v[8] = {0};
	unsigned long sum = 0;
	for (int i = 0; i < 256; i++)
		table[i] = i * 2654435761u;
	for (int i = 0; i < (argc > 1 ? atoi(argv[1]) : 10000); i++)
		sum += decide(v, sum, (int)(sum >> 5));
	printf("%lu %d\n", sum, v[6]);
	return 0;
}
