#include <stdio.h>
__attribute__((noinline)) static int choose(int n)
{
	if (n % 2)
		return n;
	return -n;
}
int main(int argc, char **argv)
{
	int sum = 0;
	for (int i = 0; i < 10; i++)
		sum += choose(i);
	printf("%d\n", sum);
	return argc > 1 ? argv[1][0] - '0' : 0;
}
