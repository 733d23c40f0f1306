/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cmd/test_parts.h"
#include "profile/raw/raw_tests.h"
#include "profile/raw/sparse.h"
#include "support/attempt.h"
#include "support/fail.h"
#include "support/output.h"
#include "support/xalloc.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A name may begin often: its parts are added up in memory, as long as all together are not larger than this. */
enum { MOST_RECORDS = 2000000 };

struct named {
	char *name;
	struct wm_profile sum;
};

struct parts {
	const char *path;
	wm_take_test_part *take;
	void *closure;
	struct named *named;
	size_t count, records; /* records: functions and paths of all sums, at most */
	size_t written;
};

static void write_named(struct parts *parts, struct named *named)
{
	char *file = wm_xprintf("%s.%zu.wmprof", parts->path, ++parts->written);
	uint8_t *data;
	size_t size;
	if (wm_indexed_write(&named->sum, &data, &size) != WM_PROFILE_OK)
		wm_no_memory();
	wm_write_quickly(file, data, size);
	parts->take(parts->closure, named->name, file);
	free(data);
	free(file);
}

static void write_all(struct parts *parts)
{
	for (size_t i = 0; i < parts->count; i++) {
		write_named(parts, &parts->named[i]);
		wm_profile_release(&parts->named[i].sum);
		free(parts->named[i].name);
	}
	free(parts->named);
	parts->named = NULL;
	parts->count = parts->records = 0;
}

static struct named *find_named(struct parts *parts, const char *name)
{
	for (size_t i = parts->count; i-- > 0;)
		if (strcmp(parts->named[i].name, name) == 0)
			return &parts->named[i];
	WM_XGROW(parts->named, parts->count);
	struct named *named = &parts->named[parts->count++];
	named->name = wm_xstrdup(name);
	wm_profile_init(&named->sum);
	return named;
}

static size_t count_records(const struct wm_profile *profile)
{
	size_t count = 0;
	for (size_t o = 0; o < profile->object_count; o++)
		for (size_t f = 0; f < profile->object[o].function_count; f++)
			count += 1 + profile->object[o].function[f].path_count;
	return count;
}

static bool add_part(void *closure, const char *name, const struct wm_profile *part)
{
	struct parts *parts = closure;
	if (wm_profile_merge(&find_named(parts, name)->sum, part))
		wm_no_memory();
	parts->records += count_records(part);
	if (parts->records > MOST_RECORDS)
		write_all(parts);
	return true;
}

static bool read_parts(struct parts *parts, const struct wm_profile_image *image)
{
	struct wm_profile_error error;
	if (!wm_raw_has_tests(image))
		return false;
	enum wm_profile_status status = wm_raw_parts(image, add_part, parts, &error);
	write_all(parts);
	if (status == WM_PROFILE_NO_MEMORY)
		wm_no_memory();
	if (status == WM_PROFILE_DAMAGED)
		wm_warn("%s was read in part: %s", parts->path, error.text);
	return parts->written > 0;
}

static void release_file(void *file)
{
	wm_sparse_release(file);
}

bool wm_test_parts(const char *path, wm_take_test_part *take, void *closure)
{
	struct parts parts = {.path = path, .take = take, .closure = closure};
	struct wm_sparse_file file;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool opened = fd >= 0 && wm_sparse_read(&file, fd);
	if (fd >= 0)
		close(fd);
	if (!opened)
		return false;
	struct wm_guard guard;
	wm_guard_begin(&guard, release_file, &file);
	bool taken = read_parts(&parts, &file.image);
	wm_guard_end(&guard);
	wm_sparse_release(&file);
	return taken;
}
