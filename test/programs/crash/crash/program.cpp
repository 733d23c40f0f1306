#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <stdexcept>
#include <sys/syscall.h>
#include <unistd.h>

struct record { volatile int line[200]; volatile int count; };
#define V r.line[r.count++] = __LINE__
#define OUT __attribute__((noinline))
extern "C" __attribute__((no_profile_instrument_function)) OUT void tell(const char *name, record &r)
{
	static char text[40000];
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	pthread_mutex_lock(&lock);
	int n = sprintf(text, "%ld %s", syscall(SYS_gettid), name);
	for (int i = 0; i < r.count; i++) n += sprintf(text + n, " %d", r.line[i]);
	n += sprintf(text + n, "\n");
	if (write(1, text, n) != n) _exit(9);
	pthread_mutex_unlock(&lock);
}
static jmp_buf back;
volatile unsigned seed, never;
static const char *how;
int *volatile nothing;

/* A leaf: it notes its lines in memory that its caller prints beforehand, because it makes no call. */
extern "C" OUT int leaf(int *p, unsigned bits, record &r)
{
	int sum = 0;
	V;
	for (unsigned i = 0; i < 9; i++) {
		if (bits >> i & 1)
			V, sum += 3;
		else if (i > 4)
			V, sum ^= 5;
		if (i == 6)
			V, sum += *p;
		V;
	}
	return sum;
}
extern "C" OUT int divide(unsigned bits, record &r)
{
	int sum = 1000;
	V;
	if (bits & 1)
		V, sum += 7;
	else
		V, sum -= 9;
	V;
	tell("divide", r);
	return sum / (int)never;
}
extern "C" OUT int die(unsigned bits);
extern "C" OUT int descend(unsigned bits, int levels)
{
	if (levels)
		return descend(bits, levels - 1) + (int)never;
	seed = 9999;
	return die(bits);
}
extern "C" OUT int die(unsigned bits)
{
	record r = {};
	int sum = 0;
	V;
	for (unsigned i = 0; i < (bits & 3); i++) {
		V;
		if (bits >> (i + 4) & 1)
			V, sum++;
		else
			V, sum--;
	}
	if (bits & 8)
		V, sum += 2;
	if (!strcmp(how, "segv")) {
		V;
		tell("die", r);
		*nothing = sum;
	} else if (!strcmp(how, "leaf")) {
		V;
		tell("die", r);
		record of_leaf = {};
		leaf(&sum, bits, of_leaf);
		of_leaf.count = of_leaf.count; /* complete: cut at the fault by the script */
		tell("leaf", of_leaf);
		record again = {};
		return leaf(nothing, bits, again);
	} else if (!strcmp(how, "copy")) {
		V;
		tell("die", r);
		memcpy(nothing, &r, seed + 300);
	} else if (!strcmp(how, "abort")) {
		V;
		tell("die", r);
		abort();
	} else if (!strcmp(how, "throw") || (!strcmp(how, "caught") && seed != 99)) {
		V;
		if (strcmp(how, "caught")) tell("die", r);
		throw std::runtime_error("uncaught");
	} else if (!strcmp(how, "jump") && seed != 99) {
		V;
		longjmp(back, 1);
	} else if (!strcmp(how, "divide")) {
		V;
		record s = {};
		tell("die", r);
		return divide(bits, s);
	} else if (!strcmp(how, "kill")) {
		V;
		tell("die", r);
		for (;;) pause();
	} else if (!strcmp(how, "deep")) {
		V;
		if (seed != 9999) return descend(bits, 3900);
		tell("die", r);
		*nothing = sum;
	} else if (!strcmp(how, "jump") || !strcmp(how, "caught") || !strcmp(how, "threads")) {
		V;
		tell("die", r);
		*nothing = 3;
	}
	return sum;
}
extern "C" OUT int middle(unsigned bits, int level)
{
	record r = {};
	int sum = 0;
	V;
	while (bits & 15) {
		V;
		if (bits & 1)
			V, sum += 1;
		else if (bits & 2)
			V, sum += 2;
		bits >>= 1;
		if ((bits & 15) == 3)
			break;
		V;
	}
	if (level && sum >= 0) {
		V;
		if (strcmp(how, "deep") && strcmp(how, "none")) tell("middle", r);
		return middle(seed * 3 + level, level - 1) + 1;
	}
	V;
	if (strcmp(how, "deep") && strcmp(how, "none")) tell("middle", r);
	return die(seed) - 1;
}
/* Frames that an exception or longjmp has left must not be shown. */
extern "C" OUT int survive(unsigned bits)
{
	record r = {};
	V;
	if (!strcmp(how, "jump")) {
		V;
		if (setjmp(back) == 0)
			middle(bits, 2);
		V;
	} else {
		V;
		try {
			middle(bits, 2);
		} catch (std::exception &e) {
			V;
		}
	}
	seed = 99;
	V;
	if (bits & 1)
		V;
	write(1, "clear\n", 6);
	tell("survive", r);
	return middle(seed, 0);
}
static void *sleeper(void *)
{
	record r = {};
	V;
	for (unsigned i = 0; i < seed % 5; i++)
		V;
	V;
	tell("_ZL7sleeperPv", r);
	for (;;) pause();
}
extern "C" OUT void spread()
{
	record r = {};
	pthread_t thread;
	V;
	for (int i = 0; i < 3; i++)
		pthread_create(&thread, NULL, sleeper, NULL);
	usleep(200000);
	V;
	tell("spread", r);
	middle(seed, 1);
}
int main(int argc, char **argv)
{
	record r = {};
	how = argv[1];
	seed = argc > 2 ? atoi(argv[2]) : 0;
	V;
	if (!strcmp(how, "jump") || !strcmp(how, "caught")) {
		V;
		tell("main", r);
		return survive(seed);
	}
	if (!strcmp(how, "threads")) {
		V;
		tell("main", r);
		spread();
	}
	V;
	if (strcmp(how, "deep") && strcmp(how, "none")) tell("main", r);
	return middle(seed, 2) == 12345;
}
