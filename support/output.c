/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/output.h"
#include "support/fail.h"
#include "support/xalloc.h"
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Temporary files of a command that ends early ------------------------------------- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct wm_output *open_outputs;
static pid_t owner; /* a child that failed to start a program removes nothing */

static void remove_open(void)
{
	pthread_mutex_lock(&lock);
	for (const struct wm_output *output = open_outputs; output && getpid() == owner; output = output->next)
		unlink(output->temporary);
	pthread_mutex_unlock(&lock);
}

static void register_output(struct wm_output *output)
{
	pthread_mutex_lock(&lock);
	bool ok = owner || atexit(remove_open) == 0;
	owner = getpid();
	output->next = open_outputs;
	open_outputs = output;
	pthread_mutex_unlock(&lock);
	if (!ok)
		wm_no_memory();
}

static void forget_output(const struct wm_output *output)
{
	pthread_mutex_lock(&lock);
	struct wm_output **link = &open_outputs;
	while (*link != output)
		link = &(*link)->next;
	*link = output->next;
	pthread_mutex_unlock(&lock);
}

/* ---- Links ---------------------------------------------------------------------------- */

static _Noreturn void fail(const char *path)
{
	wm_fail("cannot write %s: %s", path, strerror(errno));
}

static char *directory_of(const char *path)
{
	char *copy = wm_xstrdup(path), *directory = wm_xstrdup(dirname(copy));
	free(copy);
	return directory;
}

/* The rule of the kernel's fs.protected_symlinks, which does not hold for readlink(2). */
static bool is_trusted(const struct stat *link, const char *directory)
{
	struct stat info;
	if (link->st_uid == geteuid() || stat(directory, &info) != 0)
		return true;
	return (info.st_mode & (S_ISVTX | S_IWOTH)) != (S_ISVTX | S_IWOTH) || link->st_uid == info.st_uid;
}

/* What a link names, relative to the current directory; NULL: it cannot be read. */
static char *read_link(const char *link, const char *directory)
{
	char text[PATH_MAX];
	ssize_t length = readlink(link, text, sizeof text - 1);
	if (length < 0)
		return NULL;
	text[length] = 0;
	return *text == '/' ? wm_xstrdup(text) : wm_xprintf("%s/%s", directory, text);
}

/* The number of the descriptor that a path names; -1: it names none. */
static int descriptor_of(const char *path)
{
	static const char *const places[] = {"/proc/self/fd/", "/dev/fd/"};
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		size_t length = strlen(places[i]);
		char *end;
		if (strncmp(path, places[i], length) != 0 || path[length] < '0' || path[length] > '9')
			continue;
		long number = strtol(path + length, &end, 10);
		if (!*end && number <= INT_MAX)
			return (int)number;
	}
	return -1;
}

char *wm_output_target(const char *path)
{
	enum { LINKS_MAX = 40 }; /* as many as the kernel follows */
	char *at = wm_xstrdup(path);
	struct stat info;
	for (int i = 0; descriptor_of(at) < 0 && lstat(at, &info) == 0 && S_ISLNK(info.st_mode); i++) {
		char *directory = directory_of(at);
		if (!is_trusted(&info, directory))
			wm_fail("cannot write %s: %s is a link of another user in a directory in which anybody may "
				"create files; remove the link or choose another name",
				path, at);
		errno = ELOOP;
		char *next = i < LINKS_MAX ? read_link(at, directory) : NULL;
		if (!next)
			fail(path);
		free(directory);
		free(at);
		at = next;
	}
	return at;
}

/* ---- Writing -------------------------------------------------------------------------- */

/* mkstemp makes files private; an output file obeys the umask like any other. */
static mode_t usual_mode(void)
{
	mode_t mask = umask(0);
	umask(mask);
	return 0666 & ~mask;
}

/* A descriptor for an output that cannot be replaced by a rename: a device, a FIFO, an open file; -1: it can. */
static int open_in_place(const struct wm_output *output)
{
	struct stat info;
	int own = descriptor_of(output->target);
	if (own < 0 && (stat(output->target, &info) != 0 || S_ISREG(info.st_mode)))
		return -1;
	fflush(stdout); /* which may be the same file */
	int file = own < 0 ? open(output->target, O_WRONLY | O_NOCTTY | O_CLOEXEC) : fcntl(own, F_DUPFD_CLOEXEC, 3);
	if (file < 0)
		fail(output->path);
	return file;
}

static int open_beside(struct wm_output *output, mode_t mode)
{
	output->temporary = wm_xprintf("%s.XXXXXX", output->target);
	int file = mkostemp(output->temporary, O_CLOEXEC);
	if (file < 0)
		fail(output->path);
	register_output(output);
	(void)!fchmod(file, mode);
	return file;
}

static void open_as(struct wm_output *output, const char *path, mode_t mode)
{
	*output = (struct wm_output){.path = path, .target = wm_output_target(path)};
	int file = open_in_place(output);
	if (file < 0)
		file = open_beside(output, mode);
	output->file = fdopen(file, "wb");
	if (!output->file)
		fail(path);
}

void wm_output_open(struct wm_output *output, const char *path)
{
	open_as(output, path, usual_mode());
}

void wm_output_append(struct wm_output *output, const char *path)
{
	*output = (struct wm_output){.path = path, .file = fopen(path, "abe")};
	if (!output->file)
		fail(path);
}

void wm_output_fail(struct wm_output *output)
{
	fail(output->path);
}

void wm_output_close(struct wm_output *output)
{
	bool replaces = output->temporary, sync = replaces && !output->quick;
	/* After a write that failed, a later one can succeed: the file would have a hole or no end. */
	bool failed = ferror(output->file),
	     ok = fflush(output->file) == 0 && (!sync || fsync(fileno(output->file)) == 0);
	ok = fclose(output->file) == 0 && ok;
	if (ok && failed)
		wm_fail("cannot write %s: writing a part of it failed; check that the disk has room", output->path);
	if (!ok || (replaces && rename(output->temporary, output->target) != 0))
		wm_output_fail(output);
	if (replaces)
		forget_output(output);
	free(output->temporary);
	free(output->target);
	*output = (struct wm_output){0};
}

static void write_whole(struct wm_output *output, const void *data, size_t size)
{
	if (size && fwrite(data, size, 1, output->file) != 1)
		wm_output_fail(output);
	wm_output_close(output);
}

void wm_write_file(const char *path, const void *data, size_t size)
{
	struct wm_output output;
	wm_output_open(&output, path);
	write_whole(&output, data, size);
}

void wm_write_quickly(const char *path, const void *data, size_t size)
{
	struct wm_output output;
	wm_output_open(&output, path);
	output.quick = true;
	write_whole(&output, data, size);
}

void wm_rewrite_file(const char *path, const void *data, size_t size)
{
	struct wm_output output;
	struct stat info;
	if (stat(path, &info) != 0)
		fail(path);
	open_as(&output, path, info.st_mode & 07777);
	output.quick = true;
	write_whole(&output, data, size);
}
