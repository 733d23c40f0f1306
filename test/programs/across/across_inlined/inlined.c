int other(int);
static int sign(int x)
{
	if (x < 0)
		return -1;
	if (x == 0)
		return 0;
	return other(x);
}
static int half(int x)
{
	return x % 2 ? x * 3 + 1 : x / 2;
}
int without(int x)
{
	return other(x + 1);
}
int with_half(int x)
{
	return other(half(x));
}
int with_sign(int x)
{
	return other(x) + sign(x);
}
int with_both(int x)
{
	return other(x) + other(x + 1);
}
