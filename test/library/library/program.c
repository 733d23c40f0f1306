#include <stdlib.h>
static int odd(int n)
{
	return n & 1 ? 1 : 0;
}
int sum(int n)
{
	int s = 0;
	for (int i = 0; i < n; i++)
		if (odd(i))
			s += i;
		else
			s -= odd(s);
	return s;
}
int main(int argc, char **argv)
{
	return argc > 1 ? sum(atoi(argv[1])) & 0 : 3;
}
