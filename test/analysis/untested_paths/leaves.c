#include <stdlib.h>
int inner(int n)
{
	if (n > 2)
		exit(0);
	return n == 1;
}
int main(int argc, char **argv)
{
	(void)argc;
	return inner(atoi(argv[1])) > 1;
}
