__attribute__((noinline)) static int leaf(int n)
{
	int s = 0;
	for (int i = 0; i < n; i++)
		s += i & 1;
	return s;
}
__attribute__((noinline)) static int deep(int n, int count)
{
	return n ? deep(n - 1, count) + 1 : leaf(count);
}
int main(void)
{
	int s = 0;
	for (int i = 0; i < 10; i++)
		s += leaf(5) + deep(3, 5);
	return s != 70;
}
