extern "C" int odd(void) __attribute__((returns_twice));
volatile int sink;
static int inner(int x)
{
	sink = sink + x;
	return x + 1;
}
static int outer(int x)
{
	int s;
	try {
		s = inner(x);
	} catch (...) {
		s = odd();
	}
	return s;
}
__attribute__((noinline)) int hot(int x)
{
	return outer(x) + outer(x + 1);
}
int main()
{
	int sum = 0;
	for (int i = 0; i < 100; i++)
		sum += hot(i);
	return sum == 0;
}
