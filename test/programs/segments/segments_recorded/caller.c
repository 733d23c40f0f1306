#include <stdio.h>
int leaf(int);
int loop(int);
static int choose(int n)
{
	if (n % 3 == 0)
		return leaf(n) + leaf(n + 1);
	return loop(n);
}
int main(void)
{
	int t = 0;
	for (int i = 0; i < 10; i++)
		t += choose(i);
	printf("%d\n", t);
	return 0;
}
