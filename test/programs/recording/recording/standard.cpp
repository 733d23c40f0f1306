#include <cstdio>
#include <thread>
#include <vector>
static int fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
int main()
{
	std::vector<std::thread> threads;
	for (int i = 0; i < 8; i++)
		threads.emplace_back([i] {
			volatile int x = fib(8 + i);
			(void)x;
		});
	for (auto &t : threads)
		t.join();
	return 0;
}
