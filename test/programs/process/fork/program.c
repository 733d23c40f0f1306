#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) int work(int n)
{
	int s = 0;
	for (int i = 0; i < n; i++)
		if (i % 3)
			s += i;
	return s;
}
__attribute__((noinline)) int child(int n)
{
	return work(n) & 1;
}
int main(int argc, char **argv)
{
	int status;
	if (argc > 1) {
		work(7);
		_exit(0);
	}
	work(100);
	pid_t pid = fork();
	if (pid == 0) {
		child(50);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	pid = vfork();
	if (pid == 0) {
		execl(argv[0], argv[0], "again", (char *)0);
		_exit(1);
	}
	waitpid(pid, &status, 0);
	work(10);
	execl(argv[0], argv[0], "again", (char *)0);
	return 1;
}
