#include <stdlib.h>
__attribute__((noreturn, noinline)) void fail(int n)
{
	if (n & 1)
		exit(0);
	exit(2);
}
__attribute__((noinline)) int check(int n)
{
	if (n < 0)
		fail(n);
	return n;
}
int main(int argc, char **argv)
{
	int n = argv[1][0] == '-' ? '0' - argv[1][1] : argv[1][0] - '0';
	if (n == 9)
		fail(4);
	return check(n) & 0;
}
