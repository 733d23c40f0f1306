#define OUT __attribute__((noinline))
int *volatile nothing;
volatile int zero;
OUT int bottom(int n) { return n > 1 ? n + *nothing : zero; }
OUT int loop(int n)
{
	for (int i = 1; i < n; i++)
		zero += bottom(i);
	return zero;
}
OUT int rise(int n, int depth)
{
	if (depth)
		return rise(n, depth - 1) + 1;
	return loop(n) + 1;
}
int main(int argc, char **argv)
{
	(void)argv;
	return rise(argc + 3, 1) + 1;
}
