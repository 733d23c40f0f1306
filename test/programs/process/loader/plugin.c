#include <pthread.h>
static void *inner(void *unused)
{
	return unused;
}
static void *outer(void *unused)
{
	pthread_t id;
	if (!pthread_create(&id, 0, inner, unused))
		pthread_join(id, 0);
	return unused;
}
__attribute__((constructor)) static void load(void)
{
	pthread_t id;
	if (!pthread_create(&id, 0, outer, 0))
		pthread_join(id, 0);
}
