#include "work.h"
#include <pthread.h>
static void *run(void *argument)
{
	for (int i = 0; i < 20; i++)
		work(999);
	return argument;
}
int main(void)
{
	pthread_t thread[8];
	for (int i = 0; i < 8; i++)
		pthread_create(&thread[i], 0, run, 0);
	for (int i = 0; i < 8; i++)
		pthread_join(thread[i], 0);
	return 0;
}
