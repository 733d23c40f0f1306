#include <assert.h>

int check(int a, int b, int c)
{
	assert(a || b);
	assert(a == 1 || (b == 2 && c) || c == 3);
	if (a) assert(c);
	return a;
}

int main(int argc, char **argv)
{
	(void)argv;
	return check(argc, argc + 1, argc) - argc;
}
