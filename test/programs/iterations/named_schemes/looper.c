/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* named_schemes.sh has a profile of this program: its graphs must not change. */
__attribute__((noinline)) static unsigned steps(unsigned n, unsigned seed)
{
	unsigned sum = 0;
	for (unsigned i = 0; i < n; i++) {
		seed = seed * 1103515245 + 12345;
		if (seed >> 16 & 1)
			sum += i;
		else if (seed >> 17 & 1)
			sum ^= seed;
	}
	return sum;
}

__attribute__((noinline)) static unsigned total(unsigned n)
{
	unsigned sum = 0;
	for (unsigned i = 0; i < n; i++)
		sum += i;
	return sum;
}

int main(void)
{
	unsigned sum = 0;
	for (unsigned i = 0; i < 5; i++)
		sum += steps(40 + i, i) + total(30);
	return sum == 1;
}
