struct guard {
	int *n;
	~guard()
	{
		++*n;
	}
};
[[noreturn, gnu::noinline]] void fail(int n)
{
	if (n & 1)
		throw n;
	throw 'c';
}
[[gnu::noinline]] int checked(int n)
{
	if (n % 3 == 0)
		fail(n);
	return n;
}
[[gnu::noinline]] int guarded(int n, int *left)
{
	guard g{left};
	if (n % 2)
		fail(n);
	return n;
}
[[gnu::noinline]] int outer(int n, int *left)
{
	try {
		return checked(n) + guarded(n, left);
	} catch (char) {
		return 1;
	}
}
int main()
{
	int left = 0, sum = 0;
	for (int i = 0; i < 6; i++) {
		try {
			sum += outer(i, &left);
		} catch (int n) {
			sum -= n;
		}
	}
	return sum != 4 || left != 4;
}
