#include <signal.h>
int wrapped(int x), __real_wrapped(int x), weak(int x);
int __wrap_wrapped(int x)
{
	return x > 2 ? __real_wrapped(x) : 1;
}
void handler(int n)
{
	if (n > 100)
		__builtin_trap();
}
int recursive(int x)
{
	return x > 0 ? recursive(x - 1) : 0;
}
int plain(int x)
{
	return x > 1 ? 2 : 3;
}
int (*volatile pointer)(int) = plain;
int main(void)
{
	signal(SIGUSR1, handler);
	handler(1);
	raise(SIGUSR1);
	return wrapped(3) + weak(1) + recursive(3) + plain(1) + pointer(2) - 10;
}
