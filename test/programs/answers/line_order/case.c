#include <stdio.h>
static int twice(int x)
{
	if (x > 3)
		return 2 * x;
	return x;
}
static int add(int a, int b)
{
	int c = a;
	c += twice(a) +
		twice(b);
	if (twice(c) > 9)
		c++;
	return c;
}
static int spans(int a, int b)
{
	int c = a +
		b;
	return c > 3 &&
		b;
}
int main(int argc, char **argv)
{
	int n = argc;
	n = n + 1;
	n = add(n, 7);
	n++;
	printf("%d\n", n + spans(n, 1));
	return 0;
}
