#include <stdlib.h>
__attribute__((noinline)) static int h(int x)
{
	if (x > 3)
		return 1;
	return 0;
}
__attribute__((noinline)) static int g(int x)
{
	if (h(x))
		return 2;
	return 3;
}
static void leave(void)
{
	exit(0);
}
static void stay(void)
{
}
static int apart(int x)
{
	return g(x) + 1;
}
void (*volatile ends)(void) = leave;
int (*volatile called)(int) = apart;
int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 1)
		ends = stay;
	for (int i = 0; i < 3; i++)
		g(5);
	for (int i = 0; i < 2; i++)
		called(1);
	if (g(5))
		ends();
	return 0;
}
