static int step(int n, unsigned bits)
{
	int sum = 0;
	for (int i = 0; i < n; i++) {
		if (bits & 1)
			sum += i;
		if (bits & 2)
			sum -= 2;
		bits = bits >> 1 | (bits & 1) << 15;
	}
	return sum;
}
static unsigned number(const char *text)
{
	unsigned n = 0;
	while (*text)
		n = 10 * n + (unsigned)(*text++ - '0');
	return n;
}
static int never(int n)
{
	return n & 1 ? step(n, 3) : n;
}
int main(int argc, char **argv)
{
	int sum = 0;
	for (int i = 1; i < argc; i++)
		sum += step(i + 3, number(argv[i]));
	return sum == 1000 ? never(sum) : 0;
}
