#include <pthread.h>
#include <unistd.h>
static void *wait_on(void *unused)
{
	for (;;)
		pause();
	return unused;
}
int main(void)
{
	pthread_t id;
	return pthread_create(&id, 0, wait_on, 0);
}
