/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A profiled program in trouble: `ordeal SCENARIO [ARGUMENT...]`.  The file cannot grow or is out of
 * reach, others write to it, descriptors and system calls are missing.  kinds.h has the functions.
 */
#include "runtime/waymark.h"
#include "test/runtime/kinds.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

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

/* gone FILE: somebody removes the raw profile while it grows. */
static int gone(int argc, char **argv)
{
	all(0, 100, 100);
	if (argc < 3 || unlink(argv[2]))
		return fail("unlink");
	all(0, 20000, 20000);
	return 0;
}

/* cut FILE: somebody truncates the live file after its first page of cells, and then it has to grow. */
static int cut(int argc, char **argv)
{
	for (uint64_t i = 0; i < 1000; i++) {
		add_gs(&cells_array_gs[0]);
		add_gs(&cells_array_gs[1 + i % PATHS]);
	}
	if (argc < 3 || truncate(argv[2], 8192))
		return fail("truncate");
	for (uint64_t i = 0; i < 1000; i++)
		__wm_hash_add(&func_hash_gs, &head_hash_gs, i, 1);
	return 0;
}

HIDDEN void __wm_announce_filter(void);

static volatile int stop_counting;

/* steps: the program of sweeper.c, with all kinds of counters, growing tables and two threads. */
static void *count_steps(void *data)
{
	uint64_t *done = data;
	for (; !stop_counting; ++*done) {
		delta(*done, 40);
		gs(*done, 40);
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
	__wm_announce_filter();
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		return fail("seccomp");
	bool kill = other == SECCOMP_RET_KILL_PROCESS;
	all(100, 5000, kill ? 20 : 5000);
	say("counted", 5000);
	return 0;
}

static const struct scenario scenarios[] = {
	{"xfsz", file_limit},
	{"gone", gone},
	{"cut", cut},
	{"steps", steps},
	{"jail", jail},
	{"drop", drop},
	{"identity", identity},
	{"descriptors", descriptors},
	{"stderr", borrowed_stream},
	{"seccomp", filtered},
	{NULL, NULL},
};

int main(int argc, char **argv)
{
	return run_scenario(scenarios, argc, argv);
}
