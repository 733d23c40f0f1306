#include <stdio.h>
#include <stdlib.h>
static int classify(int n, int limit)
{
	int r = 0;
	if (n > limit)
		r = 1;
	if (n & 1)
		r += 2;
	return r;
}
int main(int argc, char **argv)
{
	int sum = 0;
	for (int i = 0; i < 100; i++)
		sum += classify(i, atoi(argv[1]));
	if (argc > 2)
		puts(argv[2]);
	return sum > 1000;
}
