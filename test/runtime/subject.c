/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The profiled program of the runtime's tests: `subject SCENARIO [ARGUMENT...]`.
 * Each scenario says on standard output what it has counted; the shell scripts
 * beside this file compare that with the raw profiles.  kinds.h has the functions.
 */
#include "runtime/waymark.h"
#include "test/runtime/kinds.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>

/* Runs before the runtime's constructor: these counts must be kept. */
static void early(int argc, char **argv, char **environment)
{
	(void)argc;
	(void)argv;
	for (; *environment; environment++)
		if (!strcmp(*environment, "SUBJECT_EARLY=1"))
			all(0, 100, 50);
}
__attribute__((section(".preinit_array"), used)) static void (*const earliest)(int, char **, char **) = early;

/* count N RANGE: the plain case. */
static int count(int argc, char **argv)
{
	errno = 77;
	all(0, number(argv, argc, 2, 1000), number(argv, argc, 3, 1000));
	if (errno != 77)
		return fail("errno");
	if (argc > 4 && !strcmp(argv[4], "_exit"))
		_exit(0);
	if (argc > 4 && !strcmp(argv[4], "abort"))
		abort();
	if (argc > 4 && !strcmp(argv[4], "chdir") && chdir("/"))
		return 1;
	return 0;
}

/* kill: announces after every 1000 calls, until it is killed. */
static int until_killed(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	for (uint64_t i = 0;; i += 1000) {
		all(i, i + 1000, i + 1000);
		say("announced", i + 1000);
	}
}

/* fork DEPTH: every process counts 100 before and 10 after it forks, twice. */
static int fork_tree(int argc, char **argv)
{
	uint64_t depth = number(argv, argc, 2, 3);
	all(0, 100, 77);
	for (uint64_t level = 0; level < depth; level++) {
		for (int i = 0; i < 2; i++) {
			pid_t child = fork();
			if (child < 0)
				return fail("fork");
			if (child == 0) {
				all(0, 100, 77);
				break;
			}
			all(100, 110, 1000);
			waitpid(child, NULL, 0);
			if (i == 1)
				return 0;
		}
	}
	return 0;
}

/* exec N: the image replaces itself N times. */
static int exec_self(int argc, char **argv)
{
	char left[24];
	uint64_t more = number(argv, argc, 2, 3);
	all(0, 50, 50);
	if (!more)
		return 0;
	snprintf(left, sizeof left, "%llu", (unsigned long long)more - 1);
	execl("/proc/self/exe", argv[0], "exec", left, (char *)NULL);
	return fail("exec");
}

/* vfork: the child counts for its parent. */
static int vfork_child(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	all(0, 10, 10);
	pid_t child = vfork();
	if (child == 0) {
		all(0, 5000, 5000);
		execl("/bin/true", "true", (char *)NULL);
		_exit(1);
	}
	if (child < 0 || waitpid(child, NULL, 0) != child)
		return fail("vfork");
	all(0, 10, 10);
	return 0;
}

/* A process the C library does not know of. */
static int raw_fork(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	all(0, 10, 10);
	pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	if (child == 0) {
		all(0, 10, 10);
		exit(0);
	}
	waitpid(child, NULL, 0);
	return 0;
}

struct work {
	void (*call)(uint64_t id, uint64_t range);
	uint64_t calls, range, offset;
};

static void *work(void *data)
{
	struct work *w = data;
	for (uint64_t i = 0; i < w->calls; i++)
		w->call(i + w->offset, w->range);
	return NULL;
}

/* threads KIND THREADS CALLS RANGE ROUNDS */
static int threads(int argc, char **argv)
{
	void (*call)(uint64_t, uint64_t) = !strcmp(argv[2], "atomic") ? atomic : !strcmp(argv[2], "delta") ? delta : gs;
	uint64_t count_of = number(argv, argc, 3, 4), rounds = number(argv, argc, 6, 1);
	struct work w[64];
	pthread_t id[64];
	for (uint64_t round = 0; round < rounds; round++) {
		for (uint64_t i = 0; i < count_of; i++) {
			w[i] = (struct work){call, number(argv, argc, 4, 10000), number(argv, argc, 5, 1000), i * 17};
			if (pthread_create(&id[i], NULL, work, &w[i]))
				return fail("pthread_create");
		}
		for (uint64_t i = 0; i < count_of; i++)
			pthread_join(id[i], NULL);
	}
	return 0;
}

/* threadfork: a thread forks while others count. */
static volatile int stop_counting;
static void *count_on(void *data)
{
	uint64_t *done = data;
	for (; !stop_counting; ++*done) {
		atomic(*done, 5000);
		delta(*done, 5000);
		gs(*done, 5000);
	}
	return NULL;
}

static int thread_fork(int argc, char **argv)
{
	uint64_t done[2] = {0, 0};
	pthread_t id[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&id[i], NULL, count_on, &done[i]);
	for (uint64_t i = 0; i < number(argv, argc, 2, 20); i++) {
		delta(i, 10);
		gs(i, 10);
		pid_t child = fork();
		if (child == 0) {
			for (uint64_t j = 0; j < 100; j++) {
				delta(j, 1000);
				gs(j, 1000);
				atomic(j, 1000);
			}
			_exit(0);
		}
		int status;
		if (waitpid(child, &status, 0) != child || status)
			return fail("child");
	}
	stop_counting = 1;
	for (int i = 0; i < 2; i++)
		pthread_join(id[i], NULL);
	say("atomic", done[0] + done[1]);
	say("own", done[0] + done[1] + number(argv, argc, 2, 20));
	return 0;
}

/* signals MILLISECONDS: a handler counts while the program counts and grows. */
static volatile uint64_t handled;
static void handler(int signal)
{
	(void)signal;
	int saved = errno;
	errno = 4711;
	all(handled * 7, handled * 7 + 3, 1u << 20);
	handled++;
	if (errno != 4711)
		_exit(9);
	errno = saved;
}

static int signals(int argc, char **argv)
{
	struct itimerval often = {{0, 50}, {0, 50}}, never = {{0, 0}, {0, 0}};
	struct timespec now, end;
	uint64_t done = 0;
	signal(SIGALRM, handler);
	setitimer(ITIMER_REAL, &often, NULL);
	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += (time_t)number(argv, argc, 2, 2);
	do {
		all(done, done + 50, 1u << 20);
		done += 50;
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (now.tv_sec < end.tv_sec || (now.tv_sec == end.tv_sec && now.tv_nsec < end.tv_nsec));
	setitimer(ITIMER_REAL, &never, NULL);
	signal(SIGALRM, SIG_IGN);
	say("handled", handled);
	say("total", done + 3 * handled);
	return 0;
}

/* signalfork: a handler forks in the middle of anything. */
static void forking_handler(int signal)
{
	(void)signal;
	handled++;
	pid_t child = fork();
	if (child == 0) {
		all(0, 3, 3);
		return; /* the child goes on where its parent was interrupted */
	}
	int status;
	while (waitpid(child, &status, 0) < 0)
		;
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		_exit(8);
}

static int signal_fork(int argc, char **argv)
{
	struct itimerval once = {{0, 0}, {0, 3000}};
	pid_t self = getpid();
	uint64_t rounds = number(argv, argc, 2, 20);
	signal(SIGALRM, forking_handler);
	for (uint64_t r = 0; r < rounds && getpid() == self; r++) {
		setitimer(ITIMER_REAL, &once, NULL);
		for (uint64_t before = handled; handled == before;)
			all(0, 20, 1u << 16);
	}
	return 0;
}

/* dlopen ROUNDS LIBRARY... */
static int open_libraries(int argc, char **argv)
{
	uint64_t rounds = number(argv, argc, 2, 1);
	all(0, 100, 100);
	for (uint64_t r = 0; r < rounds; r++) {
		for (int i = 3; i < argc; i++) {
			void *library = dlopen(argv[i], RTLD_NOW);
			if (!library) {
				printf("FAILED dlopen: %s\n", dlerror());
				return 1;
			}
			void (*call)(uint64_t, uint64_t, uint64_t) =
				(void (*)(uint64_t, uint64_t, uint64_t))dlsym(library, "library_all");
			call(0, 3000, 3000);
			if (dlclose(library))
				return fail("dlclose");
		}
	}
	FILE *maps = fopen("/proc/self/maps", "r");
	uint64_t lines = 0;
	for (int c; maps && (c = fgetc(maps)) != EOF;)
		lines += c == '\n';
	say("maps", lines);
	FILE *memory = fopen("/proc/self/statm", "r");
	unsigned long pages;
	if (!memory || fscanf(memory, "%lu", &pages) != 1)
		return fail("statm");
	say("pages", pages);
	return 0;
}

/* api DIRECTORY */
static int api(int argc, char **argv)
{
	char pattern[512];
	const char *directory = argc > 2 ? argv[2] : ".";
	all(0, 100, 1000);
	snprintf(pattern, sizeof pattern, "%s/snapshot.wmraw", directory);
	if (waymark_dump(pattern) || waymark_dump(NULL))
		return fail("dump");
	all(0, 10, 1000);
	if (waymark_reset())
		return fail("reset");
	all(0, 7, 1000);
	snprintf(pattern, sizeof pattern, "%s/second.wmraw", directory);
	if (waymark_set_file(pattern))
		return fail("set_file");
	all(0, 5, 5000);
	errno = 0;
	if (waymark_dump("/proc/nowhere/x") != -1 || errno == 0)
		return fail("dump into nowhere");
	return 0;
}

/* live ROUNDS: snapshots, and with `atomic` updates new names, while threads count. */
static void *count_atomic(void *data)
{
	uint64_t *done = data;
	for (; !stop_counting; ++*done)
		atomic(*done, 20000);
	return NULL;
}

static int live(int argc, char **argv)
{
	uint64_t done[4] = {0}, rounds = number(argv, argc, 2, 20);
	pthread_t id[4];
	for (int i = 0; i < 4; i++)
		pthread_create(&id[i], NULL, i < 2 ? count_on : count_atomic, &done[i]);
	for (uint64_t i = 0; i < rounds; i++) {
		usleep(2000);
		if (waymark_dump("snapshot-%p.wmraw"))
			return fail("dump");
	}
	if (argc > 3) {
		for (uint64_t i = 0; i < rounds; i++)
			if (waymark_set_file("next-%p.wmraw"))
				return fail("set_file");
	}
	stop_counting = 1;
	for (int i = 0; i < 4; i++)
		pthread_join(id[i], NULL);
	say("atomic", done[0] + done[1] + done[2] + done[3]);
	say("own", done[0] + done[1]);
	return 0;
}

/* small: everything the runtime may do, on the smallest stack a thread can have. */
static void *on_small_stack(void *data)
{
	(void)data;
	all(0, 5000, 5000);
	pid_t child = fork();
	if (child == 0) {
		all(0, 10, 10);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	return waymark_reset() ? data : NULL;
}

static int small(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	pthread_t id;
	pthread_attr_t attributes;
	void *result;
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 16384);
	if (pthread_create(&id, &attributes, on_small_stack, &id) || pthread_join(id, &result) || result)
		return fail("small stack");
	all(0, 7, 5000);
	return 0;
}

static const struct scenario scenarios[] = {
	{"count", count},
	{"kill", until_killed},
	{"fork", fork_tree},
	{"exec", exec_self},
	{"vfork", vfork_child},
	{"rawfork", raw_fork},
	{"threads", threads},
	{"threadfork", thread_fork},
	{"signals", signals},
	{"signalfork", signal_fork},
	{"dlopen", open_libraries},
	{"api", api},
	{"live", live},
	{"small", small},
	{NULL, NULL},
};

int main(int argc, char **argv)
{
	return run_scenario(scenarios, argc, argv);
}
