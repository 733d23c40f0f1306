int replaced(int n);
int caller(int n);
__attribute__((noinline)) int replaced(int n)
{
	return n & 1 ? n : -n;
}
int caller(int n)
{
	int s = 0;
	for (int i = 0; i < n; i++)
		s += i % 3 ? replaced(i) : i;
	return s;
}
