#include <errno.h>
#include <stddef.h>
extern long write(int, const void *, unsigned long);
extern void _exit(int);
static int allowed;
/* A branch each, so that the call is a path of its own, which no test took. */
#define OWN(name, ...) \
	__attribute__((visibility("default"))) long name(__VA_ARGS__); \
	long name(__VA_ARGS__) \
	{ \
		if (allowed) \
			return 0; \
		write(1, "called " #name "\n", 7 + sizeof #name); \
		_exit(9); \
	}
OWN(clock_gettime, int clock, void *time)
OWN(gettimeofday, void *time, void *zone)
OWN(time, long *time)
OWN(getauxval, unsigned long type)
OWN(dl_iterate_phdr, void *visit, void *data)
OWN(pthread_atfork, void *prepare, void *parent, void *child)
OWN(dlsym, void *object, const char *name)
OWN(getenv, const char *name)
OWN(open, const char *name, int flags)
OWN(openat, int at, const char *name, int flags)
OWN(ftruncate, int fd, long size)
OWN(fallocate, int fd, int mode, long offset, long size)
OWN(fcntl, int fd, int command)
OWN(fstat, int fd, void *status)
OWN(getrandom, void *to, unsigned long size, unsigned flags)
OWN(sigprocmask, int how, const void *set, void *old)
OWN(mremap, void *from, unsigned long size, unsigned long more, int flags)
OWN(madvise, void *from, unsigned long size, int advice)
OWN(getpid, void)
OWN(syscall, long number)
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
int main(int argc, char **argv)
{
	unsigned sum = 0;
	(void)argv;
	for (unsigned i = 0; i < (argc > 1 ? 2000 : 2); i++)
		sum += big(i * 747);
	write(1, sum ? "some\n" : "none\n", 5);
	return 0;
}
