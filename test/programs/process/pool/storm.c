#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
/* storm SEED: runs ./worker 40 times, and kills it mostly, after up to 12 ms. */
int main(int argc, char **argv)
{
	srand((unsigned)atoi(argv[argc - 1]));
	for (int i = 0; i < 40; i++) {
		int status;
		pid_t child = fork();
		if (!child) {
			execl("./worker", "worker", "3000", (char *)0);
			_exit(127);
		}
		if (rand() % 4) {
			usleep((unsigned)rand() % 12000);
			kill(child, SIGKILL);
		}
		if (waitpid(child, &status, 0) != child || (!WIFSIGNALED(status) && status))
			return 1;
	}
	return 0;
}
