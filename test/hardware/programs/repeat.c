#include "work.h"
static char from[1000], to[1000];
static void copy(void)
{
	void *destination = to;
	const void *source = from;
	unsigned long count = 1000;
	__asm__ volatile("rep movsb" : "+D"(destination), "+S"(source), "+c"(count) : : "memory");
}
int main(void)
{
	for (int i = 0; i < 50; i++)
		copy();
	return 0;
}
