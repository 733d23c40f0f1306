inline int system_one(int n)
{
	return n > 1 ? 1 : 0;
}
