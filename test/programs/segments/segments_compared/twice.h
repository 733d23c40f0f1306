int inner(int n);
inline int outer(int n)
{
	if (n & 1)
		return inner(n) + inner(n + 2);
	return inner(n + 1);
}
int other(int n);
