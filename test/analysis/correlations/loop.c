int alternate(int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++) {
		if (i & 1)
			sum += 2;
		else
			sum -= 1;
	}
	return sum;
}
int main(void)
{
	return alternate(1000) < 0;
}
