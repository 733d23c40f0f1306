/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Opening and closing, and how failures are returned. */
#include "analysis/join/merge_files.h"
#include "library/handle.h"
#include "support/fail.h"
#include "support/xalloc.h"
#include <stdio.h>

#ifndef WM_VERSION
#define WM_VERSION "0.1.0"
#endif

const char *waymark_version(void)
{
	return WM_VERSION;
}

/* ---- Failures ---------------------------------------------------------------------------- */

enum waymark_status wm_library_fail(struct waymark_error *error, enum waymark_status status, const char *text)
{
	if (error) {
		error->status = status;
		snprintf(error->text, sizeof error->text, "%s", text);
	}
	return status;
}

static enum waymark_status status_of(enum wm_failure failure, enum waymark_status stage)
{
	switch (failure) {
	case WM_FAILURE_NONE:
		return WAYMARK_OK;
	case WM_FAILURE_MISTAKE:
		return stage;
	case WM_FAILURE_DEFECT:
		return WAYMARK_DEFECT;
	case WM_FAILURE_MEMORY:
		return WAYMARK_NO_MEMORY;
	}
	return WAYMARK_DEFECT;
}

enum waymark_status wm_library_attempt(struct waymark *counts, void (*work)(void *argument), void *argument,
	const enum waymark_status *stage, struct waymark_error *error)
{
	struct wm_attempt attempt = {.listener = &counts->listener, .heap = &counts->heap};
	if (wm_attempt_run(&attempt, work, argument))
		return wm_library_fail(error, WAYMARK_OK, "");
	const char *text = wm_attempt_sentence(&attempt);
	enum waymark_status status = wm_library_fail(error, status_of(attempt.failure, *stage), text);
	free(attempt.sentence);
	return status;
}

/* ---- Messages ---------------------------------------------------------------------------- */

/* A callback allocates for itself, and may use other handles. */
static void pass_warning(void *closure, const char *sentence)
{
	const struct waymark_options *options = closure;
	struct wm_heap *heap = wm_heap_use(NULL);
	if (options->warn)
		options->warn(options->closure, sentence);
	wm_heap_use(heap);
}

static void pass_progress(void *closure, const char *what, size_t done, size_t total)
{
	const struct waymark_options *options = closure;
	struct wm_heap *heap = wm_heap_use(NULL);
	if (options->progress)
		options->progress(options->closure, what, done, total);
	wm_heap_use(heap);
}

/* ---- Options ------------------------------------------------------------------------------ */

/* What the caller does not know is zero; what this library does not know must be zero.  False: it is not. */
static bool copy_options(struct waymark_options *to, const struct waymark_options *from)
{
	size_t known = from->size < sizeof *to ? from->size : sizeof *to;
	const char *byte = (const char *)from;
	*to = (struct waymark_options){0};
	memcpy(to, from, known);
	for (size_t i = known; i < from->size; i++)
		if (byte[i])
			return false;
	return known >= offsetof(struct waymark_options, debug_dir);
}

/* NULL: they can be used. */
static const char *trouble_with(const struct waymark_options *options)
{
	if (!options->profile_count)
		return "no profile was given";
	if (!options->binary_count)
		return "no binary was given; name the program that wrote the profile";
	if (options->source_dir_count > WM_SOURCE_DIRS)
		return "more than 32 source directories were given";
	for (size_t i = 0; i < options->profile_count; i++)
		if (!options->profiles[i])
			return "the name of a profile is NULL";
	for (size_t i = 0; i < options->binary_count; i++)
		if (!options->binaries[i])
			return "the name of a binary is NULL";
	return NULL;
}

/* ---- Opening ----------------------------------------------------------------------------- */

struct opening {
	struct waymark *counts;
	enum waymark_status stage; /* what a mistake of the user is, at this point of the work */
};

/* A warning has the reason of each; here is that of the first. */
static _Noreturn void fail_unread(const struct wm_merge *merge)
{
	wm_fail("no profile could be read; the first is %s: %s", merge->input[0].name,
		merge->input[0].trouble ? merge->input[0].trouble : "it has no counts");
}

static void read_profiles(struct waymark *counts)
{
	struct wm_merge merge;
	wm_profile_init(&counts->profile);
	wm_merge_init(&merge, &counts->profile, (char *const *)counts->options.profiles, counts->options.profile_count);
	wm_merge_all(&merge);
	if (merge.tally[WM_INPUT_REFUSED] == merge.count)
		fail_unread(&merge);
	wm_merge_release(&merge);
	if (wm_profile_has_branches(&counts->profile))
		wm_fail("%s is a profile of `waymark hw`, whose paths are not those of functions; use `waymark report`",
			counts->options.profiles[0]);
	counts->profile.any_program |= counts->options.any_program;
}

static void open_binaries(struct waymark *counts)
{
	const struct wm_operands operands = {
		.binary = (char **)counts->options.binaries, .binary_count = counts->options.binary_count};
	wm_binaries_open(&counts->binaries, &operands, counts->options.debug_dir);
}

static void prepare_sources(struct waymark *counts)
{
	counts->directories.count = counts->options.source_dir_count;
	for (size_t i = 0; i < counts->directories.count; i++)
		counts->directories.name[i] = wm_xstrdup(counts->options.source_dirs[i]);
	counts->sources = (struct wm_sources){.directories = &counts->directories, .off = counts->options.no_source};
}

static void do_open(void *argument)
{
	struct opening *opening = argument;
	struct waymark *counts = opening->counts;
	opening->stage = WAYMARK_BAD_PROFILE;
	read_profiles(counts);
	opening->stage = WAYMARK_BAD_BINARY;
	open_binaries(counts);
	wm_story_build(&counts->story, WM_STORY_OF_BINARIES, &counts->profile, counts->binaries.object,
		counts->binaries.count);
	opening->stage = WAYMARK_NO_MATCH;
	wm_story_need_match(&counts->story, "the profile");
	prepare_sources(counts);
}

enum waymark_status waymark_open(
	struct waymark **counts, const struct waymark_options *options, struct waymark_error *error)
{
	struct waymark *opened = calloc(1, sizeof *opened);
	if (!opened)
		return wm_library_fail(error, WAYMARK_NO_MEMORY, "out of memory");
	bool known = copy_options(&opened->options, options);
	const char *trouble =
		known ? trouble_with(&opened->options) : "the options are of another version of the library";
	opened->listener = (struct wm_listener){&opened->options, pass_warning, pass_progress};
	struct opening opening = {opened, WAYMARK_DEFECT};
	enum waymark_status status = trouble ? wm_library_fail(error, WAYMARK_BAD_ARGUMENT, trouble)
					     : wm_library_attempt(opened, do_open, &opening, &opening.stage, error);
	if (status)
		waymark_close(opened);
	else
		*counts = opened;
	return status;
}

void waymark_close(struct waymark *counts)
{
	if (!counts)
		return;
	wm_heap_release(&counts->heap);
	free(counts);
}
