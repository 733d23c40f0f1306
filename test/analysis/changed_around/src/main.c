#include <stdio.h>
#include <stdlib.h>
int the_pipe[2];
int other(int n);
static void finish(int n)
{
	if (n)
		exit(0);
}
static int one(int n)
{
	int

		twice;
	twice = 2 * n;
	finish(n > 90);
	if (n > 5)
		twice++; // more
	return twice;
}
static int two(int n)
{
	/* Only a comment. */

	return n + the_pipe[0];
}
static int three(int n)
{
	puts("before");
	finish(n);
	return puts("never");
}
int main(int argc, char **argv)
{
	int n = atoi(argv[2]);
	switch (argv[1][0]) {
	case '1': return one(n) == 0;
	case '2': return two(n) < 0;
	case '3': return three(n) < 0;
	case '4': return other(n) < 0;
	}
	return 0;
}
