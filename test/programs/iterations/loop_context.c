/*
 * How control came to a loop, and what it did there, in loops in loops.
 *
 * scheme: loopcontext
 * source: [f("walk").paths[] | select(.again | length == 2)] | length > 0
 * source: sum(f("walk").paths[] | select(.start == "entry") | .count) == f("walk").entries
 * fact: f("walk").entries == 30
 */
#include <stdio.h>

__attribute__((noinline)) static unsigned walk(unsigned n)
{
	unsigned sum = n & 1 ? 5 : 9;
	for (unsigned i = 0; i < n; i++) {
		if (i % 3 == 0)
			sum += i;
		for (unsigned j = i; j % 5; j++)
			sum = sum & 1 ? sum * 3 + 1 : sum / 2;
	}
	while (sum > 4)
		sum -= sum & 4 ? 3 : 1;
	return sum;
}

int main(void)
{
	unsigned sum = 0;
	for (unsigned i = 0; i < 30; i++)
		sum += walk(i);
	printf("%u\n", sum);
	return 0;
}
