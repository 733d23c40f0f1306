/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * waymark spool: moves the full chunks of the recordings in a directory to spool files beside them, compressed, while the
 * programs run (profile/raw/raw_recording.h).
 */
#include "cmd/cmd_spool.h"
#include "cmd/commands.h"
#include "profile/raw/spool_file.h"
#include "support/fail.h"
#include "support/option_table.h"
#include "support/xalloc.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char usage[] = "usage: waymark dev spool [options] DIRECTORY\n"
			    "\n"
			    "Compresses the recordings (.wmraw) that programs built with -fwaymark-wpp write to\n"
			    "a directory, while they run, into files beside them (.wmspool).  A program waits\n"
			    "for it if WAYMARK_SPOOL is its process id.  Ends at the end of standard input.\n";

enum { PAUSE = 1, LOOK_AGAIN = 20 }; /* milliseconds; passes between two looks into the directory */

/* One recording. */
struct spooled {
	char *path;
	int raw, out; /* out -1: nothing was spooled yet */
	uint8_t *map;
	size_t size;
	bool useless; /* it is no raw profile, or cannot be written */
};
static struct {
	const char *directory;
	struct spooled *file;
	size_t count;
} all;

static void close_map(struct spooled *s)
{
	if (s->map)
		munmap(s->map, s->size);
	s->map = NULL;
	s->size = 0;
}

/* A recording grows while its program runs. */
static bool map_whole(struct spooled *s)
{
	struct stat status;
	if (fstat(s->raw, &status) || status.st_size <= 0)
		return false;
	if ((size_t)status.st_size == s->size)
		return true;
	close_map(s);
	void *map = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, s->raw, 0);
	if (map == MAP_FAILED)
		return false;
	s->map = map;
	s->size = (size_t)status.st_size;
	return true;
}

static bool write_all(int fd, const void *data, size_t size)
{
	for (const char *at = data; size;) {
		ssize_t written = write(fd, at, size);
		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return false;
		at += written;
		size -= (size_t)written;
	}
	return true;
}

static bool open_out(struct spooled *s)
{
	struct wm_spool_header header;
	struct wm_profile_error error;
	char *path = wm_xprintf("%s" WM_SPOOL_SUFFIX, s->path);
	bool good = !wm_spool_begin(&header, s->map, s->size, &error);
	s->out = good ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;
	if (s->out < 0 || !write_all(s->out, &header, sizeof header)) {
		wm_warn("%s: %s; the recording stays uncompressed", path, good ? strerror(errno) : error.text);
		s->useless = true;
	}
	free(path);
	return !s->useless;
}

/* A block that was written in part ends the spool file, so nothing may follow it. */
static bool write_block(void *closure, const uint8_t *data, size_t size)
{
	struct spooled *s = closure;
	if (s->useless || (s->out < 0 && !open_out(s)))
		return false;
	if (write_all(s->out, data, size))
		return true;
	wm_warn("%s" WM_SPOOL_SUFFIX ": %s; the rest of the recording stays uncompressed", s->path, strerror(errno));
	s->useless = true;
	return false;
}

/* The number of chunks that were moved. */
static size_t pass(struct spooled *s)
{
	struct wm_profile_error error;
	size_t moved = 0;
	if (!s->useless && map_whole(s))
		wm_spool_pass(s->map, s->size, write_block, s, &moved, &error);
	return moved;
}

static bool is_known(const char *path)
{
	for (size_t i = 0; i < all.count; i++)
		if (!strcmp(all.file[i].path, path))
			return true;
	return false;
}

static void add_recording(const char *name)
{
	char *path = wm_xprintf("%s/%s", all.directory, name);
	size_t length = strlen(name), suffix = strlen(".wmraw");
	bool raw = length > suffix && !strcmp(name + length - suffix, ".wmraw");
	int fd = raw && !is_known(path) ? open(path, O_RDWR | O_CLOEXEC) : -1;
	if (fd < 0) {
		free(path);
		return;
	}
	WM_XGROW(all.file, all.count);
	all.file[all.count++] = (struct spooled){.path = path, .raw = fd, .out = -1};
}

static void look(void)
{
	DIR *directory = opendir(all.directory);
	if (!directory)
		wm_fail("cannot read the directory %s: %s", all.directory, strerror(errno));
	for (struct dirent *entry; (entry = readdir(directory));)
		add_recording(entry->d_name);
	closedir(directory);
}

static size_t pass_all(void)
{
	size_t moved = 0;
	for (size_t i = 0; i < all.count; i++)
		moved += pass(&all.file[i]);
	return moved;
}

/* Whether standard input has ended. */
static bool is_over(int timeout)
{
	char byte;
	struct pollfd input = {.fd = 0, .events = POLLIN};
	return poll(&input, 1, timeout) > 0 && read(0, &byte, 1) <= 0;
}

static void spool(void)
{
	size_t moved = 0;
	for (unsigned round = 0; !is_over(moved ? 0 : PAUSE); round++) {
		if (round % LOOK_AGAIN == 0)
			look();
		moved = pass_all();
	}
	look();
	while (pass_all())
		continue;
}

int wm_cmd_spool(int argc, char **argv)
{
	const struct wm_option own[] = {{0}};
	int first = wm_parse_options(&(struct wm_syntax){.usage = usage, .table = {own}}, argc, argv);
	if (argc - first != 1)
		wm_fail("expected one directory, found %d; see waymark spool --help", argc - first);
	all.directory = argv[first];
	spool();
	for (size_t i = 0; i < all.count; i++) {
		close_map(&all.file[i]);
		close(all.file[i].raw);
		if (all.file[i].out >= 0)
			close(all.file[i].out);
		free(all.file[i].path);
	}
	free(all.file);
	return 0;
}

/* ---- As a child ------------------------------------------------------------------ */

void wm_spooler_start(struct wm_spooler *spooler, const char *directory)
{
	int ends[2];
	char *pid;
	if (pipe2(ends, O_CLOEXEC))
		wm_fail("cannot start the spooler: %s", strerror(errno));
	spooler->pid = fork();
	if (spooler->pid < 0)
		wm_fail("cannot start the spooler: %s", strerror(errno));
	if (!spooler->pid) {
		setpgid(0, 0); /* the terminal's signals are for the program */
		dup2(ends[0], 0);
		close(ends[0]);
		close(ends[1]);
		char *arguments[] = {"spool", (char *)directory, NULL};
		_exit(wm_cmd_spool(2, arguments));
	}
	close(ends[0]);
	spooler->end = ends[1];
	pid = wm_xprintf("%ld", (long)spooler->pid);
	setenv("WAYMARK_SPOOL", pid, 1);
	free(pid);
}

void wm_spooler_stop(struct wm_spooler *spooler)
{
	close(spooler->end);
	while (waitpid(spooler->pid, NULL, 0) < 0 && errno == EINTR)
		continue;
	unsetenv("WAYMARK_SPOOL");
}
