/* Activations that are left by longjmp, in a callback of the C library, and by exit. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

static jmp_buf back;
static int comparisons;

static int compare(const void *left, const void *right)
{
	int a = *(const int *)left, b = *(const int *)right;
	if (++comparisons == 9)
		longjmp(back, 1);
	return a < b ? -1 : a > b;
}

__attribute__((noinline)) static int sorted(int *number, size_t count)
{
	int sum = 0;
	if (count > 2)
		qsort(number, count, sizeof *number, compare);
	for (size_t i = 0; i < count; i++)
		sum += number[i] % 3 ? number[i] : 1;
	return sum;
}

static void finish(int code)
{
	if (code > 3)
		exit(code);
	puts("not yet");
}

__attribute__((noinline)) static void many(int a, double b, const char *text, ...)
{
	if (a > 1 && b < 4)
		finish(a);
	puts(text);
}

int main(int argc, char **argv)
{
	int number[] = {9, 2, 7, 4, 5, 1, 8, 3, 6};
	printf("%s %d\n", argv[argc] ? "" : "begin", argc);
	if (!setjmp(back))
		printf("%d\n", sorted(number, sizeof number / sizeof *number));
	else
		puts("jumped");
	for (int i = 0; i < 9; i++)
		many(i, i / 2., "once more", i);
	return 0;
}
