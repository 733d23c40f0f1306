#define _GNU_SOURCE
#include "functions.h"
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
/* Called when the C library closes its streams, after all destructors. */
static ssize_t late(void *unused, const char *text, size_t size)
{
	(void)unused, (void)text;
	char page[4096] = {0};
	int fd = open("small/rest", O_WRONLY | O_CREAT, 0600);
	while (write(fd, page, sizeof page) > 0)
		;
	for (unsigned i = 0; i < 60; i++)
		all[i](i);
	return (ssize_t)size;
}
int main(void)
{
	FILE *file = fopencookie(NULL, "w", (cookie_io_functions_t){.write = late});
	fputs("text", file);
	for (unsigned i = 0; i < 60; i++)
		all[i](i);
	return 7;
}
