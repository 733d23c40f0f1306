#include <stdlib.h>
__attribute__((noinline)) int f(int x, int *p)
{
	int s;
	if (x & 1)
		s = 3;
	else
		s = x * 5;
	*(volatile int *)p = s;
	return s;
}
int main(int argc, char **argv)
{
	int v, s = 0, n = atoi(argv[1]);
	for (int i = 0; i < n; i++)
		s += f(i & 1, &v);
	if (argc > 2)
		s += f(n & 1, NULL);
	return s == 1;
}
