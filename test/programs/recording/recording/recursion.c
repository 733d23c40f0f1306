/* longjmp to one of several activations of a recursive function, from below and past functions without setjmp. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
static jmp_buf jump[40];
static int sink;
static int leaf(int n)
{
	if (n % 3 == 0)
		longjmp(jump[n % 7], n + 1);
	return n * 2;
}
static int passes(int n)
{
	return leaf(n) + leaf(n + 1);
}
static int recurse(int depth, int n)
{
	volatile int d = depth;
	int back = setjmp(jump[d]);
	if (back) {
		sink += back;
		return d;
	}
	if (depth == 6) {
		for (int i = 0; i < 5; i++)
			sink += passes(n + i);
		return 0;
	}
	return recurse(depth + 1, n) + recurse(depth + 1, n + 1);
}
static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}
int main(void)
{
	int list[50];
	for (int i = 0; i < 3; i++)
		sink += recurse(0, i);
	for (int i = 0; i < 50; i++)
		list[i] = i * 37 % 50;
	qsort(list, 50, sizeof *list, compare);
	printf("%d %d\n", sink, list[7]);
	exit(0);
}
