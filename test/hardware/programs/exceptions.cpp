#include <stdexcept>
static int thrower(int n)
{
	if (n % 5 == 0)
		throw std::runtime_error("five");
	return n;
}
static int between(int n)
{
	return thrower(n) + 1;
}
int main()
{
	int sum = 0;
	for (int i = 0; i < 1000; i++) {
		try {
			sum += between(i);
		} catch (std::exception &) {
			sum--;
		}
	}
	return sum == 400600 ? 0 : 1;
}
