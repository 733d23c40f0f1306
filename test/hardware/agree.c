/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loops, calls, recursion and early exits, for the agreement of hardware and software paths:
 * every path of every function should be executed a different number of times. */
#include <stdlib.h>

static unsigned state = 1;

static unsigned next(void)
{
	state = state * 1103515245u + 12345u;
	return state >> 16 & 0x7fff;
}

static int classify(unsigned x)
{
	if (x % 2 == 0 && x % 3 == 0)
		return 0;
	if (x % 5 == 0 || x % 7 == 0)
		return 1;
	return x > 10000 ? 2 : 3;
}

static int nested(int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++) {
		for (int j = 0; j < i; j++) {
			if (next() % 4 == 0)
				continue;
			sum += classify(next());
			if (sum % 11 == 0)
				break;
		}
		if (sum % 13 == 0)
			return sum;
	}
	return -sum;
}

static int bottom(int n)
{
	int sum = 0;
	do {
		if (next() % 3)
			sum += classify((unsigned)n);
		else
			sum--;
	} while (--n > 0);
	if (sum > 3)
		return sum;
	return 0;
}

static int recursive(int n)
{
	if (n < 2)
		return 1;
	if (next() % 5 == 0)
		return recursive(n - 1);
	return recursive(n - 1) + recursive(n - 2);
}

static int backwards(int n)
{
again:
	if (n > 0) {
		n -= 1 + (int)(next() % 3);
		if (classify((unsigned)n) == 2)
			n--;
		goto again;
	}
	return n;
}

static int compare(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;
	if (x < y)
		return -1;
	return x > y;
}

/* Exactly 32 branches on some paths: the limit of a descriptor. */
static int longest(unsigned bits)
{
	int sum = 0;
#define STEP(i) \
	if (bits >> (i) & 1) \
	sum += i
	STEP(0);
	STEP(1);
	STEP(2);
	STEP(3);
	STEP(4);
	STEP(5);
	STEP(6);
	STEP(7);
	STEP(8);
	STEP(9);
	STEP(10);
	STEP(11);
	STEP(12);
	STEP(13);
	STEP(14);
	STEP(15);
	STEP(16);
	STEP(17);
	STEP(18);
	STEP(19);
	STEP(20);
	STEP(21);
	STEP(22);
	STEP(23);
	STEP(24);
	STEP(25);
	STEP(26);
	STEP(27);
	STEP(28);
	STEP(29);
	STEP(30);
	STEP(31);
	return sum;
}

int main(void)
{
	int table[500], sum = 0;
	for (int i = 0; i < 500; i++)
		table[i] = (int)next();
	qsort(table, 500, sizeof *table, compare);
	for (int i = 0; i < 60; i++)
		sum += nested(i) + bottom(1 + i % 17) + backwards(i);
	for (unsigned i = 0; i < 40; i++)
		sum += longest(i % 7 ? 1u << i % 32 : ~0u);
	return (sum + recursive(14)) & 63;
}
