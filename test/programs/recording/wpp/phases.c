#include <stdio.h>
__attribute__((noinline)) static int square(int x)
{
	return x % 3 == 0 ? x * x : x + 1;
}
__attribute__((noinline)) static int grow(int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++)
		if (i & 1)
			sum += square(i);
		else
			sum -= i;
	return sum;
}
__attribute__((noinline)) static int shrink(int n)
{
	while (n > 1)
		n = n & 1 ? n - 1 : n / 2;
	return n;
}
int main(void)
{
	int sum = 0;
	for (int i = 0; i < 300; i++)
		sum += grow(i % 50);
	for (int i = 0; i < 3000; i++)
		sum += shrink(i);
	printf("%d\n", sum);
	return 0;
}
