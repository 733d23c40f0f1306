#include <stdio.h>
__attribute__((noinline)) unsigned scan(const char *p, unsigned count[3])
{
	enum { SPACE, WORD, NUMBER } state = SPACE;
	unsigned hash = 0;
	for (; *p; p++)
		switch (state) {
		case SPACE:
			state = *p == ' ' ? SPACE : *p <= '9' ? NUMBER : WORD;
			break;
		case WORD:
			hash = hash * 31 + *p;
			if (*p == ' ')
				count[0]++, state = SPACE;
			break;
		case NUMBER:
			hash += *p;
			if (*p == ' ')
				count[1]++, state = SPACE;
			break;
		}
	return hash;
}
int main(void)
{
	unsigned count[3] = {0}, hash = 0;
	for (int i = 0; i < 200; i++)
		hash += scan("the quick brown fox jumps over 1234 lazy dogs and 99 others ", count);
	printf("%u %u %u\n", hash, count[0], count[1]);
	return 0;
}
