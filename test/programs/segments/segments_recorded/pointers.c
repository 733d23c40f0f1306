#include <stdio.h>
static int alpha(int x)
{
	return x & 1 ? x * 3 : x / 2;
}
static int beta(int x)
{
	return x > 5 ? alpha(x) : x;
}
static int gamma1(int x)
{
	return x + 1;
}
static int (*const table[])(int) = {alpha, beta, gamma1};
static int apply(int (*f)(int), int x)
{
	return f(x) + (x & 2 ? f(x + 1) : 0);
}
int main(void)
{
	int t = 0;
	for (int i = 0; i < 30; i++) {
		t += table[i % 3](i);
		t += apply(table[i % 2], i);
	}
	printf("%d\n", t);
	return 0;
}
