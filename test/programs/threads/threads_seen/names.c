#include "common.h"
int main(void)
{
	struct gaicb request = {.ar_name = "127.0.0.1"}, *list[] = {&request};
	sem_init(&done, 0, 0);
	return getaddrinfo_a(GAI_NOWAIT, list, 1, &event) || finish(1);
}
