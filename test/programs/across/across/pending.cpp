#include <cstdio>
static __attribute__((noinline)) int leaf(int n)
{
	if (n == 7)
		throw n;
	return n & 1 ? n : -n;
}
static __attribute__((noinline)) int descend(int n)
{
	if (n == 0)
		throw 1;
	int before = leaf(n % 5);
	try {
		return descend(n - 1) + before;
	} catch (int) {
		if (n % 4)
			throw;
		return before;
	}
}
int main()
{
	int sum = 0;
	for (int i = 0; i < 10; i++)
		sum += descend(11);
	std::printf("%d\n", sum);
}
