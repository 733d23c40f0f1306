#include <stdio.h>
#include <unistd.h>
#define D(i) \
	if (x >> i & 1) \
		r += i; \
	else \
		r ^= i;
__attribute__((noinline)) unsigned big(unsigned x)
{
	unsigned r = 0;
	D(0)
	D(1) D(2) D(3) D(4) D(5) D(6) D(7) D(8) D(9) D(10) D(11) D(12) D(13) D(14) D(15) D(16) D(17) D(18) return r;
}
__attribute__((noinline)) unsigned small(unsigned x)
{
	return x % 3 ? x + 1 : x - 1;
}
int main(void)
{
	for (unsigned i = 1;; i++) {
		big(i % 700 * 747);
		small(i);
		if (i % 64 == 0) {
			char line[16];
			int n = snprintf(line, sizeof line, "%010u\n", i);
			if (write(1, line, n) != n)
				return 1;
		}
	}
}
