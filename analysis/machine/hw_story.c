/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/machine/hw_story.h"
#include "support/fail.h"
#include "support/xalloc.h"
#include <stdlib.h>
#include <string.h>

static void take_control(struct wm_hw_story *story, const struct wm_branch_path *counted, uint64_t *control)
{
	if (counted->metric >= WM_HW_METRIC_COUNT || wm_hw_control_unpack(&story->control, counted->control))
		wm_fail("the profile is of a kind of path that this waymark does not know; use the version that wrote "
			"it");
	if (*control && *control != counted->control)
		wm_fail("the profile mixes several kinds of paths, which cannot be compared; merge runs with equal "
			"options only");
	*control = counted->control;
}

static void add_count(struct wm_hw_story *story, size_t object, const struct wm_branch_path *counted)
{
	uint64_t *total = &story->total[counted->metric];
	struct wm_hw_story_path *path = &story->path[story->path_count++];
	*path = (struct wm_hw_story_path){.object = object,
		.path = {.start = counted->start, .length = counted->length, .outcomes = counted->outcomes}};
	path->count[counted->metric] = counted->count;
	story->metrics |= 1u << counted->metric;
	if (counted->count == UINT64_MAX || __builtin_add_overflow(*total, counted->count, total))
		wm_fail("the %s of the profile exceed 2^64-1 together; merge fewer runs",
			wm_hw_metric_name((enum wm_hw_metric)counted->metric));
}

static void add_counts(struct wm_hw_story *story, const struct wm_profile *profile)
{
	size_t count = 0;
	uint64_t control = 0;
	if (wm_profile_has_branches(profile) && wm_profile_has_functions(profile))
		wm_fail("the profile mixes paths of `waymark hw` with those of instrumented programs; report them "
			"separately");
	for (size_t i = 0; i < profile->object_count; i++)
		count += profile->object[i].branch_count;
	story->path = wm_xrealloc(NULL, count + 1, sizeof *story->path);
	for (size_t i = 0; i < profile->object_count; i++)
		for (size_t j = 0; j < profile->object[i].branch_count; j++) {
			take_control(story, &profile->object[i].branches[j], &control);
			add_count(story, i, &profile->object[i].branches[j]);
		}
}

static int compare_descriptors(const void *left, const void *right)
{
	const struct wm_hw_story_path *a = left, *b = right;
	if (a->object != b->object)
		return a->object < b->object ? -1 : 1;
	return wm_hw_path_compare(&a->path, &b->path);
}

/* Joins the entries of a path for all metrics into one entry. */
static void join_metrics(struct wm_hw_story *story)
{
	size_t kept = 0;
	qsort(story->path, story->path_count, sizeof *story->path, compare_descriptors);
	for (size_t i = 0; i < story->path_count; i++) {
		if (kept && compare_descriptors(&story->path[kept - 1], &story->path[i]) == 0)
			for (size_t metric = 0; metric < WM_HW_METRIC_COUNT; metric++)
				story->path[kept - 1].count[metric] += story->path[i].count[metric];
		else
			story->path[kept++] = story->path[i];
	}
	story->path_count = kept;
}

static int compare_by(const void *left, const void *right, void *closure)
{
	const struct wm_hw_story_path *a = left, *b = right;
	enum wm_hw_metric by = *(enum wm_hw_metric *)closure;
	if (a->count[by] != b->count[by])
		return a->count[by] < b->count[by] ? 1 : -1;
	return compare_descriptors(left, right);
}

static void open_binary(struct wm_hw_story *story, const char *path)
{
	struct wm_code code;
	if (wm_code_open(&code, path, story->view->debug_dir))
		return;
	for (size_t i = 0; i < story->object_count; i++) {
		struct wm_hw_story_object *object = &story->object[i];
		if (object->code.file || object->counted->build_id_size != code.build_id_size ||
			memcmp(object->counted->build_id, code.build_id, code.build_id_size) != 0)
			continue;
		object->code = code;
		object->procedures = wm_hw_procedures_new(&object->code);
		return;
	}
	wm_code_release(&code);
}

void wm_hw_story_build(struct wm_hw_story *story, const struct wm_profile *profile, char *const *binary,
	size_t binary_count, const struct wm_hw_view *view)
{
	*story = (struct wm_hw_story){.view = view, .object_count = profile->object_count};
	story->object = wm_xrealloc(NULL, profile->object_count + 1, sizeof *story->object);
	for (size_t i = 0; i < profile->object_count; i++)
		story->object[i] = (struct wm_hw_story_object){.counted = &profile->object[i]};
	add_counts(story, profile);
	if (story->path_count && !view->counted && !(story->metrics >> view->by & 1))
		wm_fail("no %s were counted; `waymark hw --metrics` counts more than frequencies",
			wm_hw_metric_name(view->by));
	join_metrics(story);
	enum wm_hw_metric by = view->by;
	qsort_r(story->path, story->path_count, sizeof *story->path, compare_by, &by);
	for (size_t i = 0; i < binary_count; i++)
		open_binary(story, binary[i]);
}

static void release_object(struct wm_hw_story_object *object)
{
	wm_hw_procedures_free(object->procedures);
	wm_code_release(&object->code);
}

void wm_hw_story_release(struct wm_hw_story *story)
{
	for (size_t i = 0; i < story->object_count; i++)
		release_object(&story->object[i]);
	free(story->object);
	free(story->path);
	*story = (struct wm_hw_story){0};
}

const struct wm_code *wm_hw_story_code(const struct wm_hw_story *story, const struct wm_hw_story_path *path)
{
	const struct wm_code *code = &story->object[path->object].code;
	return code->file ? code : NULL;
}

char *wm_hw_story_place(const struct wm_hw_story *story, const struct wm_hw_story_path *path)
{
	const struct wm_code *code = wm_hw_story_code(story, path);
	uint64_t behind = 0;
	const char *name = code ? wm_code_function(code, path->path.start, &behind) : NULL;
	const char *slash = code ? strrchr(code->path, '/') : NULL;
	if (name && !behind)
		return wm_xstrdup(name);
	if (name)
		return wm_xprintf("%s+0x%llx", name, (unsigned long long)behind);
	return wm_xprintf("%s+0x%llx",
		slash  ? slash + 1
		: code ? code->path
		       : "no file",
		(unsigned long long)path->path.start);
}

void wm_hw_outcomes_text(const struct wm_hw_path *path, char *text)
{
	for (uint32_t i = 0; i < path->length && i < WM_HW_MAX_BRANCHES; i++)
		*text++ = path->outcomes >> i & 1 ? '1' : '0';
	*text = 0;
}

enum wm_hw_end wm_hw_story_trail(const struct wm_hw_story *story, const struct wm_hw_story_path *path,
	struct wm_trail *trail, struct wm_arena *arena)
{
	struct wm_hw_procedures *procedures = story->object[path->object].procedures;
	*trail = (struct wm_trail){0};
	return procedures ? wm_hw_trail(procedures, &path->path, &story->control, trail, arena) : WM_HW_END_UNKNOWN;
}

enum wm_hw_end wm_hw_story_tell(
	const struct wm_hw_story *story, const struct wm_hw_story_path *path, struct wm_steps *steps)
{
	struct wm_trail trail;
	struct wm_arena arena;
	wm_arena_init(&arena);
	enum wm_hw_end end = wm_hw_story_trail(story, path, &trail, &arena);
	wm_steps_clear(steps);
	if (trail.count)
		wm_steps_build(steps, wm_hw_procedures_bodies(story->object[path->object].procedures), &trail);
	wm_arena_release(&arena);
	return end;
}

enum wm_hw_end wm_hw_story_end(const struct wm_hw_story *story, const struct wm_hw_story_path *path)
{
	return wm_hw_walk(wm_hw_story_code(story, path), &path->path, &story->control, NULL, NULL);
}
