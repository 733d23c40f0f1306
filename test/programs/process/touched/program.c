#include "functions.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
/* Each function of `count` once with x, from the first on. */
static void touch(unsigned count, unsigned x)
{
	for (unsigned i = 0; i < count; i++)
		all[i % 60](x + i / 60);
}
/* Called before the runtime can have been started. */
static void early(void)
{
	touch(3, 4000);
}
__attribute__((section(".preinit_array"), used)) static void (*const first)(void) = early;
/* program COUNT CHILDREN [kill] */
int main(int argc, char **argv)
{
	touch((unsigned)atoi(argv[1]), 0);
	for (unsigned i = 0; i < (unsigned)atoi(argv[2]); i++) {
		if (!fork()) {
			touch(100, 64 * (i + 1));
			exit(0);
		}
		int status;
		if (wait(&status) < 0 || status)
			return 1;
	}
	touch(1, 4095);
	if (argc > 3)
		raise(SIGKILL);
	return 0;
}
