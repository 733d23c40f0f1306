#include <cstdio>
#include <stdexcept>
struct guard {
	int n;
	~guard()
	{
		std::printf("guard %d\n", n);
	}
};
__attribute__((noinline)) static int thrower(int n)
{
	guard g{n};
	if (n % 3 == 0)
		throw std::runtime_error("three");
	if (n % 5 == 0)
		throw n;
	return n * 2;
}
static int middle(int n)
{
	guard g{100 + n};
	try {
		return thrower(n) + 1;
	} catch (int m) {
		return thrower(m + 1);
	}
}
int main()
{
	int sum = 0;
	for (int i = 1; i < 20; i++) {
		try {
			sum += middle(i);
		} catch (const std::exception &) {
			sum += 5;
		}
	}
	std::printf("%d\n", sum);
}
