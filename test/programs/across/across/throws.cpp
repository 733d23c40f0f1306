#include <cstdio>
#include <stdexcept>
static int alive;
struct guard {
	guard()
	{
		alive++;
	}
	~guard()
	{
		alive--;
	}
};
static int thrower(int n)
{
	if (n % 3 == 0)
		throw n;
	return n + 1;
}
static int through(int n)
{
	guard g;
	return thrower(n) * 2;
}
static int catches(int n)
{
	try {
		return through(n);
	} catch (int caught) {
		return thrower(caught + 1);
	}
}
static int again(int n)
{
	try {
		return catches(n) + through(n);
	} catch (...) {
		if (n % 2)
			throw;
		return -1;
	}
}
int main()
{
	int total = 0;
	for (int i = 0; i < 60; i++) {
		try {
			total += again(i);
		} catch (int caught) {
			total += 1000;
		}
	}
	std::printf("%d %d\n", total, alive);
}
