#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
static jmp_buf place;
static int bar(int x)
{
	if (x > 15)
		return 7;
	if (x & 1)
		return x * 3;
	return x / 2;
}
static int rec(int n)
{
	if (n < 2)
		return n;
	return rec(n - 1) + bar(n);
}
static int loop(int n)
{
	int s = 0;
	for (int i = 0; i < n; i++)
		s += bar(i);
	return s;
}
static int many(int n, ...)
{
	int s = 0;
	va_list list;
	va_start(list, n);
	while (n-- > 0)
		s += va_arg(list, int);
	va_end(list);
	return s;
}
static int again(int n)
{
	if (setjmp(place))
		return n;
	return bar(n);
}
static int (*volatile pointer)(int) = bar;
int main(int argc, char **argv)
{
	int t = 0, n = argc > 1 ? atoi(argv[1]) : 10;
	for (int i = 0; i < n; i++) {
		if (i % 3 == 0)
			t += bar(i) + bar(i + 1);
		else
			t += loop(i);
		if (i > 10)
			t += rec(i - 10);
	}
	t += rec(5) + many(2, 3, 4) + again(6) + pointer(7);
	printf("%d\n", t);
	return 0;
}
