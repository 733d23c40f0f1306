#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) static int work(int n)
{
	int s = 0;
	while (n-- > 0)
		s += n;
	return s;
}
static void *thread(void *n)
{
	return (void *)(long)work((int)(long)n);
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, thread, (void *)5L);
	pthread_join(t, NULL);
	if (fork() == 0)
		return work(3) != 3;
	int status;
	wait(&status);
	return status;
}
