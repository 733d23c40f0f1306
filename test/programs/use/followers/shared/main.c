#include <setjmp.h>
static jmp_buf place;
static volatile int i, sum;
int hook(int x)
{
	if (i % 4 == 0)
		longjmp(place, 1);
	return x + 100;
}
int hot(int);
int main(void)
{
	for (i = 0; i < 100; i = i + 1)
		if (!setjmp(place))
			sum = sum + hot(i);
	return 0;
}
