#include <stdio.h>
#include <stdlib.h>

static int rare(int n)
{
	if (n > 6 && n % 2)
		return 1;
	return n > 3 || n < -3 ? 2 : 3;
}

static int often(int n)
{
	int sum = 0;
	for (int i = 0; i < 10; i++)
		if (i > 5)
			sum += i > n ? 1 : 2;
	return sum;
}

static int straight(int n)
{
	return n + 1;
}

int never(int n)
{
	if (n > 1)
		return n < 5 ? 4 : 5;
	return 6;
}

static void leave(int n)
{
	if (n == 4)
		puts("leave");
	exit(1);
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 0, sum = 0;
	for (int i = 0; i < n; i++)
		sum += often(i) + straight(straight(i));
	sum += rare(n);
	if (sum > 1000)
		sum = never(sum);
	printf("%d\n", sum);
	if (n == 5 || n == 4)
		leave(n);
	return 0;
}
