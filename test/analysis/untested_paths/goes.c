#include <stdio.h>
#include <stdlib.h>
__attribute__((noinline)) static int work(int n)
{
	return printf("%d\n", n);
}
int main(int argc, char **argv)
{
	int n = atoi(argv[1]), r = argc;
	while (n-- > 3 && r)
		r -= work(n);
	return r ? work(6) : puts("none");
}
