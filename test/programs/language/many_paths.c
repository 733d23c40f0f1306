/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * 2^20 paths go to a hash, 2^80 are cut; no count is lost either way.
 *
 * source: f("hashed") | .status == "exact" and .entries == 700
 * source: total("hashed") == 700
 * source: f("cut") | .status == "split" and .entries == 700
 * source: ends("cut"; "return") == 700
 */
#include <stdio.h>

static unsigned long seed = 1, sum;

__attribute__((noinline)) static unsigned bit(void)
{
	seed = seed * 6364136223846793005ul + 1442695040888963407ul;
	return seed >> 63;
}

#define D if (bit()) sum += __LINE__; else sum ^= 3;
#define D4 D D D D
#define D16 D4 D4 D4 D4

__attribute__((noinline)) void hashed(void)
{
	D16 D4
}

__attribute__((noinline)) void cut(void)
{
	D16 D16 D16 D16 D16
}

int main(void)
{
	for (int i = 0; i < 700; i++) {
		hashed();
		cut();
	}
	printf("%lu\n", sum);
	return 0;
}
