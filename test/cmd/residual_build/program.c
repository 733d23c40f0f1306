#include <stdio.h>
#include <stdlib.h>
#ifdef __WAYMARK__
#include <waymark.h>
__attribute__((no_profile_instrument_function)) static void note(const struct waymark_untested *path, void *closure)
{
	fprintf(closure, "untested %s:%llu\n", path->function, (unsigned long long)path->path);
}
#endif
int price(int member, int coupon)
{
	int price = 100;
	if (member)
		price -= 10;
	if (coupon)
		price -= 20;
	return price;
}
int main(int argc, char **argv)
{
#ifdef __WAYMARK__
	waymark_on_untested(note, stderr);
#endif
	for (int i = 1; i + 1 < argc; i += 2)
		printf("%d\n", price(atoi(argv[i]), atoi(argv[i + 1])));
	return 0;
}
