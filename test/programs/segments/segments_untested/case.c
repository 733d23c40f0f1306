#include <stdio.h>
static int leaf(int x)
{
	if (x > 5)
		return 1;
	return 2;
}
static int user(int a, int b)
{
	int s = 3;
	if (a)
		s = 1;
	return s + leaf(b);
}
static int other(int x)
{
	if (x == 7)
		return leaf(x) + 1;
	return leaf(x);
}
int main(int argc, char **argv)
{
	int sum = 0;
	for (int i = 1; i + 1 < argc; i += 2)
		sum += user(argv[i][0] - '0', argv[i + 1][0] - '0') + other(argv[i + 1][0] - '0');
	printf("%d\n", sum);
	return 0;
}
