/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The profiled program of the runtime's tests: `subject SCENARIO [ARGUMENT...]`.
 * Each scenario says on standard output what it has counted; the shell scripts
 * beside this file compare that with the raw profiles.
 *
 *     keys  1 array  2 hash  3 ids  4 residual   `single` updates
 *          11       12      13     14            `atomic`
 *          21       22      23     24            `thread`
 */
#include "runtime/waymark.h"
#include "test/runtime/emulate.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PATHS 600 /* more than a page of cells */

FUNCTION(array_single, 1, 601, 8)
FUNCTION(hash_single, 2, 1, 12)
FUNCTION(array_atomic, 11, 601, 9)
FUNCTION(hash_atomic, 12, 1, 13)
FUNCTION(array_thread, 21, 601, 10)
FUNCTION(hash_thread, 22, 1, 14)
FUNCTION_IDS(ids_single, 3, 44)
FUNCTION_IDS(ids_atomic, 13, 45)
FUNCTION_IDS(ids_thread, 23, 46)
FUNCTION_RESIDUAL(residual_single, 4, 76)
FUNCTION_RESIDUAL(residual_atomic, 14, 77)
FUNCTION_RESIDUAL(residual_thread, 24, 78)

static void single(uint64_t id, uint64_t range)
{
	enter_single();
	add_single(&cells_array_single[0]);
	add_single(&cells_hash_single[0]);
	add_single(&cells_array_single[1 + id % PATHS]);
	count_hash(&func_hash_single, &head_hash_single, id % range, add_single);
	add_single(&cells_ids_single[0]);
	count_ids(&func_ids_single, cells_ids_single, &head_ids_single, id % range, add_single);
	add_single(&cells_residual_single[0]);
	__wm_residual_add(&func_residual_single, &head_residual_single, id % range, 1);
}

static void atomic(uint64_t id, uint64_t range)
{
	add_atomic(&cells_array_atomic[0]);
	add_atomic(&cells_hash_atomic[0]);
	add_atomic(&cells_array_atomic[1 + id % PATHS]);
	count_hash(&func_hash_atomic, &head_hash_atomic, id % range, add_atomic);
	add_atomic(&cells_ids_atomic[0]);
	count_ids(&func_ids_atomic, cells_ids_atomic, &head_ids_atomic, id % range, add_atomic);
	add_atomic(&cells_residual_atomic[0]);
	__wm_residual_add(&func_residual_atomic, &head_residual_atomic, id % range, 1);
}

static void thread(uint64_t id, uint64_t range)
{
	int64_t delta = enter_thread();
	add_single(moved(&cells_array_thread[0], delta));
	add_single(moved(&cells_hash_thread[0], delta));
	add_single(moved(&cells_array_thread[1 + id % PATHS], delta));
	count_hash(&func_hash_thread, moved_head(&head_hash_thread, delta), id % range, add_single);
	add_single(moved(&cells_ids_thread[0], delta));
	count_ids(&func_ids_thread, moved(cells_ids_thread, delta), moved_head(&head_ids_thread, delta), id % range,
		add_single);
	add_single(moved(&cells_residual_thread[0], delta));
	__wm_residual_add(&func_residual_thread, moved_head(&head_residual_thread, delta), id % range, 1);
}

static void all(uint64_t from, uint64_t to, uint64_t range)
{
	for (uint64_t i = from; i < to; i++) {
		single(i, range);
		atomic(i, range);
		thread(i, range);
	}
}

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

static int fail(const char *what)
{
	printf("FAILED %s: %s\n", what, strerror(errno));
	return 1;
}

static void say(const char *what, uint64_t number)
{
	char line[64];
	int size = snprintf(line, sizeof line, "%s %llu\n", what, (unsigned long long)number);
	if (write(1, line, (size_t)size) < 0)
		_exit(3);
}

static uint64_t number(char **argv, int argc, int index, uint64_t otherwise)
{
	return index < argc ? strtoull(argv[index], NULL, 0) : otherwise;
}

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
	void (*call)(uint64_t, uint64_t) = !strcmp(argv[2], "atomic")	? atomic
					   : !strcmp(argv[2], "thread") ? thread
									: single;
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
		thread(*done, 5000);
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
		thread(i, 10);
		pid_t child = fork();
		if (child == 0) {
			for (uint64_t j = 0; j < 100; j++) {
				thread(j, 1000);
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
	say("thread", done[0] + done[1] + number(argv, argc, 2, 20));
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

/* xfsz LIMIT: a file size limit must not end the program. */
static int file_limit(int argc, char **argv)
{
	struct rlimit limit = {number(argv, argc, 2, 4096), RLIM_INFINITY};
	if (setrlimit(RLIMIT_FSIZE, &limit))
		return fail("setrlimit");
	all(0, 20000, 20000);
	if (argc > 3) {
		limit.rlim_cur = RLIM_INFINITY;
		setrlimit(RLIMIT_FSIZE, &limit);
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
	say("thread", done[0] + done[1]);
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

/* gone FILE: somebody removes the raw profile while it grows. */
static int gone(int argc, char **argv)
{
	all(0, 100, 100);
	if (argc < 3 || unlink(argv[2]))
		return fail("unlink");
	all(0, 20000, 20000);
	return 0;
}

/* steps: the program of sweeper.c, with all kinds of counters, growing tables and two threads. */
static void *count_steps(void *data)
{
	uint64_t *done = data;
	for (; !stop_counting; ++*done) {
		thread(*done, 40);
		atomic(*done, 40);
		usleep(100);
	}
	return NULL;
}

static int fork_step(uint64_t i)
{
	int status;
	pid_t child = fork();
	if (child == 0) {
		all(i, i + 50, 1000);
		_exit(0);
	}
	return child < 0 || waitpid(child, &status, 0) != child || status;
}

static int steps(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	pthread_t id;
	uint64_t i = 0, done = 0;
	char command;
	if (pthread_create(&id, NULL, count_steps, &done))
		return fail("pthread_create");
	for (; read(0, &command, 1) == 1; i++) {
		all(i, i + 2, 1 + i / 64 % 50);
		bool failed = command == 'f' ? fork_step(i) : command == 'r' && waymark_reset();
		if (write(1, failed ? "!" : ".", 1) != 1)
			return 1;
	}
	stop_counting = 1;
	pthread_join(id, NULL);
	puts("unharmed");
	return 0;
}

/* jail DIRECTORY [close], drop [close]: no way back to the file by its path, before the first hash table. */
static int count_out_of_reach(bool close)
{
	if (close && syscall(SYS_close_range, 3, ~0u, 0))
		return fail("close_range");
	all(0, 5000, 5000);
	return 0;
}

static int jail(int argc, char **argv)
{
	if (chroot(argv[2]) || chdir("/"))
		return fail("chroot");
	return count_out_of_reach(argc > 3);
}

static int drop(int argc, char **argv)
{
	(void)argv;
	if (syscall(SYS_setgroups, 0, NULL) || setgid(65534) || setuid(65534))
		return fail("setuid");
	return count_out_of_reach(argc > 2);
}

/* identity: who the program is, and that its own files stay its own affair. */
static int identity(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	all(0, 5000, 5000);
	int error = waymark_dump("dumped.wmraw") ? errno : 0;
	printf("%d %d\n", (int)geteuid(), error);
	return 0;
}

/* descriptors: the program gets all up to its limit. */
static int descriptors(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	struct rlimit limit = {0, 0};
	getrlimit(RLIMIT_NOFILE, &limit);
	all(0, 5000, 5000);
	int last = -1;
	for (int fd; (fd = open("/dev/null", O_RDONLY)) >= 0;)
		last = fd;
	say("descriptors", limit.rlim_cur - 1 - (uint64_t)last);
	if (syscall(SYS_close_range, 3, ~0u, 0))
		return fail("close_range");
	all(5000, 20000, 20000);
	return 0;
}

/* stderr FILE: descriptor 2 becomes the program's data, and then there is something to warn of. */
static int borrowed_stream(int argc, char **argv)
{
	close(2);
	if (argc < 3 || open(argv[2], O_WRONLY | O_CREAT, 0600) != 2 || write(2, "data\n", 5) != 5)
		return fail("open");
	char *limit[] = {argv[0], argv[1], "40000"};
	return file_limit(3, limit);
}

/* seccomp DEFAULT: from here on only read, write and the end of the process are allowed. */
static int filtered(int argc, char **argv)
{
	uint32_t other = argc > 2 && !strcmp(argv[2], "kill") ? SECCOMP_RET_KILL_PROCESS : SECCOMP_RET_ERRNO | EPERM;
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_read, 3, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, other),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
	all(0, 100, 20);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		return fail("seccomp");
	bool kill = other == SECCOMP_RET_KILL_PROCESS;
	all(100, 5000, kill ? 20 : 5000);
	say("counted", 5000);
	return 0;
}

static const struct scenario {
	const char *name;
	int (*run)(int argc, char **argv);
} scenarios[] = {
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
	{"xfsz", file_limit},
	{"dlopen", open_libraries},
	{"api", api},
	{"live", live},
	{"small", small},
	{"gone", gone},
	{"steps", steps},
	{"jail", jail},
	{"drop", drop},
	{"identity", identity},
	{"descriptors", descriptors},
	{"stderr", borrowed_stream},
	{"seccomp", filtered},
};

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++)
		if (argc > 1 && !strcmp(argv[1], scenarios[i].name))
			return scenarios[i].run(argc, argv);
	fprintf(stderr, "subject: no such scenario\n");
	return 2;
}
