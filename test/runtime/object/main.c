#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>
void library_all(uint64_t, uint64_t, uint64_t);
int main(void)
{
	library_all(0, 100, 100);
	if (fork() == 0)
		library_all(0, 10, 10);
	else
		wait(0);
	return 0;
}
