/* What kind of triangle?  Three decisions, and paths that a few tests never take. */
#include <stdio.h>
#include <stdlib.h>

static const char *kind(int a, int b, int c)
{
	if (a <= 0 || b <= 0 || c <= 0)
		return "no triangle";
	if (a + b <= c || b + c <= a || a + c <= b)
		return "no triangle";
	if (a == b && b == c)
		return "equilateral";
	if (a == b || b == c || a == c)
		return "isosceles";
	return "scalene";
}

int main(int argc, char **argv)
{
	for (int i = 1; i + 2 < argc; i += 3)
		puts(kind(atoi(argv[i]), atoi(argv[i + 1]), atoi(argv[i + 2])));
	return 0;
}
