#include <stdlib.h>
int deeper(int n);
int shared(int n)
{
	return n & 1 ? 1 : 2;
}
int again(int n)
{
	return n ? deeper(n - 1) + shared(n) : 0;
}
int main(void)
{
	for (int i = 0; i < 4; i++)
		again(i);
	return again(9);
}
