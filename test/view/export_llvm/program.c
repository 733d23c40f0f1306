#include <stdio.h>
#include <stdlib.h>
__attribute__((noinline)) int hot(int x)
{
	if (x % 10)
		return x / 3;
	return -x;
}
__attribute__((noinline)) int cold(int x)
{
	return x + 1;
}
int main(int argc, char **argv)
{
	int sum = 0, n = argc > 1 ? atoi(argv[1]) : 0;
	for (int i = 0; i < n; i++)
		sum += hot(i);
	if (n == 77)
		sum += cold(n);
	printf("%d\n", sum);
	return 0;
}
