#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#include <waymark.h>
#define D(i) \
	if (x >> i & 1) \
		r += i; \
	else \
		r ^= i;
__attribute__((noinline)) unsigned big(unsigned x)
{
	unsigned r = 0;
	for (int n = 0; n < 3; n++, x += 77) {
		D(0) D(1) D(2) D(3) D(4) D(5) D(6) D(7) D(8) D(9) D(10) D(11) D(12) D(13) D(14) D(15) D(16) D(17) D(18)
	}
	return r;
}
__attribute__((noinline)) unsigned small(unsigned x)
{
	return x % 3 ? x + 1 : x - 1;
}
int main(void)
{
	unsigned sum = 0, expected = 0;
	char command;
	for (unsigned i = 1; read(0, &command, 1) == 1; i++) {
		sum += big(i % 64 * 747) + small(i);
		expected += big(i % 64 * 747) + small(i);
		if (command == 'f') {
			if (fork() == 0)
				_exit(big(i) ^ big(i));
			int status;
			if (wait(&status) < 0 || status)
				return 1;
		}
		if (command == 'r' && waymark_reset())
			return 2;
		if (write(1, sum == expected ? "." : "!", 1) != 1)
			return 3;
	}
	puts("unharmed");
	return 0;
}
