#include <pthread.h>
#include <stdio.h>
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
static void *run(void *arg)
{
	unsigned long s = 0;
	for (unsigned i = 0; i < 100000; i++)
		s += big(i % 5000 * 97) + small(i);
	*(unsigned long *)arg = s;
	return 0;
}
int main(void)
{
	pthread_t t[4];
	unsigned long s[4];
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 4; i++)
			pthread_create(&t[i], 0, run, &s[i]);
		for (int i = 0; i < 4; i++)
			pthread_join(t[i], 0);
	}
	printf("%lu\n", s[0] + s[3]);
	return 0;
}
