#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ;
int main(int argc, char **argv)
{
	pid_t pid;
	int status = 0;
	posix_spawn(&pid, argv[1], 0, 0, argv + 1, environ);
	waitpid(pid, &status, 0);
	execvp("plain", (char *[]){"another name", "a", "", 0});
	return 1;
}
