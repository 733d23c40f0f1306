int work(int n)
{
	int s = 0;
	for (int i = 0; i < n; i++)
		s += i % 3 ? 1 : 2;
	return s;
}
static char stack[65536] __attribute__((aligned(16)));
static volatile int word = 1;
__attribute__((used)) static void run(void)
{
	work(1000000);
	for (volatile int i = 0; i < 50000000; i++)
		continue; /* the kernel adds up the time of a thread at its ticks */
	word = 0;
}
int main(void)
{
	/* CLONE_VM, FS, FILES, SIGHAND, THREAD, SYSVSEM */
	long result;
	register void (*function)(void) __asm__("r12") = run;
	__asm__ volatile("syscall\n\ttest %%rax, %%rax\n\tjnz 1f\n\tcall *%%r12\n\tmov $60, %%eax\n\txor %%edi, "
			 "%%edi\n\tsyscall\n1:"
		: "=a"(result)
		: "0"(56l), "D"(0x50f00l), "S"(stack + sizeof stack), "d"(0l), "r"(function)
		: "rcx", "r11", "memory");
	if (result < 0)
		return 1;
	while (word)
		work(9);
	for (volatile int i = 0; i < 10000000; i++)
		continue; /* the thread has ended */
	return work(9) != 12;
}
