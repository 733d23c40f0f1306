/* Exceptions past frames with and without destructors, through recursion, rethrown, and out of callbacks. */
#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
struct guard {
	int &n;
	explicit guard(int &n) : n(n)
	{
		n++;
	}
	~guard()
	{
		n--;
	}
};
static int live, caught;
static void thrower(int n)
{
	if (n % 4 == 0)
		throw std::runtime_error("x");
	if (n % 4 == 1)
		throw n;
}
static void between(int n)
{
	thrower(n);
	live += 0;
}
static int deep(int n, int depth)
{
	guard g(live);
	try {
		if (depth)
			return deep(n + 1, depth - 1) + deep(n + 2, depth - 1);
		between(n);
		return 1;
	} catch (int i) {
		caught++;
		if (i % 8 == 1)
			throw;
		return i;
	}
}
static int work(int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++)
		try {
			sum += deep(i, 4);
		} catch (const std::exception &e) {
			sum += (int)std::string(e.what()).size();
		} catch (...) {
			sum++;
		}
	std::vector<int> v{5, 3, 9, 1, 7, 2, 8};
	std::sort(v.begin(), v.end(), [](int a, int b) { return a < b; });
	try {
		std::for_each(v.begin(), v.end(), [](int x) {
			if (x == 5)
				throw x;
		});
	} catch (int x) {
		sum += x;
	}
	return sum;
}
int main()
{
	int sum = work(40);
	std::vector<std::thread> threads;
	printf("%d %d %d\n", sum, live, caught);
	return 0;
}
