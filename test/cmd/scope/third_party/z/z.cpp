int compress(int n)
{
	return n > 1 ? n / 2 : n;
}
