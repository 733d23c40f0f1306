#include "header.h"
#include <stdio.h>
int main(int argc, char **argv)
{
	printf("%d\n", argc > 9 ? later(argv[0][0]) : before(argc));
	return 0;
}
int unused(int x)
{
	return x > 1 ? puts("") : x;
}
