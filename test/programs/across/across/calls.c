#include <stdio.h>
#include <stdlib.h>
static int compared;
static int is_less(int a, int b)
{
	compared++;
	return a < b ? -1 : a > b;
}
static int compare(const void *a, const void *b)
{
	return is_less(*(const int *)a, *(const int *)b);
}
static int odd(unsigned n);
static int even(unsigned n)
{
	return n == 0 ? 1 : odd(n - 1);
}
static int odd(unsigned n)
{
	return n == 0 ? 0 : even(n - 1);
}
static unsigned fib(unsigned n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
static int twice(int n)
{
	return n > 10 ? 2 * n : n;
}
static int sum(int n)
{
	int s = 0;
	for (int i = 0; i < n; i++)
		s += i & 1 ? twice(i) : -i;
	return s;
}
static int both(int n)
{
	return sum(n) + twice(sum(n + 1)) + twice(n);
}
int (*volatile table[])(int) = {twice, sum, both};
__attribute__((noinline)) int variadic(int n, ...)
{
	return n > 2 ? sum(n) : twice(n);
}
int main(void)
{
	int numbers[100], total = 0;
	for (int i = 0; i < 100; i++)
		numbers[i] = (i * 37) % 101;
	qsort(numbers, 100, sizeof *numbers, compare);
	for (int i = 0; i < 40; i++) {
		total += both(i) + table[i % 3](i) + variadic(i, i, 1.0);
		if (even((unsigned)i) && total & 1)
			total += (int)fib((unsigned)i % 12);
		switch (twice(i) % 5) {
		case 0:
			total += sum(i);
			break;
		case 3:
			total -= both(i);
			continue;
		default:
			break;
		}
	}
	printf("%d %d %d\n", total, numbers[50], compared > 100);
	return 0;
}
