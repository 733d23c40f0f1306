#include <stdio.h>
static int one(int x)
{
	return x + 1;
}
static int (*volatile pointer)(int) = one;
static int seen;
__attribute__((no_instrument_function)) void __cyg_profile_func_enter(void *f, void *site)
{
	(void)site;
	seen += f == (void *)pointer;
}
__attribute__((no_instrument_function)) void __cyg_profile_func_exit(void *f, void *site)
{
	(void)f, (void)site;
}
__attribute__((noinline)) int hot(int x)
{
	return one(x) + one(x + 1);
}
int main(void)
{
	int sum = 0;
	for (int i = 0; i < 100; i++)
		sum += hot(i);
	printf("%d %d\n", sum, seen);
	return 0;
}
