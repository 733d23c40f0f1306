static volatile unsigned sink;
static int odd(int n)
{
	sink += n;
	return n % 3 ? n + 1 : n - 1;
}
static int tree(int n)
{
	return n < 2 ? odd(n) : tree(n - 1) + tree(n - 2);
}
int main(void)
{
	for (int i = 0; i < 3000; i++)
		sink += tree(i % 17);
	return 0;
}
