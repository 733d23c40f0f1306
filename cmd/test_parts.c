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
#include <unistd.h>

struct parts {
	const char *path;
	wm_take_test_part *take;
	void *closure;
	size_t count;
};

static bool write_part(void *closure, const char *name, const struct wm_profile *part)
{
	struct parts *parts = closure;
	char *file = wm_xprintf("%s.%zu.wmprof", parts->path, ++parts->count);
	uint8_t *data;
	size_t size;
	if (wm_indexed_write(part, &data, &size) != WM_PROFILE_OK)
		wm_no_memory();
	wm_write_file(file, data, size);
	parts->take(parts->closure, name, file);
	free(data);
	free(file);
	return true;
}

static bool read_parts(struct parts *parts, const struct wm_profile_image *image)
{
	struct wm_profile_error error;
	if (!wm_raw_has_tests(image))
		return false;
	enum wm_profile_status status = wm_raw_parts(image, write_part, parts, &error);
	if (status == WM_PROFILE_NO_MEMORY)
		wm_no_memory();
	if (status == WM_PROFILE_DAMAGED)
		wm_warn("%s was read in part: %s", parts->path, error.text);
	return parts->count > 0;
}

static void release_file(void *file)
{
	wm_sparse_release(file);
}

bool wm_test_parts(const char *path, wm_take_test_part *take, void *closure)
{
	struct parts parts = {path, take, closure, 0};
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
