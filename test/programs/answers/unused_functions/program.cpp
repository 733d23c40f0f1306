inline int never_used(int x)
{
	return x ? 1 : 2;
}
template <class T> T never_made(T x)
{
	return x ? 1 : 2;
}
static int lonely(int x)
{
	return x > 3;
}
int main()
{
	return 0;
}
