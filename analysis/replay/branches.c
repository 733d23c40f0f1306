/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/replay/branches.h"
#include "abi/stream.h"
#include "analysis/join/story.h"
#include "analysis/machine/entry.h"
#include "core/grammar/hot.h"
#include "profile/collect.h"
#include "support/fail.h"
#include "support/xalloc.h"
#include <stdlib.h>
#include <string.h>

/* ---- Joining ------------------------------------------------------------------------- */

static void take_objects(struct wm_wpp_branches *branches)
{
	const struct wm_wpp_table *table = branches->table;
	wm_profile_init(&branches->profile);
	for (uint32_t i = 0; i < table->object_count; i++)
		if (!wm_profile_append_object(
			    &branches->profile, table->object[i].build_id, table->object[i].build_id_size))
			wm_no_memory();
}

/* All functions have the control register of the run. */
static void take_control(struct wm_wpp_branches *branches)
{
	struct wm_hw_control *control = &branches->story.control;
	struct wm_hw_path path;
	uint64_t packed = 0;
	for (uint32_t f = 0; f < branches->table->function_count; f++) {
		bool known = wm_hw_wpp_path(&branches->table->function[f], 0, &path, control);
		if (!known || (f && wm_hw_control_pack(control) != packed))
			wm_fail("the recording is of a kind of path that this waymark does not know; use the version "
				"that wrote it");
		packed = wm_hw_control_pack(control);
	}
}

static void need_binary(const struct wm_wpp_branches *branches, const char *path)
{
	for (size_t i = 0; i < branches->story.object_count; i++)
		if (branches->story.object[i].code.file && strcmp(branches->story.object[i].code.path, path) == 0)
			return;
	wm_fail("%s did not run in the recording, or it was another build of it", path);
}

struct place {
	uint32_t object, function;
	uint64_t procedure; /* its address; UINT64_MAX: not known */
};

static int compare_places(const void *left, const void *right)
{
	const struct place *a = left, *b = right;
	if (a->object != b->object)
		return a->object < b->object ? -1 : 1;
	if (a->procedure != b->procedure)
		return a->procedure < b->procedure ? -1 : 1;
	return a->function < b->function ? -1 : a->function > b->function;
}

/* The name of the procedure that contains the start of a function's paths; NULL: not known. */
static const char *procedure_of(const struct wm_wpp_branches *branches, uint32_t f, uint64_t *address)
{
	const struct wm_wpp_function *function = &branches->table->function[f];
	const struct wm_code *code = &branches->story.object[function->object].code;
	uint64_t offset = 0;
	const char *name = code->file ? wm_code_function(code, function->start, &offset) : NULL;
	*address = name ? function->start - offset : UINT64_MAX;
	return name;
}

static void find_procedures(struct wm_wpp_branches *branches)
{
	uint32_t count = branches->table->function_count;
	struct place *place = wm_xmalloc((count + 1) * sizeof *place);
	branches->procedure = wm_xmalloc((count + 1) * sizeof *branches->procedure);
	for (uint32_t f = 0; f < count; f++) {
		place[f] = (struct place){.object = branches->table->function[f].object, .function = f};
		procedure_of(branches, f, &place[f].procedure);
	}
	qsort(place, count, sizeof *place, compare_places);
	for (uint32_t i = 0, first = 0; i < count; i++) {
		if (place[i].object != place[first].object || place[i].procedure != place[first].procedure)
			first = i;
		branches->procedure[place[i].function] = place[first].function;
	}
	free(place);
}

void wm_wpp_branches_open(struct wm_wpp_branches *branches, const struct wm_wpp_table *table,
	const struct wm_operands *operands, const char *debug_dir)
{
	*branches = (struct wm_wpp_branches){.table = table, .view.debug_dir = debug_dir};
	take_objects(branches);
	wm_hw_story_build(
		&branches->story, &branches->profile, operands->binary, operands->binary_count, &branches->view);
	take_control(branches);
	for (size_t i = 0; i < operands->binary_count; i++)
		need_binary(branches, operands->binary[i]);
	find_procedures(branches);
}

void wm_wpp_branches_release(struct wm_wpp_branches *branches)
{
	wm_hw_story_release(&branches->story);
	wm_profile_release(&branches->profile);
	free(branches->procedure);
}

/* ---- Entries ------------------------------------------------------------------------- */

bool wm_wpp_branches_find(const struct wm_wpp_branches *branches, uint64_t entry, struct wm_hw_story_path *path)
{
	const struct wm_wpp_table *table = branches->table;
	uint32_t f = wm_stream_function(entry);
	struct wm_hw_control ignored;
	*path = (struct wm_hw_story_path){0};
	if (wm_stream_is_special(entry) || f >= table->function_count ||
		!wm_hw_wpp_path(&table->function[f], entry, &path->path, &ignored))
		return false;
	path->object = table->function[f].object;
	return true;
}

uint64_t wm_wpp_branches_weight(const struct wm_wpp_branches *branches, uint64_t entry)
{
	struct wm_hw_story_path path;
	if (!wm_wpp_branches_find(branches, entry, &path))
		return WM_HOT_NEVER;
	switch (wm_hw_story_end(&branches->story, &path)) {
	case WM_HW_END_RETURN:
	case WM_HW_END_CALL:
	case WM_HW_END_SPLIT:
		return path.path.length + 1;
	case WM_HW_END_BACKWARD:
	case WM_HW_END_INDIRECT:
	case WM_HW_END_FORWARD:
	case WM_HW_END_UNKNOWN:
		break;
	}
	return path.path.length ? path.path.length : 1;
}

char *wm_wpp_branches_name(const struct wm_wpp_branches *branches, uint32_t function)
{
	uint64_t ignored;
	const char *name = procedure_of(branches, function, &ignored);
	const char *program = branches->table->object[branches->table->function[function].object].program;
	if (name)
		return wm_demangle(name);
	return *program ? wm_xprintf("code of %s", program) : wm_xstrdup("code in no file");
}
