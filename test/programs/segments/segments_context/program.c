#include <stdio.h>
static int sum(int n)
{
	int s = 0;
	for (int i = 0; i < n; i++)
		s += i;
	return s;
}
static int odd(int n)
{
	return n & 1 ? n : 0;
}
static int work(int n)
{
	int r = 0;
	if (n > 50)
		return 9;
	if (sum(n) > 2)
		r += odd(n);
	return r;
}
int main(int argc, char **argv)
{
	int x = 0;
	if (argc > 5)
		return 9;
	for (int i = 0; i < 9; i++)
		if (work(i) > 3)
			x++;
	printf("%d\n", x);
	return 0;
}
