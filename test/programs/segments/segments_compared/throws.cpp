static int cleaned;
struct cleaner {
	~cleaner()
	{
		cleaned++;
	}
};
int leaf(int n)
{
	return n & 2 ? n : -n;
}
int risky(int n)
{
	if (n % 4 == 3)
		throw n;
	return n;
}
int middle(int n)
{
	cleaner c;
	return n & 1 ? risky(n + 2) : leaf(n);
}
int outer(int n)
{
	int sum = leaf(n);
	try {
		sum += risky(n);
		if (n & 2)
			sum++;
		sum += leaf(n);
		sum += middle(n + 1);
		if (n % 3 == 0)
			throw n;
	} catch (int m) {
		sum -= leaf(m);
	}
	return sum;
}
int main()
{
	int sum = 0;
	for (int i = 0; i < 20; i++)
		sum += outer(i);
	return sum == 1000;
}
