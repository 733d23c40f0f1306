#include <stdlib.h>

static int most = 3;

__attribute__((noinline)) static void check(int n)
{
	if (n > most)
		exit(0);
}

__attribute__((noinline)) static int work(int a, int b)
{
	int sum = 0;
	if (a)
		sum += a;
	else
		sum -= 2;
	if (b)
		check(b);
	check(sum);
	check(sum + 1);
	return sum;
}

int main(int count, char **words)
{
	int sum = 0;
	for (int i = 1; i + 1 < count; i += 2)
		sum += work(atoi(words[i]), atoi(words[i + 1]));
	return sum > 1000;
}
