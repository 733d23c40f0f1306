#include <cstdio>
#include <cstdlib>
template <class T> T clamp(T value, T low, T high)
{
	if (value < low)
		return low;
	if (value > high)
		return high;
	return value;
}
template <class T> struct stack {
	T item[4];
	int count = 0;
	bool push(T value)
	{
		if (count == 4)
			return false;
		item[count++] = value;
		return true;
	}
};
// The graph of the instance for char is another one.
template <class T> int width(T value)
{
	if constexpr (sizeof(T) > 1)
		if (value > 255)
			return 2;
	return value ? 1 : 0;
}
template <class T> int never(T value)
{
	return value ? 1 : 2;
}
#ifdef EARLIER
// By its name, this is the first of all instances.
static bool earlier(int argc)
{
	return clamp<bool>(argc > 1, false, true);
}
#endif
int main(int argc, char **argv)
{
	stack<int> a;
	stack<long> b;
	for (int i = 1; i < argc; i++)
		a.push(clamp(atoi(argv[i]), 0, 9));
	for (int i = 1; i < argc && i < 3; i++)
		b.push(clamp(atol(argv[i]), 5L, 7L));
#ifdef EARLIER
	if (earlier(argc) && argc > 200)
		return 1;
#endif
	if (argc > 100)
		return never(1) + never('c') + clamp('a', 'b', 'c');
	printf("%d %d %d %d %d\n", a.count, b.count, width(argc), width((long)argc), width((char)argc));
}
