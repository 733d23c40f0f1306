#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
/* killer N ROUNDS: kills ./worker ROUNDS before its system call N, counted from when it has counted.  Exit code 3: it ended. */
int main(int argc, char **argv)
{
	volatile unsigned *word = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, open("words", O_RDWR), 0);
	unsigned before = word[1], rounds = (unsigned)atoi(argv[2]);
	int left = atoi(argv[1]), status = argc != 3, entered = 0;
	pid_t child = fork();
	if (!child) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		execl("./worker", "worker", argv[2], (char *)0);
		_exit(127);
	}
	if (waitpid(child, &status, 0) != child ||
		ptrace(PTRACE_SETOPTIONS, child, 0, PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD))
		return 2;
	while (!ptrace(PTRACE_SYSCALL, child, 0, 0) && waitpid(child, &status, 0) == child && !WIFEXITED(status)) {
		if (!WIFSTOPPED(status) || WSTOPSIG(status) != (SIGTRAP | 0x80))
			continue;
		entered = !entered;
		if (entered && word[1] - before == rounds && !--left) {
			kill(child, SIGKILL);
			return waitpid(child, &status, 0) != child;
		}
	}
	return WIFEXITED(status) && !WEXITSTATUS(status) ? 3 : 2;
}
