#include <stdbool.h>
#include <stdio.h>
struct f { bool a : 1, b : 1; };
__attribute__((noinline)) int bits(struct f *p, int n)
{
	if (n == 1) { puts("one"); *p = (struct f){0, 1}; }
	else if (n == 2) puts("x");
	else if (n == 3) puts("y");
	if (p->a) { puts("a"); putchar('A'); } else fflush(stdout);
	return 0;
}
int main(void) { for (int n = 0; n < 5; n++) { struct f f = {0, 1}; bits(&f, n); } }
