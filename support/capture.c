/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/capture.h"
#include "support/attempt.h"
#include "support/buffer.h"
#include "support/fail.h"
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* Starts a program whose output and messages go to the two descriptors; `directory` may be NULL.  False: errno gives the
 * reason. */
static bool spawn(const char *directory, char *const *command, const int *fd, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	errno = posix_spawn_file_actions_init(&actions);
	if (errno)
		return false;
	if (directory)
		posix_spawn_file_actions_addchdir_np(&actions, directory);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, fd[0], STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, fd[1], STDERR_FILENO);
	errno = posix_spawnp(pid, command[0], &actions, NULL, command, environ);
	int error = errno;
	posix_spawn_file_actions_destroy(&actions);
	errno = error;
	return error == 0;
}

/* The exit status as in a shell. */
static int await(pid_t pid)
{
	int status = 0;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void read_from_start(struct wm_buffer *buffer, int fd)
{
	if (lseek(fd, 0, SEEK_SET) != 0 || !wm_buffer_read_fd(buffer, fd))
		wm_fail("cannot read the output of a program: %s", strerror(errno));
}

/* A file in memory whose descriptor is none of the standard ones, which may be closed: spawn() replaces them. */
static int memory_file(const char *name)
{
	int low = memfd_create(name, MFD_CLOEXEC);
	if (low < 0)
		return low;
	int file = fcntl(low, F_DUPFD_CLOEXEC, STDERR_FILENO + 1), error = errno;
	close(low);
	errno = error;
	return file;
}

/* Files in memory, since a program can fill one of two pipes while the other is read. */
int wm_capture_in(const char *directory, char *const *command, struct wm_buffer *output, struct wm_buffer *errors)
{
	int fd[2] = {memory_file("waymark-output"), memory_file("waymark-errors")};
	int status = -1;
	pid_t pid;
	struct wm_guard guard[2];
	wm_guard_begin_fd(&guard[0], &fd[0]);
	wm_guard_begin_fd(&guard[1], &fd[1]);
	if (fd[0] < 0 || fd[1] < 0)
		wm_fail("cannot make a file in memory: %s", strerror(errno));
	bool started = spawn(directory, command, fd, &pid);
	int error = errno;
	if (started) {
		status = await(pid);
		read_from_start(output, fd[0]);
		read_from_start(errors, fd[1]);
	}
	wm_guard_end(&guard[1]);
	wm_guard_end(&guard[0]);
	errno = error;
	return status;
}

int wm_capture(char *const *command, struct wm_buffer *output, struct wm_buffer *errors)
{
	return wm_capture_in(NULL, command, output, errors);
}
