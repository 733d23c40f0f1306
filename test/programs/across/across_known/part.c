int half(int n)
{
	return n % 2 ? n * 3 + 1 : n / 2;
}
int weigh(int n, int limit)
{
	int steps = 0;
	while (n > 1 && steps < limit) {
		n = half(n);
		steps += n % 5 == 0 ? 2 : 1;
	}
	return steps;
}
int bits(int n)
{
	int sum = 0;
	if (n & 1)
		sum += 3;
	if (n & 2)
		sum ^= 5;
	if (n & 4)
		sum += 7;
	if (n & 8)
		sum ^= 9;
	if (n & 16)
		sum += 11;
	if (n & 32)
		sum ^= 13;
	if (n & 64)
		sum += half(sum);
	if (n & 128)
		sum ^= half(n);
	for (int i = 0; i < n % 7; i++) /* a region: its paths have cells, unless the build is residual */
		sum += sum & 1 ? n : i;
	return sum;
}
