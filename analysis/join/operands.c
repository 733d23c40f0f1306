/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/join/operands.h"
#include "analysis/join/merge_files.h"
#include "profile/raw/spool_file.h"
#include "store/url.h"
#include "support/directory.h"
#include "support/fail.h"
#include "support/xalloc.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void append_name(char ***list, size_t *count, char *name)
{
	WM_XGROW(*list, *count);
	(*list)[(*count)++] = name;
}

/* Whether the word is a spool file whose raw profile is among the words, too: it is read with the raw profile. */
static bool is_spool(char **word, int count, const char *name)
{
	size_t length = strlen(name), suffix = strlen(WM_SPOOL_SUFFIX);
	if (length <= suffix || strcmp(name + length - suffix, WM_SPOOL_SUFFIX) != 0)
		return false;
	length -= suffix;
	for (int i = 0; i < count; i++)
		if (strlen(word[i]) == length && !strncmp(word[i], name, length))
			return true;
	wm_fail("%s is only a part of a recording; give the raw profile %.*s, and the spool file beside it is read too",
		name, (int)length, name);
}

void wm_operands_take(struct wm_operands *operands, char **word, int count)
{
	for (int i = 0; i < count; i++) {
		if (is_spool(word, count, word[i]))
			continue;
		if (wm_is_object_file(word[i]))
			append_name(&operands->binary, &operands->binary_count, word[i]);
		else
			append_name(&operands->profile, &operands->profile_count, word[i]);
	}
}

void wm_operands_check(const struct wm_operands *operands, const char *command)
{
	if (!operands->binary_count && !operands->profile_count)
		wm_fail("no files were given; name a profile and the binary that wrote it, as in `%s app.wmprof ./app`",
			command);
	if (!operands->profile_count)
		wm_fail("no profile was given for %s; run the program first, or use `waymark run`",
			operands->binary[0]);
	if (!operands->binary_count) {
		for (size_t i = 0; i < operands->profile_count; i++)
			if (!wm_is_store(operands->profile[i]) && access(operands->profile[i], R_OK) != 0)
				wm_fail("cannot read %s: %s", operands->profile[i], strerror(errno));
		if (operands->profile_count > 1)
			wm_fail("none of the files given is a binary; add the program that wrote the profile, as in "
				"`%s %s ./app`",
				command, wm_store_public_name(operands->profile[0]));
		wm_fail("no binary was given; add the program that wrote the profile, as in `%s %s ./app`", command,
			wm_store_public_name(operands->profile[0]));
	}
}

void wm_operands_release(struct wm_operands *operands)
{
	free(operands->binary);
	free(operands->profile);
	*operands = (struct wm_operands){0};
}

void wm_binaries_open(struct wm_binaries *binaries, const struct wm_operands *operands, const char *debug_dir)
{
	wm_arena_init(&binaries->arena);
	binaries->object = wm_xmalloc((operands->binary_count + 1) * sizeof *binaries->object);
	binaries->count = wm_objects_need(
		binaries->object, operands->binary, operands->binary_count, debug_dir, &binaries->arena);
}

void wm_binaries_choose(
	struct wm_binaries *chosen, const struct wm_binaries *all, const bool *choose, const char *debug_dir)
{
	struct wm_operands own = {0};
	for (size_t i = 0; i < all->count; i++)
		if (choose[i])
			append_name(&own.binary, &own.binary_count, all->object[i].path);
	wm_binaries_open(chosen, &own, debug_dir);
	wm_operands_release(&own);
}

void wm_binaries_release(struct wm_binaries *binaries)
{
	for (size_t i = 0; i < binaries->count; i++)
		wm_object_release(&binaries->object[i]);
	free(binaries->object);
	wm_arena_release(&binaries->arena);
}

void wm_profile_need(struct wm_profile *profile, char *const *paths, size_t count)
{
	struct wm_file_list files = {0};
	for (size_t i = 0; i < count; i++)
		wm_file_list_add_profiles(&files, paths[i]);
	bool read = wm_merge_files(profile, files.path, files.count) < files.count;
	wm_file_list_release(&files);
	if (!read)
		wm_fail("no profile could be read");
}
