#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

static int table[4] = {3, 1, 4, 1};

int check(int i, int n)
{
	assert(i >= 0 && n);
	int x = table[i] / n;
	if (x > 1)
		x--;
	return x + i;
}

int fail(const char *why)
{
	if (why)
		puts(why);
	abort();
}

int loop(int n)
{
	int sum = 0;
	while (n-- > 0) {
		assert(sum < 100);
		sum += n;
	}
	return sum;
}

int main(int argc, char **argv)
{
	int i = argc > 1 ? atoi(argv[1]) : 0;
	if (i == 9)
		fail(argv[1]);
	printf("%d %d\n", check(i, 1), loop(i));
	return 0;
}
