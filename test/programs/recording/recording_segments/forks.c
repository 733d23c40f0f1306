#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) int g(void)
{
	pid_t child = fork();
	if (child > 0)
		waitpid(child, NULL, 0);
	return child == 0;
}
__attribute__((noinline)) int h(int n)
{
	return n ? g() : 3;
}
int main(void)
{
	return h(1) > 1;
}
