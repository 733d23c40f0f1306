#include "step.h"
int (*volatile stepping)(int) = step;
int main(void)
{
	int sum = 0;
	for (int i = 0; i < 9; i++)
		sum += step(i) - stepping(i);
	return sum;
}
