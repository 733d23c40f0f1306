#include <stdlib.h>
int sign(int n)
{
	if (n < 0)
		return -1;
	if (n > 0)
		return 1;
	return 0;
}
int main(int argc, char **argv)
{
	int sum = 0;
	for (int i = 1; i < argc; i++)
		sum += sign(atoi(argv[i]));
	return sum > 100;
}
