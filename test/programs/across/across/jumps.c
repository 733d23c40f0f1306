#include <setjmp.h>
#include <stdio.h>
static jmp_buf back;
static __attribute__((noinline)) int inner(int n)
{
	if (n % 4 == 3)
		longjmp(back, n);
	return n & 1 ? n : -n;
}
static __attribute__((noinline)) int outer(int n)
{
	return n & 2 ? inner(n) : n;
}
static volatile int seen;
static __attribute__((noinline)) int after(int n)
{
	if (n > 50)
		seen++;
	return n;
}
int main(void)
{
	volatile int total = 0, jumps = 0;
	for (volatile int i = 0; i < 100; i++) {
		if (setjmp(back))
			jumps++;
		else
			total += outer(i);
		total += after(i);
	}
	printf("%d %d\n", total, jumps);
	return 0;
}
