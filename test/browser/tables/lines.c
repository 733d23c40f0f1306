#include <stdio.h>

int main(int argc, char **argv)
{
	(void)argv;
	if (argc % 2) {
		puts("one");
		puts("two");
		puts("three");
	}
	if (argc > 2)
		puts("many");
	return 0;
}
