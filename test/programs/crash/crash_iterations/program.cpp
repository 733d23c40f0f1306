#include <csetjmp>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <stdexcept>
#include <sys/mman.h>
#include <unistd.h>

enum { ACTIVATIONS = 4000, TOKENS = 1024 };
struct record { volatile int token[TOKENS]; };
static record *all;
static volatile int depth, arrived, again;
#define NOTE(token_) (r->token[n++] = (token_))
#define V NOTE(__LINE__)
#define A(loop) NOTE(10000 + (loop))
#define B(loop) NOTE(20000 + (loop))
#define OUT extern "C" __attribute__((noinline))
#define BEGIN record *r = all + depth++; int n = 0
static jmp_buf back;
static const char *how;
int *volatile nothing;

extern "C" __attribute__((no_profile_instrument_function)) OUT void forget() { memset((void *)(all + depth), 0, sizeof *all * 2); }
OUT int leaf(unsigned bits, int rounds)
{
	BEGIN;
	int sum = 0;
	V;
	A(1);
	for (int i = 0; i < rounds; i++, B(1)) {
		if (bits >> i % 8 & 1)
			V, sum += 3;
		else if (bits >> i % 5 & 1)
			V, sum += 5;
		V;
		if (i == rounds - 1)
			V, sum += *nothing;
	}
	return sum;
}
OUT int die(unsigned bits, int rounds)
{
	if (!strcmp(how, "segv"))
		return leaf(bits, rounds) + 1;
	BEGIN;
	V;
	if (!strcmp(how, "throw"))
		throw std::runtime_error("uncaught");
	if (!strcmp(how, "kill")) {
		V;
		arrived = 1;
		write(1, "here\n", 5);
		for (;;)
			pause();
	}
	abort();
}
/* Loops one after the other, so that a path may have iterations of both, and one inside another. */
OUT int two(unsigned bits, int first, int second)
{
	BEGIN;
	int sum = 0;
	V;
	A(1);
	for (int i = 0; i < first; i++, B(1)) {
		if (bits >> i % 8 & 1)
			V, sum += 3;
		V;
	}
	V;
	A(2);
	for (int i = 0; i < second; i++, B(2)) {
		if (bits >> i % 8 & 2)
			V, sum += 5;
		V;
		if (i == second - 1)
			V, sum += die(bits, second);
		V;
	}
	return sum;
}
OUT int nested(unsigned bits, int first, int second)
{
	BEGIN;
	int sum = 0;
	V;
	A(11);
	for (int i = 0; i < first; i++, B(11)) {
		V;
		if (bits >> i % 8 & 1)
			V, sum++;
		A(2);
		for (int j = 0; j < second; j++, B(2)) {
			if (bits >> (i + j) % 8 & 1)
				V, sum++;
			V;
			if (i == first - 1 && j == second - 1)
				V, sum += two(bits, first, second);
		}
		V;
	}
	return sum;
}
/* The path after the second return is that at the call of setjmp, although other iterations came after it. */
OUT int jumps(unsigned bits, int first, int second)
{
	BEGIN;
	volatile int *m = &r->token[TOKENS - 1];
	V;
	A(1);
	for (int i = 0; i < first; i++, B(1)) {
		V;
		if (i == first - 1) {
			V;
			NOTE(30001);
			*m = n;
			if (setjmp(back) != 0) {
				n = *m;
				NOTE(30002);
			}
			V;
		}
	}
	V;
	A(2);
	for (int i = 0; i < second; i++, B(2)) {
		V;
		*m = n;
		if (i == second - 1 && !again) {
			again = 1;
			forget();
			longjmp(back, 1);
		}
	}
	V;
	return nested(bits, first, second);
}
OUT int descend(unsigned bits, int first, int levels)
{
	int sum = 0;
	for (int i = 0; i < first; i++)
		if (bits >> i & 1)
			sum++;
		else
			sum--;
	return levels ? descend(bits, first, levels - 1) + sum : *nothing;
}
int main(int argc, char **argv)
{
	int file = open("record", O_RDWR | O_CREAT | O_TRUNC, 0600);
	unsigned bits = strtoul(argv[2], NULL, 0);
	if (ftruncate(file, ACTIVATIONS * sizeof *all))
		return 1;
	all = (record *)mmap(NULL, ACTIVATIONS * sizeof *all, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	how = argv[1];
	if (!strcmp(how, "deep"))
		return descend(bits, atoi(argv[3]), atoi(argv[4]));
	BEGIN;
	V;
	return jumps(bits, atoi(argv[3]), atoi(argv[4]));
}
