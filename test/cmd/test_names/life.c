/* life WHAT...: does one thing after another; `work` is what is counted. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <waymark.h>

__attribute__((noinline)) int work(int n)
{
	return n > 1 ? n : 1;
}

static int starts_with(const char *word, const char *start)
{
	return strncmp(word, start, strlen(start)) == 0;
}

static void expect(int what, const char *word)
{
	if (!what) {
		printf("not so: %s (%s)\n", word, strerror(errno));
		exit(1);
	}
}

static void in_object(const char *path)
{
	void *object = dlopen(path, RTLD_NOW);
	expect(object != NULL, path);
	((void (*)(void))dlsym(object, "plug"))();
}

static volatile int stopped;

static void *until_stopped(void *done)
{
	while (!stopped)
		*(unsigned long *)done += (unsigned long)work(1);
	return NULL;
}

/* Names change while other threads count. */
static void busy(void)
{
	static unsigned long done[3];
	pthread_t thread[3];
	unsigned long sum = 0;
	char name[8];
	for (int i = 0; i < 3; i++)
		expect(!pthread_create(&thread[i], NULL, until_stopped, &done[i]), "thread");
	for (int i = 0; i < 100; i++) {
		snprintf(name, sizeof name, "t%d", i % 10);
		expect(!waymark_test_begin(name), name);
		usleep(100);
		expect(!waymark_test_end(), "end");
	}
	stopped = 1;
	for (int i = 0; i < 3; i++) {
		pthread_join(thread[i], NULL);
		sum += done[i];
	}
	printf("%lu\n", sum);
}

static void mistakes(void)
{
	static char longest[1025];
	memset(longest, 'x', 1024);
	expect(waymark_test_begin(NULL) == -1 && errno == EINVAL, "NULL");
	expect(waymark_test_begin("") == -1 && errno == EINVAL, "an empty name");
	expect(waymark_test_begin(longest) == -1 && errno == ENAMETOOLONG, "a name of 1024 bytes");
	longest[1023] = 0;
	expect(!waymark_test_begin(longest), "a name of 1023 bytes");
	expect(!waymark_test_end() && !waymark_test_end(), "an end without a test");
}

static void fork_and_wait(void)
{
	pid_t child = fork();
	if (child == 0)
		return;
	waitpid(child, NULL, 0);
	exit(0);
}

static void act(const char *word)
{
	if (starts_with(word, "begin="))
		expect(!waymark_test_begin(word + 6), word);
	else if (starts_with(word, "load="))
		in_object(word + 5);
	else if (starts_with(word, "file="))
		expect(!waymark_set_file(word + 5), word);
	else if (!strcmp(word, "end"))
		expect(!waymark_test_end(), word);
	else if (!strcmp(word, "fork"))
		fork_and_wait();
	else if (!strcmp(word, "dump"))
		expect(!waymark_dump(NULL), word);
	else if (!strcmp(word, "reset"))
		expect(!waymark_reset(), word);
	else if (!strcmp(word, "kill"))
		kill(getpid(), SIGKILL);
	else if (!strcmp(word, "abort"))
		abort();
	else if (!strcmp(word, "_exit"))
		_exit(0);
	else if (!strcmp(word, "exec"))
		execlp("./life", "life", "5", (char *)NULL);
	else if (!strcmp(word, "busy"))
		busy();
	else if (!strcmp(word, "mistakes"))
		mistakes();
	else if (starts_with(word, "write="))
		fclose(freopen(word + 6, "w", stdin));
	else
		for (int i = atoi(word); i > 0; i--)
			work(i);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		act(argv[i]);
	return 0;
}
