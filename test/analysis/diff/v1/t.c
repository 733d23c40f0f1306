#include <stdio.h>
#include <stdlib.h>
static int kind(int n)
{
	int r = 0;
	if (n < 0)
		return -1;
	if (n % 3 == 0)
		r = 3;
	else
		r = 1;
	while (n > 10) {
		n /= 2;
		r++;
	}
	return r;
}
static int gone(int n)
{
	return n > 5 ? 1 : 2;
}
int main(int argc, char **argv)
{
	long sum = 0;
	for (int i = 1; i < argc; i++)
		sum += kind(atoi(argv[i])) + gone(i);
	printf("%ld\n", sum);
	return 0;
}
