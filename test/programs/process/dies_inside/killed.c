#include <signal.h>
#include <unistd.h>
static __attribute__((noinline)) int last(int n)
{
	if (n > 1)
		kill(getpid(), SIGKILL);
	return n;
}
int main(int argc, char **argv)
{
	(void)argv;
	return argc > 1 ? last(argc) : 0;
}
