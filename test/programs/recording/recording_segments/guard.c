#include <setjmp.h>
static jmp_buf place;
int guarded(int (*f)(int), int n)
{
	return setjmp(place) ? 1 : f(n);
}
void escape(void)
{
	longjmp(place, 1);
}
