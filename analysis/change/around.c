/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/change/around.h"
#include "analysis/change/users.h"
#include "core/base/search.h"
#include "support/fail.h"
#include "support/xalloc.h"
#include <stdlib.h>
#include <string.h>

/* The lines of a function in a file of the change, from its definition to its last code. */
struct span {
	const struct wm_diff_file *file;
	uint32_t first, last;
	const struct wm_story_function *function;
};

/* A file of the change, as a module of a binary names it. */
struct named_file {
	const struct wm_object *object;
	const struct wm_map_module *module;
	uint32_t file;
};

struct finding {
	struct wm_around *around;
	const struct wm_suite *suite;
	const struct wm_change *change;
	size_t span_count, coded_count;
	struct span *span;
	const struct wm_changed_line *coded; /* ascending file, line */
	struct named_file *named; /* per file of the diff; module NULL: the debug information does not name it */
	bool *used; /* per file of the diff that the debug information does not name: some unit uses it */
	bool *whole; /* per file of the diff: a line stands for the whole file */
	struct wm_sources sources;
};

/* Spans */

static const struct wm_diff_file *file_of(
	const struct wm_change *change, const struct wm_story_function *function, uint32_t file)
{
	const struct wm_map_module *module = function->module;
	return file < module->file_count ? wm_change_file(change, module, module->file[file]) : NULL;
}

/* Code of other functions may be in the graph if calls were inlined into it: then only the line of the definition is certain. */
static void add_span(struct finding *f, const struct wm_story_function *function)
{
	const struct wm_map_function *map = function->map;
	struct span span = {file_of(f->change, function, map->file), map->line, map->line, function};
	bool own = map->stage == WM_CFG_SOURCE && !wm_map_has_origins(map);
	if (!span.file || !map->line)
		return;
	for (uint32_t b = 0; own && b < map->graph.block_count && map->block; b++) {
		const struct wm_map_block *block = &map->block[b];
		for (uint32_t i = 0; i <= block->line_count; i++) {
			const struct wm_map_line *line = i < block->line_count ? &block->line[i] : &block->decision;
			if (line->file == map->file && line->line > span.last)
				span.last = line->line;
		}
	}
	WM_XGROW(f->span, f->span_count);
	f->span[f->span_count++] = span;
}

static bool is_counted(const struct wm_story_function *function)
{
	return function->state == WM_STORY_IDLE || function->state == WM_STORY_RAN;
}

/* Lines that have no effect */

/* Whether a line of a file that was compiled is blank or a comment.  Directives are no tokens, but are no comments either. */
static bool is_idle(struct finding *f, const struct wm_diff_file *file, uint32_t line)
{
	const struct named_file *named = &f->named[file - f->change->diff.file];
	if (!named->module || f->change->before || !named->module->file_sum)
		return false;
	const char *name = named->module->file[named->file];
	const struct wm_source_origin origin = {named->object->path, named->module};
	size_t length, at;
	const char *text = wm_source_line(&f->sources, name, line - (line > 1), &origin, &length);
	if (!text || !wm_source_is(&f->sources, name, &named->module->file_sum[named->file], &origin) ||
		(line > 1 && length && text[length - 1] == '\\'))
		return false;
	text = wm_source_line(&f->sources, name, line, &origin, &length);
	if (!text || memchr(text, '#', length))
		return false;
	const struct wm_map_line place = {named->file, line, 1};
	const struct wm_tokens *tokens = wm_source_tokens(&f->sources, name, &place, &origin, &at);
	if (!tokens)
		return false;
	WM_LOWER_BOUND(at, 0, tokens->count, tokens->token[at].line < line);
	return at == tokens->count || tokens->token[at].line != line;
}

/* Lines */

static void add_line(struct finding *f, const struct wm_diff_file *file, uint32_t line, enum wm_around_kind kind,
	const struct wm_story_function *function)
{
	struct wm_around *around = f->around;
	if (kind == WM_AROUND_FILE)
		f->whole[file - f->change->diff.file] = true;
	else
		(kind == WM_AROUND_FUNCTION ? around->function
					    : around->abandoned)[function - f->suite->story.function] = true;
	if (around->count) {
		struct wm_around_line *last = &around->line[around->count - 1];
		if (last->file == file && last->line == line && last->kind == kind)
			return;
	}
	WM_XGROW(around->line, around->count);
	around->line[around->count++] =
		(struct wm_around_line){file, line, kind, kind == WM_AROUND_FILE ? NULL : function};
}

/* The functions around a line without code, or its file. */
static void take_around(struct finding *f, const struct wm_diff_file *file, uint32_t line)
{
	bool found = false, counted = true;
	for (size_t i = 0; i < f->span_count; i++) {
		const struct span *span = &f->span[i];
		if (span->file != file || line < span->first || line > span->last)
			continue;
		found = true;
		counted &= is_counted(span->function);
		if (is_counted(span->function))
			add_line(f, file, line, WM_AROUND_FUNCTION, span->function);
	}
	if (!found || !counted)
		add_line(f, file, line, WM_AROUND_FILE, NULL);
}

static size_t first_coded(const struct finding *f, const struct wm_diff_file *file, uint32_t line)
{
	size_t at;
	WM_LOWER_BOUND(at, 0, f->coded_count,
		f->coded[at].file < file || (f->coded[at].file == file && f->coded[at].line < line));
	return at;
}

static bool is_coded(const struct finding *f, size_t at, const struct wm_diff_file *file, uint32_t line)
{
	return at < f->coded_count && f->coded[at].file == file && f->coded[at].line == line;
}

static void take_line(struct finding *f, const struct wm_diff_file *file, uint32_t line)
{
	size_t at = first_coded(f, file, line);
	if (!is_coded(f, at, file, line)) {
		bool idle = is_idle(f, file, line);
		f->around->idle += idle;
		if (!idle)
			take_around(f, file, line);
	}
	for (; is_coded(f, at, file, line); at++)
		if (!f->coded[at].known && !f->coded[at].executed)
			add_line(f, file, line, WM_AROUND_FILE, NULL);
		else if (f->coded[at].abandoned)
			add_line(f, file, line, WM_AROUND_ABANDONED, f->coded[at].function);
}

/* Whether both lines are of one function. */
static bool is_inside(const struct finding *f, const struct wm_diff_file *file, const struct wm_diff_range *range)
{
	for (size_t i = 0; i < f->span_count; i++)
		if (f->span[i].file == file && f->span[i].first <= range->first && f->span[i].last >= range->end - 1)
			return true;
	return false;
}

/* Whether a function has code on the line, which lines were removed beside. */
static bool has_code(const struct finding *f, const struct wm_diff_file *file, uint32_t line)
{
	for (size_t i = 0; i < f->span_count; i++) {
		const struct wm_story_function *function = f->span[i].function;
		if (f->span[i].file != file || line < f->span[i].first || line > f->span[i].last)
			continue;
		for (uint32_t b = 0; b < function->map->graph.block_count && function->map->block; b++)
			for (uint32_t k = 0; k < function->map->block[b].line_count; k++)
				if (function->map->block[b].line[k].line == line &&
					function->map->block[b].line[k].file == function->map->file)
					return true;
	}
	return false;
}

/* Between two lines of one function, of which one has code, paths say it; elsewhere it is as if the line were still there. */
static void take_removal(struct finding *f, const struct wm_diff_file *file, const struct wm_diff_range *range)
{
	if (!is_inside(f, file, range))
		add_line(f, file, range->first, WM_AROUND_FILE, NULL);
	else if (!has_code(f, file, range->first) && !has_code(f, file, range->end - 1))
		take_around(f, file, range->first);
}

static void take_file(struct finding *f, const struct wm_diff_file *file)
{
	for (size_t i = 0; i < file->count; i++) {
		const struct wm_diff_range *range = &file->range[i];
		if (range->removal)
			take_removal(f, file, range);
		for (uint32_t line = range->first; !range->removal && line < range->end; line++)
			take_line(f, file, line);
	}
}

/* Functions of files */

static int by_key(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
	return (a > b) - (a < b);
}

static bool uses_whole(const struct finding *f, struct wm_change_users *users, const struct wm_object *object,
	const struct wm_map_module *module)
{
	for (size_t d = 0; d < f->change->diff.count; d++)
		if (f->whole[d] && wm_change_uses(users, object, module, &f->change->diff.file[d]))
			return true;
	return false;
}

/* A function of several units, of which one uses the file, may differ there. */
static void take_functions(struct finding *f, struct wm_change_users *users)
{
	const struct wm_story *story = &f->suite->story;
	uint64_t *key = NULL;
	size_t count = 0;
	for (size_t o = 0; o < story->object_count; o++)
		for (size_t m = 0; m < story->object[o].map.module_count; m++) {
			const struct wm_map_module *module = &story->object[o].map.module[m];
			bool used = uses_whole(f, users, &story->object[o], module);
			for (uint32_t i = 0; used && i < module->function_count; i++) {
				WM_XGROW(key, count);
				key[count++] = module->function[i].key;
			}
		}
	if (count)
		qsort(key, count, sizeof *key, by_key);
	for (size_t i = 0; i < story->function_count; i++)
		if (count && bsearch(&story->function[i].map->key, key, count, sizeof *key, by_key))
			f->around->function[i] = true;
	free(key);
}

/* Tests */

/* How often an activation of the function ended in the test, which is how often a path did that no other path follows, or was left
 * unfinished. */
static uint64_t count_ended(const struct wm_suite *suite, const struct wm_suite_test *test, size_t function)
{
	uint64_t ended = 0;
	const struct wm_story_function *f = &suite->story.function[function];
	size_t taken = wm_story_taken_count(f);
	struct wm_story_path *by_id = wm_xmalloc((taken + 1) * sizeof *by_id);
	for (size_t p = 0; p < taken; p++)
		by_id[p] = *wm_story_taken(f, p);
	qsort(by_id, taken, sizeof *by_id, wm_story_by_id);
	for (size_t i = 0; i < test->path_count; i++) {
		const struct wm_suite_path *path = &suite->path[test->path[i]];
		const struct wm_story_path key = {.id = path->id}, *found = NULL;
		if (path->function == f && taken)
			found = bsearch(&key, by_id, taken, sizeof key, wm_story_by_id);
		if (found && found->end != WM_END_BACKEDGE && found->end != WM_END_CUT)
			ended += test->count[i];
	}
	free(by_id);
	return ended;
}

/* Paths across calls do not say of which function an activation was abandoned. */
static bool selects_unit(const struct finding *f, size_t owner)
{
	const struct wm_story *story = &f->suite->story;
	for (size_t i = 0; i < story->function_count; i++)
		if (wm_suite_owner(story, i) == owner && (f->around->function[i] || f->around->abandoned[i]))
			return true;
	return false;
}

static bool selects(const struct finding *f, const struct wm_suite_test *test, const struct wm_suite_begun *begun)
{
	size_t owner = begun->owner;
	if (owner >= f->suite->story.function_count)
		return selects_unit(f, owner);
	return f->around->function[owner] ||
	       (f->around->abandoned[owner] && begun->count > count_ended(f->suite, test, owner));
}

static void take_tests(struct finding *f)
{
	for (size_t t = 0; t < f->suite->test_count; t++) {
		const struct wm_suite_test *test = &f->suite->test[t];
		for (size_t i = 0; i < test->begun_count && !f->around->test[t]; i++)
			f->around->test[t] = selects(f, test, &test->begun[i]);
	}
}

/* All of it */

static bool *new_flags(size_t count)
{
	bool *flags = calloc(count + 1, sizeof *flags);
	if (!flags)
		wm_no_memory();
	return flags;
}

static void name_files(struct finding *f)
{
	const struct wm_story *story = &f->suite->story;
	f->named = wm_xmalloc((f->change->diff.count + 1) * sizeof *f->named);
	memset(f->named, 0, (f->change->diff.count + 1) * sizeof *f->named);
	for (size_t o = 0; o < story->object_count; o++)
		for (size_t m = 0; m < story->object[o].map.module_count; m++) {
			const struct wm_map_module *module = &story->object[o].map.module[m];
			for (uint32_t i = 0; i < module->file_count; i++) {
				const struct wm_diff_file *file = wm_change_file(f->change, module, module->file[i]);
				if (file && !f->named[file - f->change->diff.file].module)
					f->named[file - f->change->diff.file] =
						(struct named_file){&story->object[o], module, i};
			}
		}
}

/* Debug information names no header of which only macros and types are used. */
static void find_used(struct finding *f, struct wm_change_users *users)
{
	const struct wm_story *story = &f->suite->story;
	size_t unnamed = 0;
	for (size_t d = 0; d < f->change->diff.count; d++)
		unnamed += !f->named[d].module;
	for (size_t o = 0; o < story->object_count && unnamed; o++)
		for (size_t m = 0; m < story->object[o].map.module_count; m++)
			for (size_t d = 0; d < f->change->diff.count; d++)
				f->used[d] |= !f->named[d].module &&
					      wm_change_uses(users, &story->object[o], &story->object[o].map.module[m],
						      &f->change->diff.file[d]);
}

/* --function, --file and --exclude */
static void keep_asked(struct finding *f)
{
	const struct wm_story *story = &f->suite->story;
	for (size_t i = 0; i < story->function_count && f->suite->only; i++)
		if (!wm_filter_passes(f->suite->only, &story->function[i]))
			f->around->function[i] = f->around->abandoned[i] = false;
}

void wm_around_find(struct wm_around *around, const struct wm_suite *suite, const struct wm_change *change,
	const struct wm_changed_line *coded, size_t coded_count)
{
	const struct wm_story *story = &suite->story;
	struct finding f = {
		.around = around, .suite = suite, .change = change, .coded = coded, .coded_count = coded_count};
	struct wm_change_users users = {.change = change};
	around->function = new_flags(story->function_count);
	around->abandoned = new_flags(story->function_count);
	around->test = new_flags(suite->test_count);
	f.whole = new_flags(change->diff.count);
	f.used = new_flags(change->diff.count);
	wm_change_users_begin(&users, story->object, story->object_count);
	name_files(&f);
	find_used(&f, &users);
	for (size_t i = 0; i < story->function_count; i++)
		add_span(&f, &story->function[i]);
	for (size_t d = 0; d < change->diff.count; d++)
		if (f.named[d].module || f.used[d])
			take_file(&f, &change->diff.file[d]);
	take_functions(&f, &users);
	keep_asked(&f);
	take_tests(&f);
	wm_change_users_release(&users);
	wm_sources_release(&f.sources);
	free(f.span);
	free(f.named);
	free(f.whole);
	free(f.used);
}

static bool steps_through(const struct wm_around *around, const struct wm_suite *suite, size_t path)
{
	struct wm_steps steps = {0};
	struct wm_path_ends ends;
	bool found = false;
	wm_steps_tell(&steps, suite->path[path].function, suite->path[path].id, &ends);
	for (size_t i = 0; i < steps.count && !found; i++) {
		const struct wm_story_function *function = steps.step[i].function;
		bool of_story = function >= suite->story.function &&
				function < suite->story.function + suite->story.function_count;
		found = of_story && around->function[function - suite->story.function];
	}
	wm_steps_release(&steps);
	return found;
}

bool wm_around_has_path(const struct wm_around *around, const struct wm_suite *suite, size_t path)
{
	const struct wm_story_function *function = suite->path[path].function;
	if (around->function[function - suite->story.function])
		return true;
	return wm_story_crosses_calls(function) && steps_through(around, suite, path);
}

size_t wm_around_count(const struct wm_around *around, enum wm_around_kind kind)
{
	size_t count = 0;
	for (size_t i = 0; i < around->count; i++)
		count += around->line[i].kind == kind;
	return count;
}

void wm_around_release(struct wm_around *around)
{
	free(around->line);
	free(around->function);
	free(around->abandoned);
	free(around->test);
	*around = (struct wm_around){0};
}
