/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Instances of a template as one function of a story.
 *
 * A test of one instance executes the text of the template as a test of any other does, so a report on tests that tells them
 * apart lists each path once for every type.  Functions are instances of one template if they have the same name without
 * template arguments, parameters and return type, the same file and line, and the same graph: then their paths have the same
 * ids.  The first of them by name represents them, with the sum of their counts.  Instances with other graphs, such as those
 * of which a branch was compiled away, stay functions of their own, and so do functions whose paths cross calls or are
 * sequences of pieces, because their paths are named in other ways.
 */
#include "analysis/join/merge_files.h"
#include "analysis/join/names.h"
#include "analysis/join/story.h"
#include "profile/map/identity.h"
#include "support/xalloc.h"
#include <stdlib.h>
#include <string.h>

/* A function of the story that is an instance of a template. */
struct candidate {
	struct wm_story_function *function;
	char *name; /* of the template */
};

static bool can_be_joined(const struct wm_story_function *function)
{
	struct wm_scheme_choice choice;
	return !wm_story_crosses_calls(function) && function->state == WM_STORY_IDLE && function->map->line &&
	       wm_story_file(function) && wm_scheme_parse(function->map->scheme, &choice) == WM_OK &&
	       !choice.sequences && !choice.scheme->crosses;
}

static int by_template(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;
	const struct wm_map_function *f = a->function->map, *g = b->function->map;
	uint64_t x = wm_story_hash(a->function), y = wm_story_hash(b->function);
	int order = strcmp(a->name, b->name);
	order = order ? order : strcmp(wm_story_file(a->function), wm_story_file(b->function));
	order = order ? order : (f->line > g->line) - (f->line < g->line);
	order = order ? order : (x > y) - (x < y);
	return order ? order : strcmp(f->scheme, g->scheme);
}

static int by_instance(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;
	int order = by_template(a, b);
	order = order ? order : strcmp(a->function->display, b->function->display);
	return order ? order : wm_story_identity(a->function, b->function);
}

static size_t list_candidates(const struct wm_story *story, struct candidate *list)
{
	size_t count = 0;
	for (size_t i = 0; i < story->function_count; i++) {
		struct wm_story_function *function = &story->function[i];
		char *name = can_be_joined(function) ? wm_template_name(function->display) : NULL;
		if (name)
			list[count++] = (struct candidate){function, name};
	}
	qsort(list, count, sizeof *list, by_instance);
	return count;
}

/* Two programs may have different files of one name, and two binaries of a story that is not of tests are told apart. */
static bool is_same_text(const struct wm_story *story, const struct candidate *a, const struct candidate *b)
{
	if (story->kind == WM_STORY_OF_BINARIES)
		return a->function->program == b->function->program;
	return a->function->object == b->function->object || wm_same_source(a->function->source, b->function->source);
}

static uint64_t executions_of(const struct wm_story_function *function)
{
	uint64_t sum = 0;
	for (size_t r = 0; r < function->records.count; r++)
		for (size_t i = 0; i < function->records.record[r]->path_count; i++)
			sum = wm_count_add(sum, function->records.record[r]->path[i].count);
	return sum;
}

static void add_instance(struct wm_story_instances *list, const struct wm_story_function *function)
{
	WM_XGROW(list->instance, list->count);
	list->instance[list->count++] = (struct wm_story_instance){
		.map = function->map, .display = wm_xstrdup(function->display), .executions = executions_of(function)};
}

static void add_records(struct wm_story_records *into, const struct wm_story_records *from)
{
	for (size_t i = 0; i < from->count; i++) {
		WM_XGROW(into->record, into->count);
		into->record[into->count++] = from->record[i];
	}
	into->apart_doubt |= from->apart_doubt;
	into->apart_lost = wm_count_add(into->apart_lost, from->apart_lost);
	into->stale |= from->stale;
}

static void add_binaries(
	const struct wm_story *story, struct wm_story_function *into, const struct wm_story_function *from)
{
	for (size_t i = 0; i < story->object_count; i++)
		if (wm_story_has_binary(from, i))
			wm_story_add_binary(story, into, i);
}

/* An instance that is represented by another is marked by a map of NULL. */
static void take_in(const struct wm_story *story, struct wm_story_function *into, struct wm_story_function *from)
{
	add_instance(&into->instances, from);
	add_records(&into->records, &from->records);
	add_binaries(story, into, from);
	wm_story_function_release(from);
	from->map = NULL;
}

static void join_first(const struct wm_story *story, struct candidate *list, size_t count)
{
	struct wm_story_function *into = list[0].function;
	if (!into->map)
		return;
	for (size_t i = 1; i < count; i++) {
		if (!list[i].function->map || !is_same_text(story, &list[0], &list[i]))
			continue;
		if (!into->instances.count)
			add_instance(&into->instances, into);
		take_in(story, into, list[i].function);
	}
	if (!into->instances.count)
		return;
	free(into->display);
	free(into->brief);
	into->display = wm_xstrdup(list[0].name);
	into->brief = wm_name_shortened(into->display);
}

static void compact(struct wm_story *story)
{
	size_t kept = 0;
	for (size_t i = 0; i < story->function_count; i++)
		if (story->function[i].map)
			story->function[kept++] = story->function[i];
	story->function_count = kept;
}

void wm_story_join_instances(struct wm_story *story)
{
	struct candidate *list = wm_xmalloc((story->function_count + 1) * sizeof *list);
	size_t count = list_candidates(story, list), end;
	/* join_first() clears the maps by which candidates are compared, so that the groups are found first. */
	for (size_t first = 0; first < count; first = end) {
		for (end = first + 1; end < count && by_template(&list[first], &list[end]) == 0; end++)
			;
		for (size_t i = first; i + 1 < end; i++)
			join_first(story, list + i, end - i);
	}
	for (size_t i = 0; i < count; i++)
		free(list[i].name);
	free(list);
	compact(story);
}

void wm_story_instances_release(struct wm_story_instances *instances)
{
	for (size_t i = 0; i < instances->count; i++)
		free(instances->instance[i].display);
	free(instances->instance);
	*instances = (struct wm_story_instances){0};
}
