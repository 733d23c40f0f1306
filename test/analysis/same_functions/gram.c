#include <stdlib.h>
#line 100 "gram.y"
int pick(int a)
{
	if (a > 2)
		return 1;
	if (a < -2)
		return 2;
	return 0;
}
#line 5 "g.y.c"
int main(int c, char **v)
{
	int s = 0;
	for (int i = 1; i < c; i++)
		s += pick(atoi(v[i]));
	return s > 100;
}
