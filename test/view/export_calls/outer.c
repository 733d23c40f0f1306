__attribute__((noinline)) static int helper(int n)
{
	return n > 2 ? n : 2 - n;
}
int main(int argc, char **argv)
{
	int s = argc + !argv;
#include "body.inc"
	return s != 2;
}
