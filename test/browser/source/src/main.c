#include "deep <b>/evil.h"
#include "many.h"
#include "odd.h"
#include <stdio.h>

static int never(int x)
{
	if (x)
		return 1;
	return 2;
}

int (*hook)(int) = never;

int main(int argc, char **argv)
{
	long sum = 0;
	(void)argv;
	for (unsigned i = 0; i < 6000; i++) {
		sum += many(i);
		if (i % 3 == 1)
			sum += evil((int)i) + odd((int)i);
	}
	if (argc > 5)
		return hook(argc);
	printf("%ld\n", sum);
	return 0;
}
