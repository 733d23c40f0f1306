#include "work.h"
static long call(long number, long a, long b, long c, long d)
{
	register long x8 __asm__("x8") = number, x0 __asm__("x0") = a, x1 __asm__("x1") = b, x2 __asm__("x2") = c,
			 x3 __asm__("x3") = d;
	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
	return x0;
}
__attribute__((naked)) static int set(long *env)
{
	__asm__("stp x29, x30, [x0]\n mov x2, sp\n str x2, [x0, 16]\n mov w0, 0\n ret");
}
__attribute__((naked)) static void jump(long *env)
{
	__asm__("ldp x29, x30, [x0]\n ldr x2, [x0, 16]\n mov sp, x2\n mov w0, 1\n br x30");
}
static long env[4];
static volatile int handled, called;
static void set_timer(long period)
{
	long timer[4] = {0, period, 0, period};
	call(103, 0, (long)timer, 0, 0);
}
static void handle(int number)
{
	handled++;
	if (handled >= 40)
		set_timer(0);
}
static void callee(int number)
{
	called++;
}
static void (*volatile const function[1])(int) = {callee};
static int deep(int n)
{
	if (n == 0)
		jump(env);
	return deep(n - 1) + 1;
}
static int outer(int n)
{
	return set(env) ? n : deep(n);
}
void _start(void)
{
	long action[4] = {(long)handle, 0, 0, 0};
	call(134, 14, (long)action, 0, 8);
	for (int i = 0; i < 500; i++)
		outer(i % 7);
	for (int i = 0; i < 5; i++)
		work(999);
	set_timer(500);
	while (handled < 40 || called < 3000)
		function[0](0);
	call(94, 7, 0, 0, 0);
}
