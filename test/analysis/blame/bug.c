#include <stdio.h>
#include <stdlib.h>
static long number(const char *s)
{
	long sign = 1, value = 0;
	if (*s == '-') {
		sign = -1;
		s++;
	}
	if (s[0] == '0' && s[1] == 'x') {
		for (s += 2; *s; s++)
			value = value * 16 + (*s <= '9' ? *s - '0' : *s - 'a' + 10);
		if (sign < 0)
			return value; /* the sign is forgotten */
		return value;
	}
	for (; *s; s++)
		value = value * 10 + *s - '0';
	return sign * value;
}
static void complain(long sum)
{
	if (sum > 0)
		puts("positive");
}
int main(int argc, char **argv)
{
	long sum = 0;
	for (int i = 2; i < argc; i++)
		sum += number(argv[i]);
	if (sum != atol(argv[1]))
		complain(sum);
	return sum != atol(argv[1]);
}
