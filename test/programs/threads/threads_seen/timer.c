#include "common.h"
int main(void)
{
	struct itimerspec soon = {.it_value = {0, 1000}};
	timer_t timer, other;
	sem_init(&done, 0, 0);
	return timer_create(CLOCK_MONOTONIC, &event, &timer) || timer_create(CLOCK_MONOTONIC, &event, &other) ||
	       timer_settime(timer, 0, &soon, 0) || timer_settime(other, 0, &soon, 0) || finish(2);
}
