/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/directory.h"
#include "support/fail.h"
#include "support/xalloc.h"
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void wm_file_list_add(struct wm_file_list *list, char *path)
{
	WM_XGROW(list->path, list->count);
	list->path[list->count++] = path;
}

void wm_file_list_release(struct wm_file_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->path[i]);
	free(list->path);
	*list = (struct wm_file_list){0};
}

const char *wm_current_directory(void)
{
	static _Thread_local char here[4096];
	if (!here[0] && !getcwd(here, sizeof here))
		here[0] = 0;
	return here;
}

bool wm_is_directory(const char *path)
{
	struct stat info;
	return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static bool has_suffix(const char *name, const char *suffix)
{
	size_t length = strlen(name), end = strlen(suffix);
	return length > end && !strcmp(name + length - end, suffix);
}

bool wm_is_raw_name(const char *name)
{
	return has_suffix(name, ".wmraw");
}

bool wm_is_profile_name(const char *name)
{
	return wm_is_raw_name(name) || has_suffix(name, ".wmprof");
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

struct wm_file_list wm_directory_list(const char *directory)
{
	struct dirent **entry;
	struct wm_file_list list = {0};
	int count = scandir(directory, &entry, is_visible, versionsort);
	if (count < 0)
		wm_fail("the directory %s cannot be read (%s)", directory, strerror(errno));
	for (int i = 0; i < count; i++) {
		wm_file_list_add(&list, wm_xprintf("%s/%s", directory, entry[i]->d_name));
		free(entry[i]);
	}
	free(entry);
	return list;
}

static size_t add_with_suffix(struct wm_file_list *to, const struct wm_file_list *from, const char *suffix)
{
	size_t before = to->count;
	for (size_t i = 0; i < from->count; i++)
		if (has_suffix(from->path[i], suffix))
			wm_file_list_add(to, wm_xstrdup(from->path[i]));
	return to->count - before;
}

void wm_file_list_add_profiles(struct wm_file_list *list, const char *operand)
{
	if (!wm_is_directory(operand)) {
		wm_file_list_add(list, wm_xstrdup(operand));
		return;
	}
	struct wm_file_list all = wm_directory_list(operand);
	if (!add_with_suffix(list, &all, ".wmraw") && !add_with_suffix(list, &all, ".wmprof"))
		wm_warn("the directory %s holds no .wmraw and no .wmprof file", operand);
	wm_file_list_release(&all);
}
