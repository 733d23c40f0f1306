#include <stdlib.h>
#define OUT __attribute__((noinline))
volatile int sink;
OUT int odd(int n);
OUT int even(int n)
{
	sink = n ? odd(n - 1) : (abort(), 1);
	return sink + 1;
}
OUT int odd(int n)
{
	sink = even(n - 1);
	return sink + 2;
}
int main(int argc, char **argv)
{
	return even(atoi(argv[1]));
}
