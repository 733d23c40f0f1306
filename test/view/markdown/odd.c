/* Conditions and comments that would be markup. */
#include <stdio.h>
#include <stdlib.h>

struct point {
	int x, y[4];
};

static int odd(const struct point *p, int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++) /* ``` @somebody <script> */
		if (p->y[i & 3] * n < p->x || (p->x & n) == 2)
			sum += i;
		else
			sum -= p->y[0];
	return sum;
}

int main(int argc, char **argv)
{
	struct point p = {argc, {1, 2, 3, 4}};
	const char *text = "`````<b>|x|</b>&amp;";
	int total = argc > 7 ? (int)text[0] : 0;
	for (int i = 1; i < argc; i++)
		total += odd(&p, atoi(argv[i]));
	printf("%d\n", total);
	return 0;
}
