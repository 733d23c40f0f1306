__attribute__((noinline)) int outer(int n, int t)
{
	int s = 0;
	if (t)
		n++;
	for (int i = 0; i < n; i++)
		try {
			throw i;
		} catch (int k) {
			s += k & 1;
		}
	return s;
}
__attribute__((noinline)) int middle(int t)
{
	int s = t & 2 ? 1 : 2;
	s += outer(20, t & 1);
	if (s & 1)
		s++;
	return s;
}
int main()
{
	int s = 0;
	for (int i = 0; i < 50; i++)
		s += middle(i);
	return s == 0;
}
