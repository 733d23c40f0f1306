#include <cassert>
#include <csetjmp>
#include <csignal>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <stdexcept>
#include <sys/syscall.h>
#include <unistd.h>
#define OUT __attribute__((noinline))
#define QUIET __attribute__((no_profile_instrument_function, noinline))
extern "C" QUIET void say(const char *format, ...)
{
	char text[300];
	va_list list;
	va_start(list, format);
	int n = vsnprintf(text, sizeof text, format, list);
	va_end(list);
	if (write(1, text, n) != n) _exit(9);
}
#define CALLS(name, callee) say("frame %s|calls %s|%d\n", name, callee, __LINE__)
#define FAULTS(name) say("frame %s|fault|%d\n", name, __LINE__)
#define DIES(signal, address) say("dies %ld SIG%s%s\n", syscall(SYS_gettid), signal, address)
int *volatile nothing;
char *volatile wild = (char *)0x1230;
char *volatile far = (char *)0x8000000000001230;
volatile int zero;
OUT static int compare(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;
	if (x + y == 5) {
		DIES("SEGV", ", address 0x0");
		FAULTS("compare(void const*, void const*)"), zero = *nothing;
	}
	return x - y;
}
OUT static int sorted()
{
	int v[] = {4, 1, 9, 2};
	CALLS("sorted()", "qsort"), qsort(v, 4, sizeof *v, compare);
	return v[0] + zero;
}
OUT static int recurse(int n)
{
	if (n == 0) {
		DIES("SEGV", ", address 0x1230");
		FAULTS("recurse(int)"), zero = *wild;
		return zero;
	}
	CALLS("recurse(int)", "recurse(int)"), zero += recurse(n - 1);
	return zero;
}
OUT static int divide(int n)
{
	DIES("FPE", "");
	FAULTS("divide(int)"), zero = n / zero;
	return n;
}
OUT static int forever(int n)
{
	volatile char room[200];
	room[n % 200] = 1;
	return n < 0 ? 1 : forever(n + 1) + room[3];
}
OUT static void *threaded(void *)
{
	DIES("SEGV", ", address 0x0");
	FAULTS("threaded(void*)"), *nothing = 4;
	return NULL;
}
/* A frame that a handler interrupts need not be inside a call. */
OUT static int returned(int n)
{
	zero = n;
	say("interrupted main %d\n", n);
	return n - 1;
}
OUT static void handler(int)
{
	DIES("SEGV", ", address 0x0");
	FAULTS("handler(int)"), *nothing = 5;
}
OUT static void spins(int)
{
	DIES("SEGV", ", sent by a process");
	CALLS("spins(int)", "kill"), zero = kill(getpid(), SIGSEGV);
}
struct noisy {
	int n;
	OUT ~noisy()
	{
		if (n != 1) return;
		DIES("SEGV", ", address 0x0");
		FAULTS("noisy::~noisy()"), *nothing = 6;
	}
};
OUT static void throws(int n)
{
	if (n) DIES("ABRT", ""), CALLS("throws(int)", "__cxa_throw"), throw std::runtime_error("one");
}
OUT static void unwinds(int n)
{
	noisy a{0}, b{1};
	/* The destructor is called where the block ends. */
	say("frame unwinds(int)|calls noisy::~noisy()|%d\n", __LINE__ + 2);
	n ? throw 3 : 0;
}
OUT static void unfinished(int n)
{
	DIES("ABRT", "");
	CALLS("unfinished(int)", "__assert_fail"), assert(n == 2);
}
static jmp_buf back;
QUIET static void recovers(int) { longjmp(back, 1); }
QUIET static void leaves(int) { _exit(7); }
__attribute__((constructor(101))) QUIET static void early()
{
	const char *how = getenv("EARLY");
	if (how) signal(SIGSEGV, *how == 'r' ? recovers : leaves);
}
int main(int argc, char **argv)
{
	const char *how = argv[1];
	say("process %d\n", getpid());
	if (!strcmp(how, "main")) {
		DIES("SEGV", ", address 0x0");
		FAULTS("main"), *nothing = 1;
	}
	if (!strcmp(how, "far")) {
		DIES("SEGV", "");
		FAULTS("main"), *far = 1;
	}
	if (!strcmp(how, "trap")) {
		DIES("ILL", "");
		FAULTS("main"), __builtin_trap();
	}
	if (!strcmp(how, "strlen")) {
		DIES("SEGV", ", address 0x0");
		CALLS("main", "strlen"), zero = (int)strlen((char *)nothing);
	}
	if (!strcmp(how, "recursion")) CALLS("main", "recurse(int)"), recurse(6);
	if (!strcmp(how, "qsort")) CALLS("main", "sorted()"), sorted();
	if (!strcmp(how, "divide")) CALLS("main", "divide(int)"), divide(argc);
	if (!strcmp(how, "thread")) {
		pthread_t t;
		pthread_create(&t, NULL, threaded, NULL);
		pthread_join(t, NULL);
	}
	if (!strcmp(how, "handler")) {
		signal(SIGALRM, handler);
		ualarm(100000, 0);
		returned(__LINE__);
		for (;;)
			zero++;
	}
	if (!strcmp(how, "sent")) CALLS("main", "spins(int)"), spins(argc);
	if (!strcmp(how, "destructor")) {
		try {
			CALLS("main", "unwinds(int)"), unwinds(argc);
		} catch (int) {
			return 2;
		}
	}
	if (!strcmp(how, "overflow")) forever(0);
	if (!strcmp(how, "assert")) CALLS("main", "unfinished(int)"), unfinished(argc + 5);
	if (!strcmp(how, "abort")) DIES("ABRT", ""), CALLS("main", "abort"), abort();
	if (!strcmp(how, "throw")) CALLS("main", "throws(int)"), throws(argc);
	if (!strcmp(how, "kill")) kill(getpid(), SIGKILL);
	if (!strcmp(how, "_exit")) _exit(3);
	if (!strcmp(how, "exit")) exit(3);
	if (!strcmp(how, "handled") && setjmp(back) == 0) {
		DIES("SEGV", ", address 0x0");
		FAULTS("main"), *nothing = 1;
	}
	return zero;
}
