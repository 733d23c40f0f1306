#include <stdio.h>
#include <stdlib.h>

static int classify(int n)
{
	if (n < 0)
		return -1;
	if (n > 10 && n % 2)
		return 2;
	switch (n % 7) {
	case 1:
		return 10;
	case 2:
	case 3:
		n += 20;
		break;
	default:
		n--;
	}
	return n > 5 || n == 3 ? 1 + n : 0;
}

static long steps(unsigned long n)
{
	long count = 0;
	while (n != 1) {
		if (n & 1)
			n = 3 * n + 1;
		else
			n /= 2;
		if (++count > 200)
			goto out;
	}
	do {
		count++;
		if (count % 5 == 0)
			continue;
		count++;
	} while (count % 3);
out:
	return count;
}

static long nested(int rows)
{
	long sum = 0;
	for (int i = 0; i < rows; i++) {
		for (int k = i; k < rows; k += 2) {
			if ((i ^ k) & 4)
				continue;
			sum += steps((unsigned long)(i * k + 1));
			if (sum > 2000 && i > 6)
				break;
		}
		sum += classify(i - 3);
	}
	return sum;
}

static int never(int x)
{
	if (x)
		return 1;
	return 2;
}

int (*hook)(int) = never;

int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 5)
		return hook(argc);
	printf("%ld\n", nested(23));
	return 0;
}
