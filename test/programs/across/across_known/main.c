#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
int weigh(int n, int limit);
int bits(int n);
static int grade(int steps)
{
	if (steps < 5)
		return 0;
	return steps < 20 ? 1 : 2;
}
static int one(int n)
{
	if (n <= 0)
		return -1;
	return grade(weigh(n, 30)) + bits(n);
}
static int all(char **words)
{
	int sum = 0;
	for (; *words; words++) {
		int last = 0, first, n = sscanf(*words, "%d..%d", &first, &last);
		for (int i = first; i <= (n == 2 ? last : first); i++)
			sum += one(i);
	}
	return sum;
}
static void *work(void *words)
{
	return (void *)(long)all(words);
}
int main(int argc, char **argv)
{
	pthread_t thread[4];
	long sum = 0;
	void *part;
	if (argc < 2 || argv[1][0] != 't') {
		printf("%d\n", all(argv + 1));
		if (getenv("KILLED")) /* keeps its hash tables in its file */
			raise(SIGKILL);
		return 0;
	}
	for (int i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, work, argv + 2);
	for (int i = 0; i < 4; i++) {
		pthread_join(thread[i], &part);
		sum += (long)part;
	}
	printf("%ld\n", sum);
	return 0;
}
