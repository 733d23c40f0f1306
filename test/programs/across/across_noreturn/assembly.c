static volatile int sink;
__attribute__((noinline)) int noted(int n)
{
	if (n > '5')
		sink++;
	return n + 1;
}
__attribute__((noinline)) void stop(int n)
{
	if (n > '2') {
		sink += noted(n);
		__asm__ volatile("mov $231, %%eax; xor %%edi, %%edi; syscall" ::: "rax", "rdi", "rcx", "r11", "memory");
		__builtin_unreachable();
	}
}
int main(int argc, char **argv)
{
	stop(argv[1][0]);
	return 0;
}
