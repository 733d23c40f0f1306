#include "half.h"
int (*volatile pointer)(int) = half;
int main(void)
{
	int sum = 0;
	for (int i = 0; i < 10; i++)
		sum += half(i) + pointer(i);
	return sum == 50 ? 0 : 1;
}
