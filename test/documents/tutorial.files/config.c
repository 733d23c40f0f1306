/* Reads settings of the form NAME=VALUE from its arguments, and prints the width of one of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
	const char *name, *value;
	struct entry *next;
};

static struct entry *find(struct entry *list, const char *name)
{
	for (struct entry *entry = list; entry; entry = entry->next)
		if (strcmp(entry->name, name) == 0)
			return entry;
	return NULL;
}

static size_t width(struct entry *list, const char *name, size_t least)
{
	struct entry *entry = find(list, name);
	if (!entry)
		return least;
	size_t length = strlen(entry->value);
	return length > least ? length : least;
}

static struct entry *add(struct entry *list, char *text)
{
	struct entry *entry = malloc(sizeof *entry);
	char *value = strchr(text, '=');
	if (!entry)
		abort();
	if (value)
		*value++ = 0;
	*entry = (struct entry){text, value, list};
	return entry;
}

int main(int argc, char **argv)
{
	struct entry *list = NULL;
	(void)0;
	for (int i = 1; i < argc; i++)
		list = add(list, argv[i]);
	printf("%zu\n", width(list, "title", 8));
	return 0;
}
