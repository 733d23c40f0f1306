#include <cstdio>
#include <cstdlib>
#include <memory>
#include <pthread.h>
#include <setjmp.h>
#include <stdexcept>
#include <vector>
static int tiny(int x)
{
	return x * 3 + 1;
}
static int twice(int x)
{
	return tiny(x) + tiny(x + 1);
}
static int deep(int x)
{
	return twice(x) ^ twice(x + 2);
}
/* One block, and no end: nothing follows from it. */
static int for_ever(int x);
static int for_ever_too(int x)
{
	return for_ever(x + 1);
}
static int for_ever(int x)
{
	return for_ever_too(x) + 1;
}
/* Too many for one call. */
static int wide(int x)
{
	return deep(x) + deep(x + 1) + deep(x + 2) + deep(x + 3) + deep(x + 4);
}
inline int shared(int x)
{
	return tiny(x) - 1;
}
template <class T> struct box {
	T value;
	T &get()
	{
		return value;
	}
	T &again()
	{
		return get();
	}
};
static jmp_buf place;
__attribute__((noinline)) static void may_jump(int x)
{
	if (x % 11 == 0)
		longjmp(place, 1);
}
__attribute__((noinline)) static void may_throw(int x)
{
	if (x % 7 == 0)
		throw std::runtime_error("seven");
}
/* Every path that takes the blocks ends. */
__attribute__((noinline)) int branches(int x)
{
	if (x & 1)
		return tiny(x) + shared(x);
	int sum = deep(x);
	for (int i = 0; i < x % 4; i++)
		sum += i & 1 ? twice(i) : shared(i);
	/* Behind their invokes there are pads that nothing unwinds to. */
	std::unique_ptr<int> none;
	return sum + !none;
}
/* Control vanishes between calls, and behind them. */
__attribute__((noinline)) int vanishes(int x)
{
	int sum = deep(x);
	may_jump(x);
	sum += twice(sum) + tiny(sum);
	may_throw(x);
	sum += shared(sum) + tiny(sum);
	if (x == 12345)
		for_ever(x);
	return sum + wide(x);
}
__attribute__((noinline)) int returns_twice(int x)
{
	int sum = deep(x);
	if (setjmp(place))
		return shared(x) + twice(x);
	sum += twice(x);
	return vanishes(x) + sum;
}
static void *work(void *)
{
	long sum = 0;
	box<long> b = {0};
	for (int i = 0; i < 500; i++)
		b.again() += branches(i), sum += b.get();
	return (void *)sum;
}
int main()
{
	long sum = 0;
	for (volatile int i = 0; i < 200; i = i + 1) {
		try {
			sum += returns_twice(i);
		} catch (std::runtime_error &) {
			sum += tiny(1) + shared(2);
		}
	}
	std::vector<int> v;
	for (int i = 0; i < 300; i++)
		v.push_back(branches(i));
	for (int x : v)
		sum += x;
	pthread_t thread;
	void *result = nullptr;
#ifdef THREADS
	pthread_create(&thread, nullptr, work, nullptr);
	sum += (long)work(nullptr);
	pthread_join(thread, &result);
#else
	(void)thread;
	result = work(nullptr);
#endif
	printf("%ld\n", sum + (long)result);
	if (sum)
		exit(tiny(sum) & 1 ? 3 : 3);
}
