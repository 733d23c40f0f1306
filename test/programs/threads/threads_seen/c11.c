#include <threads.h>
int work(int n)
{
	int s = 0;
	for (int i = 0; i < n; i++)
		s += i % 3 ? 1 : 2;
	return s;
}
int run(void *unused)
{
	(void)unused;
	return work(1000);
}
int main(void)
{
	thrd_t t, u;
	thrd_create(&t, run, 0);
	thrd_create(&u, run, 0);
	thrd_join(t, 0);
	thrd_join(u, 0);
	return work(9) == 12 ? 0 : 1;
}
