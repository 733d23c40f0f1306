__attribute__((noinline)) static int odd(int i) { return i & 1; }
void _start(void)
{
	int sum = 0;
	for (int i = 0; i < 3; i++)
		if (odd(i))
			sum += i;
	__asm__ volatile("syscall" : : "a"(60), "D"(sum));
	__builtin_unreachable();
}
