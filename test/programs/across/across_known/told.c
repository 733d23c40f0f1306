#include <stdio.h>
#include <stdlib.h>
#ifdef __WAYMARK__
#include <waymark.h>
__attribute__((no_profile_instrument_function)) static void note(const struct waymark_untested *path, void *closure)
{
	fprintf(closure, "%s:%llu\n", path->function, (unsigned long long)path->path);
}
#endif
static int sign(int n)
{
	if (n < 0)
		return -1;
	return 1;
}
int main(int argc, char **argv)
{
#ifdef __WAYMARK__
	waymark_on_untested(note, stderr);
#endif
	if (argc > 1)
		printf("%d\n", sign(atoi(argv[1])));
	return 0;
}
