#include <stdio.h>
#include <waymark.h>

__attribute__((noinline)) int work(int n)
{
	return n % 3 ? n : 1;
}

/* Errors, as where a file may not grow, change nothing for the program. */
int main(void)
{
	char name[16];
	for (int i = 0;; i++) {
		snprintf(name, sizeof name, "t%d", i % 50);
		waymark_test_begin(name);
		for (int j = 0; j < i % 7; j++)
			work(j);
		waymark_test_end();
		work(i);
	}
}
