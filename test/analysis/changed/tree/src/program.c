#include <stdio.h>
#include <stdlib.h>
static FILE *out;
#define HERE fprintf(out, "%d\n", __LINE__)
static int sign(int n)
{
	if (n < 0) {
		HERE;
		return -1;
	}
	if (n > 99) {
		HERE;
		n = 99;
		HERE;
	}
	HERE;
	return n > 0;
}
int main(int argc, char **argv)
{
	int sum = 0;
	out = fopen(argv[1], "w");
	for (int i = 2; i < argc; i++) {
		HERE;
		sum += sign(atoi(argv[i]));
	}
	HERE;
	return fclose(out) + (sum > 100);
}
