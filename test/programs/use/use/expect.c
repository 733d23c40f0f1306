#include <stdio.h>
#include <stdlib.h>
__attribute__((noinline)) int check(int x)
{
	if (x < 0) {
		if (__builtin_expect(x == -7, 0))
			abort();
		return puts("negative");
	}
	return __builtin_expect(x == 5, 1) ? 1 : x;
}
int main(void)
{
	int sum = 0;
	for (int i = 0; i < 100; i++)
		sum += check(i);
	return sum == 0;
}
