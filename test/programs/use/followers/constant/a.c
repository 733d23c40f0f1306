#include <stdio.h>
__attribute__((const, noinline)) static int g(int x)
{
	if (x > 3)
		return x * 2;
	return x - 1;
}
__attribute__((const)) static int f(int x)
{
	return g(x) + 1;
}
__attribute__((const)) static int unused(int x)
{
	return g(x) + 7;
}
__attribute__((noinline)) int caller(int x)
{
	unused(x);
	return f(x) + f(x);
}
int main(void)
{
	int sum = 0;
	for (int i = 0; i < 100; i++)
		sum += caller(i);
	printf("%d\n", sum);
	return 0;
}
