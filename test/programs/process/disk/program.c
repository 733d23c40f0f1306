#include <errno.h>
#include <stdio.h>
int f(int x)
{
	return x > 3 ? x : -x;
}
int main(void)
{
	errno = 7;
	int s = 0;
	for (int i = 0; i < 9; i++)
		s += f(i);
	printf("%d %d\n", s, errno);
	return 4;
}
