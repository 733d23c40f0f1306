/*
 * Loops that are left in every iteration up to the k-th and after it: one whose only
 * iteration stands before its ways out in numbering order, two in a row, one that a
 * call may leave for good, one entered by setjmp's second return, and outer loops.
 *
 * scheme: kiter=5
 * source: [f("outer").loops[] | [.k, .reason]] | sort == [[1, "it is not innermost"], [5, ""]]
 * fact: f("twice").balance.abandoned == 0
 * fact: all(f("search").paths[] | select(.start == "loop") | .iterations; length >= 4)
 */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

static jmp_buf place;

__attribute__((noinline)) static int search(const int *p, int wanted, int count)
{
	int i;
	for (i = 0; i < count; i++)
		if (p[i] == wanted)
			break;
	return i;
}

__attribute__((noinline)) static unsigned twice(unsigned a, unsigned b)
{
	unsigned sum = 0;
	while (a--)
		sum = sum * 3 + a;
	do {
		sum = sum & 1 ? sum / 2 + b : sum + 7;
		if (sum % 11 == 0)
			continue;
		sum ^= b;
	} while (b-- > 1 || sum % 5 == 0);
	return sum;
}

__attribute__((noinline)) static void jump(int now)
{
	if (now)
		longjmp(place, 1);
}

__attribute__((noinline)) static int leaves(int count, int at)
{
	int sum = 0;
	for (int i = 0; i < count; i++) {
		jump(i == at);
		sum += i & 2 ? i : 1;
	}
	return sum;
}

__attribute__((noinline)) static int outer(int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++) {
		for (int j = 0; j < i % 7; j++)
			sum += j & 1 ? i : -j;
		if (sum > 1000)
			break;
	}
	return sum;
}

int main(void)
{
	int p[] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3}, sum = 0;
	for (int i = 0; i < 12; i++)
		sum += search(p, i, 16);
	for (unsigned i = 0; i < 20; i++)
		sum += (int)(twice(i, i / 2 + 1) % 1000);
	for (volatile int i = 0; i < 9; i++)
		if (!setjmp(place))
			sum += leaves(8, i);
	for (int i = 0; i < 40; i++)
		sum += outer(i);
	printf("%d\n", sum);
	return 0;
}
