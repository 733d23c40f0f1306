/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/process.h"
#include "support/attempt.h"
#include "support/fail.h"
#include "support/standard_output.h"
#include "support/xalloc.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t child, interrupted;

static void forward(int signal_number)
{
	int error = errno;
	interrupted = signal_number;
	if (child > 0)
		kill((pid_t)child, signal_number);
	errno = error;
}

static void note_signal(int signal_number)
{
	interrupted = signal_number;
}

int wm_process_interrupted(void)
{
	return interrupted;
}

/* The terminal sends SIGINT and SIGQUIT to the whole process group, so waymark only notes them and the program handles
 * them.  Other signals reach only waymark, which passes them on. */
static const int noted[] = {SIGINT, SIGQUIT};
static const int forwarded[] = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
enum { NOTED_COUNT = 2, FORWARDED_COUNT = 4 };

static void set_signals(void)
{
	for (int i = 0; i < NOTED_COUNT; i++)
		sigaction(noted[i], &(struct sigaction){.sa_handler = note_signal, .sa_flags = SA_RESTART}, NULL);
	for (int i = 0; i < FORWARDED_COUNT; i++)
		sigaction(forwarded[i], &(struct sigaction){.sa_handler = forward, .sa_flags = SA_RESTART}, NULL);
}

static int signal_at(int i)
{
	return i < NOTED_COUNT ? noted[i] : forwarded[i - NOTED_COUNT];
}

/* What each signal did when this process started its first program: every program gets that. */
static const struct sigaction *original_actions(void)
{
	static struct sigaction action[NOTED_COUNT + FORWARDED_COUNT];
	static bool known;
	for (int i = 0; i < NOTED_COUNT + FORWARDED_COUNT && !known; i++)
		sigaction(signal_at(i), NULL, &action[i]);
	known = true;
	return action;
}

static void restore(const struct sigaction *original)
{
	for (int i = 0; i < NOTED_COUNT + FORWARDED_COUNT; i++)
		sigaction(signal_at(i), &original[i], NULL);
}

void wm_process_restore_signals(void)
{
	restore(original_actions());
}

static _Noreturn void exec_program(char **command, int report, const sigset_t *mask, const struct sigaction *original)
{
	restore(original);
	sigprocmask(SIG_SETMASK, mask, NULL);
	execvp(command[0], command);
	int error = errno;
	(void)!write(report, &error, sizeof error);
	_exit(127);
}

pid_t wm_process_start(char **command)
{
	int report[2], error;
	sigset_t all, mask;
	const struct sigaction *original = original_actions();
	if (pipe2(report, O_CLOEXEC) != 0)
		wm_fail("cannot make a pipe: %s", strerror(errno));
	fflush(NULL);
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &mask);
	pid_t pid = fork();
	if (pid < 0)
		wm_fail("cannot start a process: %s", strerror(errno));
	if (pid == 0)
		exec_program(command, report[1], &mask, original);
	child = pid;
	set_signals();
	sigprocmask(SIG_SETMASK, &mask, NULL);
	close(report[1]);
	ssize_t got = read(report[0], &error, sizeof error);
	close(report[0]);
	if (got != sizeof error)
		return pid;
	wm_process_ended(pid, true, NULL);
	errno = error;
	return 0;
}

bool wm_process_ended(pid_t pid, bool wait, int *status)
{
	int ignored_status;
	pid_t got;
	while ((got = waitpid(pid, status ? status : &ignored_status, wait ? 0 : WNOHANG)) < 0 && errno == EINTR)
		continue;
	if (got == pid)
		child = 0;
	return got == pid;
}

char *wm_find_program(const char *name)
{
	if (strchr(name, '/'))
		return wm_xstrdup(name);
	const char *list = getenv("PATH");
	while (list) {
		size_t length = strcspn(list, ":");
		char *path = wm_xprintf("%.*s/%s", length ? (int)length : 1, length ? list : ".", name);
		if (access(path, X_OK) == 0)
			return path;
		free(path);
		list = list[length] ? list + length + 1 : NULL;
	}
	return wm_xstrdup(name);
}

static int pass_on(int status)
{
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	int number = WTERMSIG(status);
	setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
	signal(number, SIG_DFL);
	raise(number);
	return 128 + number;
}

int wm_process_pass_on(int status)
{
	if (WIFSIGNALED(status))
		wm_finish_output();
	return pass_on(status);
}

struct last_work {
	void (*work)(void *argument);
	void *argument;
};

static void do_last_work(void *closure)
{
	const struct last_work *last = closure;
	last->work(last->argument);
	wm_finish_output();
}

int wm_process_finish(int status, void (*work)(void *argument), void *argument)
{
	struct last_work last = {work, argument};
	struct wm_attempt attempt = {0};
	if (wm_attempt_run(&attempt, do_last_work, &last))
		return pass_on(status);
	wm_warn("%s", wm_attempt_sentence(&attempt));
	free(attempt.sentence);
	exit(status ? pass_on(status) : attempt.failure == WM_FAILURE_MISTAKE ? 1 : 2);
}
