/*
 * Paths across calls: several calls in a block, shared callees, loops in callees, recursion, mutual recursion,
 * calls through pointers, callbacks, variadic functions, a callee that exits.
 *
 * levels: -O0 -O2
 * scheme: context piecewise
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static long checksum;

__attribute__((noinline)) static long power(long base, long exponent)
{
	long result = 1;
	while (exponent > 0) {
		result *= base;
		exponent--;
	}
	return result % 1000;
}

__attribute__((noinline)) static long leaf(long x)
{
	return x & 1 ? x * 3 : x / 2;
}

__attribute__((noinline)) static long both(long x)
{
	return leaf(x) + leaf(x + 1) + (x & 2 ? power(x & 7, 2) : 0);
}

__attribute__((noinline)) static long factorial(long n)
{
	return n < 2 ? 1 : n * factorial(n - 1) % 1009;
}

long odd(long n);
__attribute__((noinline)) long even(long n)
{
	return n == 0 ? 1 : odd(n - 1);
}
__attribute__((noinline)) long odd(long n)
{
	return n == 0 ? 0 : even(n - 1);
}

__attribute__((noinline)) static int compare(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;
	return leaf(x) < leaf(y) ? -1 : x > y;
}

__attribute__((noinline)) static long sum(int count, ...)
{
	va_list list;
	long total = 0;
	va_start(list, count);
	for (int i = 0; i < count; i++)
		total += leaf(va_arg(list, int));
	va_end(list);
	return total;
}

__attribute__((noinline)) static void finish(int code)
{
	printf("%ld\n", checksum);
	if (code)
		exit(code);
}

static long (*const table[])(long) = {leaf, both, factorial, even};

int main(void)
{
	int numbers[20];
	for (int i = 0; i < 18; i++) {
		if (i % 2 == 0)
			checksum += power(i, 2);
		if (i % 3 == 0)
			checksum += both(i) + power(i, i & 3);
		checksum += table[i % 4](i);
	}
	for (int i = 0; i < 20; i++)
		numbers[i] = (i * 7) % 20;
	qsort(numbers, 20, sizeof *numbers, compare);
	for (int i = 0; i < 20; i += 5)
		checksum += sum(3, numbers[i], i, 2) + factorial(i) + odd(i);
	finish(0);
	finish(3);
}
