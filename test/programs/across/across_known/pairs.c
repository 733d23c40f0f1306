#include <stdlib.h>
__attribute__((noinline)) static int low(int n)
{
	if (n & 1)
		return 3;
	return 5;
}
__attribute__((noinline)) static int high(int n)
{
	if (n & 2)
		return 7;
	return 11;
}
int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 0;
	return low(n) + high(n) == 1;
}
