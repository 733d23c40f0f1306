/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/change/changed.h"
#include "support/xalloc.h"
#include <stdlib.h>

/* Lines */

static void add_line(struct wm_changed *changed, const struct wm_change *change,
	const struct wm_story_function *function, const struct wm_map_line *line)
{
	if (wm_change_line(change, function->module, line->file, line->line) != WM_LINE_CHANGED)
		return;
	bool known = function->state == WM_STORY_IDLE || function->state == WM_STORY_RAN;
	WM_XGROW(changed->line, changed->line_count);
	changed->line[changed->line_count++] = (struct wm_changed_line){
		.file = wm_change_file(change, function->module, function->module->file[line->file]),
		.line = line->line,
		.function = function,
		.known = known,
		.abandoned = known && (wm_balance_unknown(&function->balance) || function->across.unbalanced),
	};
}

static void add_function(
	struct wm_changed *changed, const struct wm_change *change, const struct wm_story_function *function)
{
	for (uint32_t b = 0; b < function->map->graph.block_count && function->map->block; b++)
		for (uint32_t i = 0; i < function->map->block[b].line_count; i++)
			add_line(changed, change, function, &function->map->block[b].line[i]);
}

static int by_place(const void *left, const void *right)
{
	const struct wm_changed_line *a = left, *b = right;
	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	return (a->line > b->line) - (a->line < b->line);
}

/* A line with code in several functions is one line. */
static void join_lines(struct wm_changed *changed)
{
	size_t kept = 0;
	for (size_t i = 0; i < changed->line_count; i++) {
		struct wm_changed_line *line = &changed->line[i];
		if (!kept || by_place(&changed->line[kept - 1], line) != 0) {
			changed->line[kept++] = *line;
			continue;
		}
		changed->line[kept - 1].known |= line->known;
		changed->line[kept - 1].abandoned |= line->abandoned;
	}
	changed->line_count = kept;
}

static bool is_asked(const struct wm_suite *suite, const struct wm_story_function *function)
{
	return !suite->only || wm_filter_passes(suite->only, function);
}

/* Of functions that are not asked for, nothing is missing. */
static void keep_asked(struct wm_changed *changed, struct wm_changed_line *coded, const struct wm_suite *suite)
{
	size_t kept = 0, count = changed->line_count;
	for (size_t i = 0; i < count; i++)
		if (is_asked(suite, coded[i].function)) {
			changed->line[kept++] = coded[i];
		} else {
			coded[i].known = true;
			coded[i].abandoned = false;
		}
	changed->line_count = kept;
}

/* Returns the lines once for each function that has code there; heap. */
static struct wm_changed_line *find_lines(
	struct wm_changed *changed, const struct wm_suite *suite, const struct wm_change *change, size_t *coded_count)
{
	const struct wm_story *story = &suite->story;
	for (size_t f = 0; f < story->function_count; f++)
		add_function(changed, change, &story->function[f]);
	if (changed->line_count)
		qsort(changed->line, changed->line_count, sizeof *changed->line, by_place);
	*coded_count = changed->line_count;
	struct wm_changed_line *coded = wm_xmalloc((changed->line_count + 1) * sizeof *coded);
	for (size_t i = 0; i < changed->line_count; i++)
		coded[i] = changed->line[i];
	keep_asked(changed, coded, suite);
	join_lines(changed);
	return coded;
}

/* Paths */

static struct wm_changed_line *find_line(
	const struct wm_changed *changed, const struct wm_diff_file *file, uint32_t line)
{
	const struct wm_changed_line key = {.file = file, .line = line};
	return file && changed->line_count ? bsearch(&key, changed->line, changed->line_count, sizeof key, by_place)
					   : NULL;
}

static void mark_executed(struct wm_changed *changed, const struct wm_change *change, const struct wm_steps *steps)
{
	for (size_t i = 0; i < steps->count; i++) {
		const struct wm_source_step *step = &steps->step[i];
		struct wm_changed_line *line =
			find_line(changed, wm_change_file(change, step->function->module, step->file), step->line);
		if (line)
			line->executed = true;
	}
}

/* Whether a path of the function can be touched; decoding a path takes longer. */
static bool may_touch(const struct wm_change *change, const struct wm_story_function *function)
{
	return wm_story_crosses_calls(function) || wm_change_function(change, function);
}

static bool is_touched(struct wm_changed *changed, const struct wm_change *change, const struct wm_suite *suite,
	size_t path, struct wm_steps *steps)
{
	struct wm_path_ends ends;
	wm_steps_tell(steps, suite->path[path].function, suite->path[path].id, &ends);
	if (wm_change_steps(change, steps) == WM_LINE_SAME)
		return false;
	mark_executed(changed, change, steps);
	return true;
}

/* Which paths of the suite are touched; heap. */
static bool *find_paths(struct wm_changed *changed, const struct wm_suite *suite, const struct wm_change *change)
{
	struct wm_steps steps = {0};
	const struct wm_story_function *last = NULL;
	bool may = false, *touched = wm_xmalloc(suite->path_count + 1);
	for (size_t i = 0; i < suite->path_count; i++) {
		if (suite->path[i].function != last)
			may = may_touch(change, suite->path[i].function);
		last = suite->path[i].function;
		touched[i] = may && is_touched(changed, change, suite, i, &steps);
	}
	wm_steps_release(&steps);
	return touched;
}

static void take_paths(struct wm_changed *changed, const struct wm_suite *suite, const bool *touched)
{
	for (size_t i = 0; i < suite->path_count; i++) {
		if (!touched[i] && !wm_around_has_path(&changed->around, suite, i))
			continue;
		WM_XGROW(changed->path, changed->path_count);
		changed->path[changed->path_count++] = (uint32_t)i;
	}
}

void wm_changed_find(struct wm_changed *changed, const struct wm_suite *suite, const struct wm_change *change)
{
	size_t coded_count;
	struct wm_changed_line *coded = find_lines(changed, suite, change, &coded_count);
	bool *touched = find_paths(changed, suite, change);
	for (size_t i = 0; i < coded_count; i++) {
		const struct wm_changed_line *line = find_line(changed, coded[i].file, coded[i].line);
		coded[i].executed = line && line->executed;
	}
	wm_around_find(&changed->around, suite, change, coded, coded_count);
	take_paths(changed, suite, touched);
	for (size_t i = 0; i < changed->line_count; i++) {
		const struct wm_changed_line *line = &changed->line[i];
		changed->executed += line->executed;
		changed->unexecuted += !line->executed && line->known;
		changed->unknown += !line->executed && !line->known;
	}
	free(coded);
	free(touched);
}

void wm_changed_release(struct wm_changed *changed)
{
	free(changed->path);
	free(changed->line);
	wm_around_release(&changed->around);
	*changed = (struct wm_changed){0};
}
