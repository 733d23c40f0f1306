#include <stdio.h>
#include <stdlib.h>
static int branches(int a, int b)
{
	int n = 0;
	if (a)
		n++;
	else if (b)
		n--;
	if (a > b)
		n += 2;
	return n;
}
static int loop(int a, int b)
{
	int n = 0;
	for (int i = 0; i < a; i++) {
		if (i == b)
			continue;
		n += i & 1 ? 3 : 5;
		if (n > 12)
			break;
	}
	return n;
}
static int nested(int a, int b)
{
	int n = 0;
	for (int i = 0; i < a; i++) {
		int j = b;
		while (j-- > 0)
			if (i == j)
				n++;
		if (n == 2)
			n = 7;
	}
	return n;
}
static int two_loops(int a, int b)
{
	int n = 0;
	do
		n += a & 1;
	while (a-- > 1);
	while (b > 0 && n < 4)
		b -= n & 1 ? 2 : 1, n++;
	return n;
}
static int states(const char *s)
{
	int n = 0, state = 0;
	for (; *s; s++)
		switch (state) {
		case 0:
			state = *s == 'a';
			break;
		case 1:
			if (*s == 'b')
				state = 2;
			break;
		default:
			n++, state = 0;
		}
	return n;
}
static int jumps(int a, int b)
{
	int n = 0;
again:
	if (a > 3)
		goto middle;
	n += b;
	if (n > 9)
		return n;
middle:
	if (--a > 0)
		goto again;
	return n + a;
}
int main(int argc, char **argv)
{
	int sum = 0;
	for (int i = 1; i + 1 < argc; i += 2) {
		int a = atoi(argv[i]), b = atoi(argv[i + 1]);
		sum += branches(a, b) + loop(a, b) + nested(a, b) + two_loops(a, b) + jumps(a, b);
	}
	sum += states("aabab") + states("abba") + states("");
	printf("%d\n", sum);
}
