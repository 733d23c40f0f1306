static int collatz(int n)
{
	int steps = 0;
	while (n != 1) {
		n = n % 2 ? 3 * n + 1 : n / 2;
		if (n > 40 && steps > 3)
			steps += 2;
		else
			steps++;
	}
	return steps;
}
static int kind(int n)
{
	switch (n % 5) {
	case 0:
		return 1;
	case 1:
	case 2:
		n++;
		break;
	default:
		n--;
	}
	return n > 3 || n < -2 ? n : 2;
}
int main(int argc, char **argv)
{
	int sum = 0;
	(void)argv;
	for (int i = 1; i < 30 + argc; i++)
		sum += collatz(i) + kind(i - 9);
	if (argc > 5)
		sum++;
	return sum == 0;
}
