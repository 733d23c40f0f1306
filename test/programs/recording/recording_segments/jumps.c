#include <setjmp.h>
static jmp_buf b;
__attribute__((noreturn, noinline)) void fail(int n)
{
	if (n & 1)
		longjmp(b, 1);
	longjmp(b, 2);
}
__attribute__((noinline)) int check(int n)
{
	if (n % 3 == 0)
		fail(n);
	return n;
}
int main(void)
{
	volatile int s = 0;
	for (volatile int i = 0; i < 9; i++)
		if (!setjmp(b))
			s += check(i);
	return 0;
}
