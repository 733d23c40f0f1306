/*
 * CGO 2009, figure 1: a branch that alternates, which acyclic paths cannot show.
 *
 * scheme: kiter=2
 * source: f("fig1").paths_possible == 23
 * source: [f("fig1").paths[] | [.id, .count]] | sort == [[3, 1], [15, 1], [16, 98], [19, 99]]
 * source: all(f("fig1").paths[] | select(.start == "loop"); .fresh == .iterations[0])
 * fact: sum(f("fig1").paths[] | select(.end == "backedge") | .count) == 198
 */
#include <stdio.h>

__attribute__((noinline)) static int fig1(const char *s)
{
	int n = 0;
	do {
		if (*s & 1) {
			n++;
		} else {
			n--;
			if (*s)
				;
			else
				break;
		}
	} while (*++s != '!');
	return n;
}

int main(void)
{
	char s[201];
	for (int i = 0; i < 200; i++)
		s[i] = i % 2 ? 'b' : 'a';
	s[200] = '!';
	printf("%d\n", fig1(s));
	return 0;
}
