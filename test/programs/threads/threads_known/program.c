#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static __thread volatile unsigned seen; /* keeps branches from becoming selects */
#define D(i) \
	if (x >> i & 1) { \
		r += i; \
		seen = i; \
	} else \
		r ^= i;
__attribute__((noinline)) unsigned big(unsigned x)
{
	unsigned r = 0;
	D(0)
	D(1) D(2) D(3) D(4) D(5) D(6) D(7) D(8) D(9) D(10) D(11) D(12) D(13) D(14) D(15) D(16) D(17) D(18) return r;
}
__attribute__((noinline)) unsigned middle(unsigned x)
{
	unsigned r = 1;
	D(1) D(2) D(3) D(4) return r;
}
__attribute__((noinline)) unsigned small(unsigned x)
{
	if (x % 3)
		return x + 1;
	return x - 1;
}
__attribute__((noinline)) unsigned looping(unsigned x)
{
	unsigned r = 0;
	for (unsigned i = 0; i < x % 7; i++) {
		if (i % 2)
			r += big(x + i);
		else
			r += middle(i * x);
	}
	return r;
}
static unsigned rounds;
static void *run(void *sum)
{
	unsigned long s = 0;
	for (unsigned i = 0; i < rounds; i++)
		s += big(i % 997 * 97) + middle(i) + small(i) + looping(i);
	*(unsigned long *)sum = s;
	return 0;
}
int main(int argc, char **argv)
{
	pthread_t t[4];
	unsigned long s[4], total = 0;
	rounds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 4000;
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 4; i++)
			pthread_create(&t[i], 0, run, &s[i]);
		for (int i = 0; i < 4; i++) {
			pthread_join(t[i], 0);
			total += s[i];
		}
	}
	printf("%lu\n", total);
	return 0;
}
