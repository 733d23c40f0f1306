#include <stdio.h>
#include <string.h>
/* Consequences of a wrong escape: they are defined first and executed most. */
static int count_differences(const char *a, const char *b)
{
	int count = 0;
	for (int i = 0; i < 100; i++)
		if (*a != *b && i < 3)
			count++;
	if (count > 0)
		puts("wrong");
	return count;
}
static int unescape(const char *s, char *out)
{
	int odd = 0, last = 0;
	for (const char *begin = s; *s; s++) {
		if (*s != '\\') {
			*out++ = *s;
			continue;
		}
		if ((s - begin) % 2)
			odd++;
		s++;
		switch (*s) {
		case 'n':
			*out++ = '\n';
			break;
		case 't':
			*out++ = '\n'; /* the bug */
			break;
		default:
			*out++ = *s;
		}
		if (!s[1])
			last++;
	}
	*out = 0;
	return odd + last;
}
int main(int argc, char **argv)
{
	char out[100];
	int escapes = unescape(argv[1], out);
	if (strcmp(out, argv[2]) == 0)
		return argc + escapes == 0;
	return count_differences(out + strlen(out) - 1, argv[2] + strlen(out)) >= 0;
}
