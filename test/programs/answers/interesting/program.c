#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* The assembly keeps the optimiser from making the branches selections. */
#define D(i) if (x >> i & 1) { r += i; __asm__ volatile(""); } else r ^= i;
/* 2^20 paths: never an array. */
__attribute__((noinline)) unsigned big(unsigned x)
{
	unsigned r = 0;
	D(0) D(1) D(2) D(3) D(4) D(5) D(6) D(7) D(8) D(9) D(10) D(11) D(12) D(13) D(14) D(15) D(16) D(17) D(18) D(19)
	return r;
}
/* The same in a loop that ends one path per round, and in one that may leave by longjmp. */
__attribute__((noinline)) unsigned rounds(unsigned x, unsigned n)
{
	unsigned r = 0;
	for (unsigned i = 0; i < n; i++, x = x * 5 + 1) { D(0) D(1) D(2) D(3) D(4) D(5) D(6) D(7) D(8) D(9) D(10) D(11) D(12) D(13) D(14) D(15) D(16) }
	return r;
}
static __thread jmp_buf place;
__attribute__((noinline)) static void leave(unsigned x) { if (x % 5 == 0) longjmp(place, 1 + x % 3); }
__attribute__((noinline)) unsigned comes_back(unsigned x)
{
	volatile unsigned v = 0;
	unsigned r = 0;
	D(0) D(1) D(2)
	switch (setjmp(place)) {
	case 0: break;
	case 1: v = v + 1; break;
	default: v = v + 2;
	}
	D(3) D(4) D(5) D(6) D(7) D(8) D(9) D(10) D(11) D(12) D(13) D(14) D(15)
	if (!v) leave(x);
	return r + v;
}
/* One path a round; the first belongs to what came before. */
__attribute__((noinline)) unsigned sum(const unsigned char *p, unsigned n, unsigned x)
{
	unsigned r = 0;
	if (x & 1) r = 7;
	if (x & 2) r ^= 9;
	for (unsigned i = 0; i < n; i++) r = r * 31 + p[i];
	if (x & 4) r++;
	return r;
}
/* Loops with few paths behind many: some of these paths are only B's, between A's. */
__attribute__((noinline)) unsigned small_loops(unsigned x)
{
	unsigned r = 0, y = x;
	D(0) D(1) D(2) D(3) D(4) D(5) D(6) D(7) D(8) D(9) D(10) D(11) D(12) D(13) D(14) D(15) D(16)
	for (unsigned i = 0; i < 6 + y % 3; i++) {
		x = y < 3000 ? i & 1 ? 1 : 4 : (y + i) & 7;
		D(0) D(1) D(2)
	}
	return r;
}
__attribute__((noinline)) unsigned always(unsigned x) { return x % 2 ? x : x + 1; }
struct work { unsigned from, to, step, result; };
static void *run(void *argument)
{
	struct work *w = argument;
	static const unsigned char text[64] = "abcdefghijklmnopqrstuvwxyz";
	for (unsigned i = w->from; i < w->to; i += w->step)
		w->result += big(i * 77) + rounds(i, i % 9) + comes_back(i) + sum(text, i % 50, i / 50) + small_loops(i) + always(i);
	return 0;
}
int main(int argc, char **argv)
{
	struct work w[4];
	pthread_t t[4];
	unsigned threads = atoi(argv[1]), result = 0;
	for (unsigned i = 0; i < threads; i++)
		w[i] = (struct work){atoi(argv[2]) + i * 100, atoi(argv[3]) + i * 100, atoi(argv[4]), 0};
	for (unsigned i = 0; i < threads; i++)
		if (threads == 1) run(&w[i]); else pthread_create(&t[i], 0, run, &w[i]);
	for (unsigned i = 0; i < threads; i++) {
		if (threads > 1) pthread_join(t[i], 0);
		result += w[i].result;
	}
	printf("%u\n", result);
	return argc != 5;
}
