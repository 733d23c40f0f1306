#include <stdio.h>
#include <stdlib.h>
#define D(c) (is = (c) != 0, fprintf(stderr, "%d %s\n", __LINE__, is ? "true" : "false"), is)
static int decide(int a, int b, int c)
{
	int is, r = 0;
	if (D(a > 5))
		r += 1;
	if (D(b > 5))
		r += 2;
	if (D((a > 5) * (c > 2) + (a <= 5) * (c > 7))) {
		r += 4;
		if (D(r == 7))
			r += 8;
	}
	if (D(a > 7))
		r += 16;
	if (D(r > 6))
		r += 32;
	fprintf(stderr, "end\n");
	return r;
}
int main(int argc, char **argv)
{
	unsigned seed = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
	int sum = 0;
	for (int i = 0; i < 2000; i++) {
		unsigned x = seed = seed * 1103515245u + 12345u;
		sum += decide(x >> 16 & 15, x >> 19 & 7, (x >> 22 & 7) + (i % 3 == 0));
	}
	return sum < 0;
}
