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

__attribute__((noinline)) static void jump(int sum)
{
	if (sum)
		longjmp(back, 2);
}

#define EIGHT(n) ONE(n) ONE(n + 1) ONE(n + 2) ONE(n + 3) ONE(n + 4) ONE(n + 5) ONE(n + 6) ONE(n + 7)
#define ONE(n) \
	if (bits >> (n) & 1) \
		sum += sum / 3 + n;

/* 2^40 paths, and LLVM knows which of them is taken. */
__attribute__((noinline)) static int wide(unsigned long bits)
{
	int sum = 1;
	EIGHT(0) EIGHT(8) EIGHT(16) EIGHT(24) EIGHT(32) jump(sum);
	return sum;
}

int main(int argc, char **argv)
{
	int number[] = {9, 2, 7, 4, 5, 1, 8, 3, 6};
	printf("%s %d\n", argv[argc] ? "" : "begin", argc);
	if (!setjmp(back))
		printf("%d\n", sorted(number, sizeof number / sizeof *number));
	else
		puts("jumped");
	if (setjmp(back) == 0)
		printf("%d\n", wide(0xA5A5A5A5A5));
	for (int i = 0; i < 9; i++)
		many(i, i / 2., "once more", i);
	return 0;
}
