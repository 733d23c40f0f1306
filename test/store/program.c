/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Takes paths that depend on numbers: on those of the command line, or else on each line of its input, which it answers.  A line
 * that begins with '/' is the name of a snapshot.  It is left inside a call: main has an unfinished path. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int waymark_dump(const char *pattern);

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
	char line[4096];
	for (int i = 1; i < count; i++)
		printf("%u\n", often((unsigned)strtoul(words[i], NULL, 10)));
	while (count < 2 && fgets(line, sizeof line, stdin)) {
		line[strcspn(line, "\n")] = 0;
		printf("%u\n", *line == '/' ? (unsigned)waymark_dump(line) : often((unsigned)strtoul(line, NULL, 10)));
		fflush(stdout);
	}
	exit(0);
}
