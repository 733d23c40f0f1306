#include <stdio.h>
#include <stdlib.h>
__attribute__((noinline)) static void note(const char *text)
{
	fputs(text, stderr);
}
static int steps(unsigned n)
{
	int count = 0;
	while (n != 1) {
		if (n & 1) {
			if (n > 1000000000)
				note("large\n");
			n = 3 * n + 1;
		} else {
			n /= 2;
		}
		count++;
	}
	return count;
}
static int kind(int x)
{
	if (x < 10)
		return 0;
	if (x < 50)
		return 1;
	if (x > 100)
		note("");
	return 2;
}
int main(int argc, char **argv)
{
	unsigned n = argc > 1 ? (unsigned)atoi(argv[1]) : 1000;
	int sum[3] = {0};
	for (unsigned i = 1; i < n; i++)
		sum[kind(steps(i))]++;
	printf("%d %d %d\n", sum[0], sum[1], sum[2]);
	return 0;
}
