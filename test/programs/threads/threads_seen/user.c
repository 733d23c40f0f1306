#include <pthread.h>
void *run(void *);
int entry(void);
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, run, 0);
	pthread_join(t, 0);
	return entry() == 12 ? 0 : 1;
}
