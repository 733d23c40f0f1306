#include <string.h>
#define OUT __attribute__((noinline))
static volatile int total;
#include "inner.h"
int *volatile nothing;
OUT int header(int *p)
{
	total = 3;
	sum_up(p, 4); /* header 3 */
	return total;
}
OUT int merged(int *p, int n)
{
	int got;
	got = either(p, n); /* merged 2 */
	return got * 3;
}
int main(int argc, char **argv)
{
	if (!strcmp(argv[1], "header"))
		return header(nothing - 3);
	return merged(nothing, argc);
}
