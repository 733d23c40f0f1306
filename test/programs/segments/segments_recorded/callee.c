static int helper(int x)
{
	return x & 4 ? x : -x;
}
int leaf(int x)
{
	if (x & 1)
		return x * 3;
	return helper(x / 2);
}
int loop(int n)
{
	int s = 0;
	for (int i = 0; i < n; i++)
		s += leaf(i);
	return s + leaf(n);
}
