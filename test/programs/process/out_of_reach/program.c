#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
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
int main(int argc, char **argv)
{
	unsigned sum = 0;
	if (chroot(argv[1]) || chdir("/"))
		return 1;
	if (argc > 2 && argv[2][0] == 'c')
		closefrom(3);
	for (unsigned i = 0; i < 3000; i++)
		sum += big(i * 747) + small(i);
	if (argc > 2 && argv[2][0] == 'f' && fork() == 0) {
		small(sum);
		exit(0);
	}
	wait(NULL);
	return 0;
}
