/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Takes paths that depend on numbers: on those of the command line, or else on each line of its input, which it answers. */
#include <stdio.h>
#include <stdlib.h>

static unsigned mix(unsigned n)
{
	unsigned sum = 0;
	for (; n; n /= 3) {
		if (n % 2)
			sum += 3;
		if (n % 3)
			sum ^= n;
		if (n % 5 == 2)
			sum *= 2;
	}
	return sum;
}

static unsigned often(unsigned n)
{
	unsigned sum = 0;
	for (unsigned i = 0; i < n; i++)
		sum += i % 7 ? mix(i * n) : mix(n);
	return sum;
}

int main(int count, char **words)
{
	char line[64];
	for (int i = 1; i < count; i++)
		printf("%u\n", often((unsigned)strtoul(words[i], NULL, 10)));
	while (count < 2 && fgets(line, sizeof line, stdin)) {
		printf("%u\n", often((unsigned)strtoul(line, NULL, 10)));
		fflush(stdout);
	}
	return 0;
}
