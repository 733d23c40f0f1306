#include <fcntl.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	pid_t parent = getpid();
	if (argc == 1 && fork() == 0) {
		while (getppid() == parent && usleep(1000) == 0)
			;
		execl(argv[0], argv[0], "orphan", (char *)0);
	}
	if (argc == 2)
		close(open("orphaned", O_CREAT | O_WRONLY, 0600));
	return argc > 3;
}
