#include <stdio.h>
#include <stdlib.h>
static long calls[6];
__attribute__((noinline)) static int leaf(int x)
{
	calls[0]++;
	int s = 0;
	for (int i = 0; i < x; i++)
		s += i % 3 == 1 ? 2 : 3;
	return s;
}
__attribute__((noinline)) static int mid(int x)
{
	calls[1]++;
	return leaf(x) +
		leaf(2 * x);
}
__attribute__((noinline)) static int fact(int n)
{
	calls[2]++;
	return n < 2 ? 1 : n * fact(n - 1);
}
__attribute__((noinline)) static int only(int n)
{
	calls[3]++;
	int s = 0;
	while (n--)
		s += mid(n);
	return s;
}
__attribute__((noinline)) static int never(int n) { return n ? 1 : 2; }
int main(int argc, char **argv)
{
	(void)argv;
	int s = only(argc + 6);
	s += fact(5);
	if (s < 0)
		s += never(s);
	fprintf(stderr, "%d\n", s);
	printf("leaf %ld\nmid %ld\nfact %ld\nonly %ld\n", calls[0], calls[1], calls[2], calls[3]);
	return 0;
}
