/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cmd/push_state.h"

#include "support/buffer.h"
#include "support/fail.h"
#include "support/xalloc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_SIZE = 96 };
static const char new_name[] = "new"; /* a file that is being written */

/* A directory that is there already may be a trap of somebody else. */
static int open_own(int at, const char *path, const char *shown)
{
	struct stat info;
	if (mkdirat(at, path, 0700) && errno != EEXIST)
		wm_fail("cannot make the directory %s: %s; choose another one with --state", shown, strerror(errno));
	int fd = openat(at, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &info))
		wm_fail("cannot open the directory %s: %s; choose another one with --state", shown, strerror(errno));
	if (info.st_uid != geteuid() || info.st_mode & 022)
		wm_fail("the directory %s belongs to another user, or others may write to it; choose another one with "
			"--state",
			shown);
	return fd;
}

void wm_push_state_open(struct wm_push_state *state, const char *path)
{
	*state = (struct wm_push_state){.path = wm_xstrdup(path)};
	state->fd = open_own(AT_FDCWD, path, path);
	char *kept = wm_xprintf("%s/kept", path);
	state->kept = open_own(state->fd, "kept", kept);
	free(kept);
	state->lock = openat(state->fd, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (state->lock < 0)
		wm_fail("cannot make %s/lock: %s", path, strerror(errno));
}

bool wm_push_state_look(struct wm_push_state *state, const char *path)
{
	*state = (struct wm_push_state){.path = wm_xstrdup(path), .kept = -1, .lock = -1};
	state->fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (state->fd < 0 && errno != ENOENT)
		wm_fail("cannot open the directory %s: %s", path, strerror(errno));
	if (state->fd >= 0)
		state->kept = openat(state->fd, "kept", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return state->fd >= 0;
}

static void close_one(int fd)
{
	if (fd >= 0)
		close(fd);
}

void wm_push_state_close(struct wm_push_state *state)
{
	close_one(state->lock);
	close_one(state->kept);
	close_one(state->fd);
	free(state->progress);
	free(state->path);
}

bool wm_push_state_lock(struct wm_push_state *state)
{
	if (flock(state->lock, LOCK_EX | LOCK_NB) == 0)
		return true;
	if (errno != EWOULDBLOCK && errno != EINTR)
		wm_fail("cannot lock %s/lock: %s", state->path, strerror(errno));
	return false;
}

void wm_push_state_unlock(struct wm_push_state *state)
{
	flock(state->lock, LOCK_UN);
}

static void name_part(char name[NAME_SIZE], const struct wm_push_run *run, uint64_t part)
{
	snprintf(name, NAME_SIZE, "%016" PRIx64 "%016" PRIx64 "-%" PRIx64 ".%" PRIu64 ".wmprof", run->high, run->low,
		run->epoch, part);
}

static void name_refusal(char name[NAME_SIZE], const struct wm_push_run *run)
{
	snprintf(name, NAME_SIZE, "%016" PRIx64 "%016" PRIx64 "-%" PRIx64 ".refused", run->high, run->low, run->epoch);
}

/* False: the name is not one of name_part(). */
static bool parse_name(const char *name, struct wm_push_run *run, uint64_t *part)
{
	char again[NAME_SIZE];
	if (sscanf(name, "%16" SCNx64 "%16" SCNx64 "-%" SCNx64 ".%" SCNu64 ".", &run->high, &run->low, &run->epoch,
		    part) != 4)
		return false;
	name_part(again, run, *part);
	return strcmp(again, name) == 0;
}

struct wm_push_progress *wm_push_state_find(struct wm_push_state *state, const struct wm_push_run *run)
{
	for (size_t i = 0; i < state->count; i++) {
		const struct wm_push_run *other = &state->progress[i].run;
		if (other->high == run->high && other->low == run->low && other->epoch == run->epoch)
			return &state->progress[i];
	}
	return NULL;
}

static struct wm_push_progress *find_or_add(struct wm_push_state *state, const struct wm_push_run *run, uint64_t part)
{
	struct wm_push_progress *progress = wm_push_state_find(state, run);
	if (progress)
		return progress;
	WM_XGROW(state->progress, state->count);
	progress = &state->progress[state->count++];
	*progress = (struct wm_push_progress){.run = *run, .stored = part};
	return progress;
}

static void add_part(struct wm_push_state *state, const struct wm_push_run *run, uint64_t part, time_t time)
{
	struct wm_push_progress *progress = find_or_add(state, run, part);
	if (part == progress->stored) {
		progress->stored_at = progress->made_at = time;
		return;
	}
	progress->is_pending = true;
	progress->stored_at = part < progress->stored ? time : progress->stored_at;
	progress->made_at = part < progress->stored ? progress->made_at : time;
	progress->stored = part < progress->stored ? part : progress->stored;
}

/* A part beside it was not moved away, because the agent was killed. */
static void add_refusal(struct wm_push_state *state, const char *name)
{
	struct wm_push_run run;
	struct stat info;
	char again[NAME_SIZE];
	if (sscanf(name, "%16" SCNx64 "%16" SCNx64 "-%" SCNx64 ".", &run.high, &run.low, &run.epoch) != 3)
		return;
	name_refusal(again, &run);
	if (strcmp(again, name) != 0 || fstatat(state->fd, name, &info, 0) != 0)
		return;
	struct wm_push_progress *progress = find_or_add(state, &run, 0);
	progress->is_refused = true;
	progress->made_at = info.st_mtim.tv_sec;
}

void wm_push_state_scan(struct wm_push_state *state)
{
	free(state->progress);
	state->progress = NULL;
	state->count = 0;
	int fd = openat(state->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *stream = fd >= 0 ? fdopendir(fd) : NULL;
	if (!stream)
		wm_fail("cannot read the directory %s: %s", state->path, strerror(errno));
	for (struct dirent *entry; (entry = readdir(stream));) {
		struct wm_push_run run;
		struct stat info;
		uint64_t part;
		if (parse_name(entry->d_name, &run, &part) && fstatat(state->fd, entry->d_name, &info, 0) == 0)
			add_part(state, &run, part, info.st_mtim.tv_sec);
	}
	rewinddir(stream);
	for (struct dirent *entry; (entry = readdir(stream));)
		add_refusal(state, entry->d_name);
	closedir(stream);
}

bool wm_push_state_read_file(const struct wm_push_state *state, const char *name, struct wm_buffer *buffer)
{
	int fd = openat(state->fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	bool ok = fd >= 0 && wm_buffer_read_fd(buffer, fd);
	int error = errno;
	if (fd >= 0)
		close(fd);
	errno = error;
	return ok;
}

bool wm_push_state_read(struct wm_push_state *state, const struct wm_push_run *run, uint64_t part,
	struct wm_profile *profile, char **reason)
{
	char name[NAME_SIZE];
	struct wm_buffer buffer = {0};
	struct wm_profile_error error;
	if (!part)
		return true;
	name_part(name, run, part);
	bool ok = wm_push_state_read_file(state, name, &buffer);
	snprintf(error.text, sizeof error.text, "%s", ok ? "" : strerror(errno));
	ok = ok && !wm_indexed_read(profile, buffer.data, buffer.size, &error);
	wm_buffer_release(&buffer);
	if (!ok)
		*reason = wm_xprintf("what was stored of it is not known any more, because %s/%s cannot be read (%s)",
			state->path, name, error.text);
	return ok;
}

static bool write_all(int fd, const uint8_t *data, size_t size)
{
	while (size) {
		ssize_t written = write(fd, data, size);
		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return false;
		data += written;
		size -= (size_t)written;
	}
	return true;
}

bool wm_push_write_file(int at, const char *name, const char *temporary, const struct wm_buffer *bytes,
	const struct wm_push_manner *manner)
{
	unlinkat(at, temporary, 0);
	int fd = openat(at, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, manner->mode);
	if (fd < 0)
		return false;
	bool ok = write_all(fd, bytes->data, bytes->size) && (!manner->sync || fsync(fd) == 0);
	ok = close(fd) == 0 && ok;
	ok = ok && renameat(at, temporary, at, name) == 0 && (!manner->sync || fsync(at) == 0);
	int error = errno;
	if (!ok)
		unlinkat(at, temporary, 0);
	errno = error;
	return ok;
}

static bool write_file(struct wm_push_state *state, const char *name, const struct wm_buffer *bytes)
{
	return wm_push_write_file(
		state->fd, name, new_name, bytes, &(struct wm_push_manner){.mode = 0600, .sync = true});
}

static bool write_part(
	struct wm_push_state *state, const struct wm_push_run *run, uint64_t part, const struct wm_profile *profile)
{
	char name[NAME_SIZE];
	struct wm_buffer bytes;
	if (wm_indexed_write(profile, &bytes.data, &bytes.size))
		wm_no_memory();
	name_part(name, run, part);
	bool ok = write_file(state, name, &bytes);
	free(bytes.data);
	return ok;
}

bool wm_push_state_make(struct wm_push_state *state, const struct wm_push_run *run, const struct wm_profile *profile)
{
	struct wm_profile empty;
	struct wm_push_progress *progress = wm_push_state_find(state, run);
	wm_profile_init(&empty);
	if (!progress && !write_part(state, run, 0, &empty))
		return false;
	if (!progress)
		add_part(state, run, 0, time(NULL));
	progress = wm_push_state_find(state, run);
	if (!write_part(state, run, progress->stored + 1, profile))
		return false;
	progress->is_pending = true;
	progress->made_at = time(NULL);
	return true;
}

static void remove_part(struct wm_push_state *state, const struct wm_push_run *run, uint64_t part)
{
	char name[NAME_SIZE];
	name_part(name, run, part);
	unlinkat(state->fd, name, 0);
}

void wm_push_state_stored(struct wm_push_state *state, struct wm_push_progress *progress)
{
	remove_part(state, &progress->run, progress->stored);
	progress->stored++;
	progress->stored_at = progress->made_at;
	progress->is_pending = false;
}

static void keep_part(struct wm_push_state *state, const struct wm_push_run *run, uint64_t part)
{
	char name[NAME_SIZE];
	name_part(name, run, part);
	renameat(state->fd, name, state->kept, name);
}

bool wm_push_state_refuse(struct wm_push_state *state, const struct wm_push_run *run, const char *reason)
{
	char name[NAME_SIZE];
	struct wm_push_progress *progress = find_or_add(state, run, 0);
	const struct wm_buffer bytes = {.data = (uint8_t *)reason, .size = strlen(reason)};
	name_refusal(name, run);
	if (!write_file(state, name, &bytes))
		return false;
	if (progress->stored)
		keep_part(state, run, progress->stored);
	else
		remove_part(state, run, 0);
	if (progress->is_pending)
		keep_part(state, run, progress->stored + 1);
	*progress = (struct wm_push_progress){
		.run = *run, .is_refused = true, .has_file = progress->has_file, .made_at = time(NULL)};
	return true;
}

char *wm_push_state_reason(const struct wm_push_state *state, const struct wm_push_run *run)
{
	char name[NAME_SIZE];
	struct wm_buffer buffer = {0};
	name_refusal(name, run);
	bool ok = wm_push_state_read_file(state, name, &buffer);
	char *reason = ok ? wm_xprintf("%.*s", (int)buffer.size, (const char *)buffer.data)
			  : wm_xstrdup("it could not be stored");
	wm_buffer_release(&buffer);
	return reason;
}

void wm_push_state_forget(struct wm_push_state *state, const struct wm_push_run *run)
{
	struct wm_push_progress *progress = wm_push_state_find(state, run);
	if (!progress)
		return;
	if (progress->is_pending)
		remove_part(state, run, progress->stored + 1);
	remove_part(state, run, progress->stored);
	char name[NAME_SIZE];
	name_refusal(name, run);
	if (progress->is_refused)
		unlinkat(state->fd, name, 0);
	*progress = state->progress[--state->count];
}
