#include "twice.h"
int inner(int n)
{
	return n & 2 ? n : -n;
}
int main()
{
	int sum = 0;
	for (int i = 0; i < 9; i++)
		sum += outer(i) + other(i);
	return sum == 1000;
}
