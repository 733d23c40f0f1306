#define _GNU_SOURCE
#include "trace.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
	char name[64], function[16];
	unsigned long count;
} counts[100];
static char current[64];

void trace(const char *function)
{
	int i = 0;
	while (counts[i].count && (strcmp(counts[i].name, current) || strcmp(counts[i].function, function)))
		i++;
	strcpy(counts[i].name, current);
	strcpy(counts[i].function, function);
	counts[i].count++;
}

void trace_name(const char *name)
{
	strcpy(current, name);
}

void trace_reset(void)
{
	memset(counts, 0, sizeof counts);
}

__attribute__((destructor)) static void write_down(void)
{
	char text[8192] = "";
	const char *file = getenv("TRACE");
	int size = 0, fd = file ? open(file, O_WRONLY | O_CREAT | O_APPEND, 0666) : -1;
	for (int i = 0; counts[i].count; i++)
		size += snprintf(text + size, sizeof text - size, "%s|%s|%lu\n", counts[i].name, counts[i].function,
			counts[i].count);
	if (fd < 0 || write(fd, text, size) != size)
		abort();
	close(fd);
}
