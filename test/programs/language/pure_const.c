/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * Calls to pure and const functions must not be merged once they count paths.
 *
 * source: f("square") | .entries == 20
 * source: f("length") | .entries == 20
 */
#include <stdio.h>

__attribute__((const, noinline)) int square(int x)
{
	return x < 0 ? 0 : x * x;
}

__attribute__((pure, noinline)) int length(const char *s)
{
	int n = 0;
	while (s[n])
		n++;
	return n;
}

int main(void)
{
	int sum = 0;
	for (int i = 0; i < 10; i++) {
		sum += square(7) + square(7);
		sum += length("waymark") + length("waymark");
	}
	printf("%d\n", sum);
	return 0;
}
