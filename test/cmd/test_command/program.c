#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) int work(int n)
{
	if (n > 100)
		return puts("large");
	return n;
}
int main(int argc, char **argv)
{
	int sum = 0;
	printf("program %s\n", argc > 1 ? argv[1] : "");
	for (int i = 0; i < (argc > 1 ? atoi(argv[1]) : 0); i++)
		sum += work(i);
	fflush(stdout);
	if (argc > 2) {
		if (fork() == 0) {
			sum += work(1);
			exit(0);
		}
		wait(NULL);
	}
	return argc > 3;
}
