#include <stdio.h>
static int never(int x)
{
	return x > 3 ? puts("more") : x;
}
__attribute__((noinline)) int kind(int x)
{
	switch (x % 7) {
	case 0:
	case 1:
		return 3;
	case 2:
		return puts("") - 1;
	default:
		return __builtin_expect(x & 1, 0) ? x : 9;
	}
}
int main(int argc, char **argv)
{
	int sum = 0;
	for (int i = 0; i < 1000; i++) {
		sum += kind(i);
		if (i % 10 == 0)
			sum ^= (int)argv[0][0];
	}
	if (argc > 5)
		sum += never(argc);
	printf("%d\n", sum);
	return 0;
}
