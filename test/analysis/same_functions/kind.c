#include <assert.h>
static int half(int a)
{
	if (a > 9)
		return a / 2;
	return a;
}
int kind(int a, int b)
{
	int k = half(a);
	assert(b <
		100);
	if (a > b)
		k += 1;
	if (b % 2)
		k += 2;
	return k;
}
