#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
int *volatile nothing;
__attribute__((noinline)) int fault(int n)
{
	if (n > 1)
		nothing[n] = n;
	return n;
}
int main(int argc, char **argv)
{
	const char *how = argv[1];
	printf("process %d\n", getpid());
	fflush(stdout);
	if (!strcmp(how, "segv"))
		return fault(argc);
	if (!strcmp(how, "abort"))
		abort();
	if (!strcmp(how, "term"))
		raise(SIGTERM);
	if (!strcmp(how, "fork")) {
		pid_t child = fork();
		if (child == 0)
			return fault(argc);
		printf("child %d\n", child);
		waitpid(child, NULL, 0);
		return 5;
	}
	return argc;
}
