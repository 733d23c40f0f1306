#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
static sigjmp_buf env;
volatile int left;
void leave(void)
{
	siglongjmp(env, 1);
}
void handle(int);
__asm__(".text\n.type handle, @function\nhandle: subl $1, left(%rip)\n jne handle\n jmp leave\n.size handle, .-handle");
static void fault(void)
{
	*(volatile int *)8 = 1;
}
int main(void)
{
	stack_t stack = {.ss_sp = malloc(65536), .ss_size = 65536};
	struct sigaction action = {.sa_handler = handle, .sa_flags = SA_ONSTACK};
	sigaltstack(&stack, 0);
	sigaction(SIGSEGV, &action, 0);
	for (volatile int i = 0; i < 50; i++) {
		left = 4;
		if (!sigsetjmp(env, 1))
			fault();
	}
	return 0;
}
