#include <stdio.h>
#include <stdlib.h>
static volatile unsigned sink;
static int odd(int n)
{
	sink += n;
	return n % 3 ? n + 1 : n - 1;
}
static int tree(int n)
{
	return n < 2 ? odd(n) : tree(n - 1) + tree(n - 2);
}
int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : -1;
	for (long i = 0; i != rounds; i++)
		sink += tree(i % 17);
	printf("done\n");
	return 3;
}
