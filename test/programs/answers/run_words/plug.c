int plug(int n)
{
	if (n > 10)
		return n;
	return 1;
}
int unused(int n) { return n; }
