#include <stdlib.h>
__attribute__((noinline)) static void leave(int n)
{
	if (n)
		exit(0);
}
int main(int argc, char **argv)
{
	(void)argv;
	leave(argc);
	return 1;
}
