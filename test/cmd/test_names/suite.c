/* Works at random under names of tests, and writes down what it did: its own trace is what the profiles are compared with. */
#include "trace.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <waymark.h>

static unsigned random_state;

static unsigned below(unsigned limit)
{
	random_state = random_state * 1103515245 + 12345;
	return (random_state >> 16) % limit;
}

__attribute__((noinline)) int first(int n)
{
	trace("first");
	if (n % 3 == 0)
		return 1;
	return n % 2 ? 2 : 3;
}

__attribute__((noinline)) int second(int n)
{
	int sum = 0;
	trace("second");
	for (int i = 0; i < n % 5; i++)
		sum += i % 2 ? first(i) : i;
	return sum;
}

__attribute__((noinline)) int deep(int n)
{
	trace("deep");
	return n > 0 ? deep(n - 1) + first(n) : 0;
}

static int work(unsigned times)
{
	int sum = 0;
	for (unsigned i = 0; i < times; i++)
		switch (below(3)) {
		case 0:
			sum += first((int)below(100));
			break;
		case 1:
			sum += second((int)below(100));
			break;
		default:
			sum += deep((int)below(6));
		}
	return sum;
}

static void *in_thread(void *times)
{
	return (void *)(long)work(*(unsigned *)times);
}

/* They are not the same without names. */
#define NO_PROBES __attribute__((no_profile_instrument_function))

NO_PROBES static void begin(const char *name)
{
	trace_name(name);
	if (!getenv("NAMELESS") && waymark_test_begin(name))
		abort();
}

NO_PROBES static void end(void)
{
	trace_name("");
	if (!getenv("NAMELESS") && waymark_test_end())
		abort();
}

static void run(unsigned steps);

static void in_child(unsigned steps)
{
	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		trace_reset();
		work(3);
		run(steps);
		exit(0);
	}
	waitpid(child, NULL, 0);
	random_state += 7;
}

static void step(unsigned steps)
{
	static const char *const names[] = {"alpha", "beta/1", "with a blank", "delta"};
	unsigned times = 1 + below(20);
	pthread_t thread;
	switch (below(7)) {
	case 0:
	case 1:
		begin(names[below(4)]);
		break;
	case 2:
		end();
		break;
	case 3:
		if (!pthread_create(&thread, NULL, in_thread, &times))
			pthread_join(thread, NULL);
		break;
	case 4:
		if (steps > 4)
			in_child(steps / 2);
		break;
	default:
		work(times);
	}
}

static void run(unsigned steps)
{
	for (unsigned i = 0; i < steps; i++)
		step(steps - i);
}

int main(int argc, char **argv)
{
	random_state = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
	trace_name(argc > 3 ? argv[3] : "");
	work(5);
	run(argc > 2 ? (unsigned)atoi(argv[2]) : 100);
	printf("done\n");
	return 0;
}
