#include <stdio.h>
#include <stdlib.h>
static __attribute__((noinline)) int f(int n)
{
	if (n > 1)
		putchar('a' + n);
	return n;
}
static int order(const void *a, const void *b)
{
	return f(*(const int *)a - *(const int *)b);
}
int main(int argc, char **argv)
{
	int list[] = {1, 3, 7, 9}, wanted = 7, s = 0;
	for (int i = 0; i < 5; i++)
		s += f(i);
	s += bsearch(&wanted, list, 4, sizeof *list, order) != NULL;
	putchar('\n');
	return s == 1;
}
