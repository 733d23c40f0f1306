#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#define OUT extern "C" __attribute__((noinline))
#define IN extern "C" inline __attribute__((always_inline))
extern "C" __attribute__((weak)) int object_call(int n);
int *volatile nothing;
volatile int zero, one = 1;
void *volatile wild = (void *)&zero;
int (*volatile null)(int);
IN int inner(int n)
{
	if (n > 1) zero = *nothing;
	return n;
}
OUT int thrower(int n)
{
	if (n > 1) throw std::runtime_error("uncaught");
	return n;
}
IN int outer(int n, const char *how)
{
	if (!strcmp(how, "inlined")) return inner(n + 1);
	return thrower(n + 1) + 1;
}
OUT int misfree(int n)
{
	free(wild);
	return n + zero;
}
OUT int raiser(int n)
{
	for (int i = 0; i < n; i++)
		raise(SIGFPE);
	return n + zero;
}
OUT int divider(int n)
{
	return n / zero + 1;
}
OUT int caller(int n)
{
	return null(n) + 1;
}
OUT int waiter(int signal)
{
	kill(getpid(), signal);
	for (;;)
		pause();
	return one;
}
/* An overflow of a stack whose thread has another one for signals. */
OUT int deeper(int n)
{
	volatile char room[4000];
	stack_t other = {malloc(65536), 0, 65536};
	sigaltstack(&other, NULL);
	room[0] = (char)n;
	*nothing = n;
	return room[0];
}
static void handle(int)
{
	_exit(5);
}
int main(int argc, char **argv)
{
	const char *how = argv[1];
	int sum = 0;
	if (!strcmp(how, "inlined") || !strcmp(how, "throwing")) sum += outer(argc, how);
	if (!strcmp(how, "free")) sum += misfree(argc);
	if (!strcmp(how, "raise")) sum += raiser(argc);
	if (!strcmp(how, "divide")) sum += divider(argc);
	if (!strcmp(how, "null")) sum += caller(argc);
	if (!strcmp(how, "term")) sum += waiter(SIGTERM);
	if (!strcmp(how, "int")) sum += waiter(SIGINT);
	if (!strcmp(how, "stacked")) sum += deeper(argc);
	if (!strcmp(how, "object")) sum += object_call(argc);
	if (!strcmp(how, "own")) {
		signal(SIGSEGV, handle);
		*nothing = 1;
	}
	if (!strcmp(how, "child")) {
		if (fork() == 0) return deeper(argc);
		wait(NULL);
		return 5;
	}
	printf("%d\n", sum);
	return 0;
}
