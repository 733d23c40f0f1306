#include <setjmp.h>
static jmp_buf buffer;
int leaf(int n)
{
	return n & 2 ? n : -n;
}
void jump(int n)
{
	if (n & 1)
		longjmp(buffer, 1);
}
int attempt(int n)
{
	volatile int sum = leaf(n);
	if (n & 4)
		sum++;
	if (setjmp(buffer))
		return sum + leaf(n + 1);
	jump(n);
	return sum;
}
int main()
{
	int sum = 0;
	for (int i = 0; i < 20; i++)
		sum += attempt(i);
	for (int i = 0; i < 9; i++)
		sum += leaf(i);
	return sum == 1000;
}
