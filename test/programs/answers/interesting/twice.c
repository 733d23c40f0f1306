#include <stdio.h>
#include <stdlib.h>
#include <waymark.h>
__attribute__((noinline)) unsigned sum(const char *p, int n)
{
	unsigned r = 0;
	for (int i = 0; i < n; i++) r = r * 31 + p[i];
	return r;
}
__attribute__((no_profile_instrument_function)) static void tell(const struct waymark_untested *path, void *closure)
{
	(void)closure;
	printf("%s:%llu\n", path->function, (unsigned long long)path->path);
}
int main(int argc, char **argv)
{
	(void)argc;
	waymark_on_untested(tell, 0);
	return sum("abcdef", atoi(argv[1])) == 0;
}
