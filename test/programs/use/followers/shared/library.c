static int one(int x)
{
	return x + 1;
}
static int two(int x)
{
	return one(x) * 2;
}
__attribute__((noinline)) int hook(int x)
{
	return x;
}
__attribute__((noinline)) int hot(int x)
{
	int s = two(x) + one(x);
	s += hook(s);
	return s + one(s) + two(s);
}
