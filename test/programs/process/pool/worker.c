#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
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
/* worker ROUNDS: begun and done are how often the two functions were called, by all processes. */
int main(int argc, char **argv)
{
	unsigned *word = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, open("words", O_RDWR), 0);
	unsigned rounds = (unsigned)atoi(argv[argc - 1]);
	for (unsigned i = 0; i < rounds; i++) {
		__atomic_fetch_add(&word[0], 1, __ATOMIC_SEQ_CST);
		big(i % 30000 * 7);
		small(i);
		__atomic_fetch_add(&word[1], 1, __ATOMIC_SEQ_CST);
	}
	return 0;
}
