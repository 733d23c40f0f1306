#include <cstdio>
#include <cstdlib>
extern "C" void hidden(int n);
extern "C" __attribute__((noinline)) void hidden(int n)
{
	if (n > 100)
		std::exit(3);
}
static void (*volatile pointer)(int) = hidden;
struct guard {
	~guard()
	{
		std::puts("guard");
	}
};
extern "C" int outer(int n);
extern "C" int outer(int n)
{
	guard g;
	hidden(n);
	pointer(n);
	if (n)
		hidden(n + 1);
	return __builtin_popcount((unsigned)n);
}
int main()
{
	return outer(1) != 1;
}
