/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "view/untested/baseline_file.h"
#include "analysis/untested/taken_edges.h"
#include "support/buffer.h"
#include "support/fail.h"
#include "support/json.h"
#include "support/output.h"
#include "support/xalloc.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char schema[] = "waymark.baseline/1";

/* ---- Reading -------------------------------------------------------------------------------- */

struct reader {
	struct wm_baseline *baseline;
	struct wm_baseline_error *error;
};

static bool refuse(const struct reader *reader, const char *what)
{
	snprintf(reader->error->text, sizeof reader->error->text, "%s", what);
	return false;
}

static bool read_hash(const struct reader *reader, const json_t *value, uint64_t *hash)
{
	const char *text = json_string_value(value);
	char *end = NULL;
	*hash = text ? strtoull(text, &end, 16) : 0;
	if (!text || strlen(text) != 16 || *end)
		return refuse(reader, "a hash of a function is not 16 hexadecimal digits");
	return true;
}

static bool read_outcomes(const struct reader *reader, struct wm_baseline_function *f, const json_t *list)
{
	f->outcome = wm_xmalloc((json_array_size(list) + 1) * sizeof *f->outcome);
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *value = json_array_get(list, i), *tested = json_array_get(value, 1);
		const char *label = json_string_value(json_array_get(value, 0));
		if (!label || !json_is_boolean(tested))
			return refuse(reader, "an outcome is not a text and whether it is tested");
		f->outcome[f->outcome_count++] = (struct wm_baseline_outcome){wm_xstrdup(label), json_is_true(tested)};
	}
	return true;
}

static bool read_paths(const struct reader *reader, struct wm_baseline_function *f, const json_t *list)
{
	f->path = wm_xmalloc((json_array_size(list) + 1) * sizeof *f->path);
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *value = json_array_get(list, i);
		if (!json_is_integer(value) || json_integer_value(value) < 0)
			return refuse(reader, "the id of a path is not a number");
		f->path[f->path_count++] = (uint64_t)json_integer_value(value);
	}
	return true;
}

static bool read_function(const struct reader *reader, const json_t *object)
{
	const char *name = json_string_value(json_object_get(object, "name"));
	const json_t *entered = json_object_get(object, "entered");
	const json_t *outcomes = json_object_get(object, "outcomes"), *paths = json_object_get(object, "paths");
	if (!name || !json_is_boolean(entered) || !json_is_array(outcomes) || !json_is_array(paths))
		return refuse(reader, "a function lacks its name, outcomes or paths");
	struct wm_baseline_function *f = &reader->baseline->function[reader->baseline->count++];
	*f = (struct wm_baseline_function){.name = wm_xstrdup(name), .entered = json_is_true(entered)};
	return read_hash(reader, json_object_get(object, "key"), &f->key) &&
	       read_hash(reader, json_object_get(object, "graph"), &f->graph) && read_outcomes(reader, f, outcomes) &&
	       read_paths(reader, f, paths);
}

static bool read_document(const struct reader *reader, const json_t *document)
{
	const char *name = json_string_value(json_object_get(document, "schema"));
	const json_t *functions = json_object_get(document, "functions");
	if (!name || strcmp(name, schema) != 0 || !json_is_array(functions))
		return refuse(reader, "its schema is not waymark.baseline/1");
	*reader->baseline = (struct wm_baseline){
		.function = wm_xmalloc((json_array_size(functions) + 1) * sizeof *reader->baseline->function)};
	for (size_t i = 0; i < json_array_size(functions); i++)
		if (!read_function(reader, json_array_get(functions, i)))
			return false;
	return true;
}

bool wm_baseline_parse(struct wm_baseline *baseline, const char *text, size_t size, struct wm_baseline_error *error)
{
	const struct reader reader = {baseline, error};
	json_error_t wrong;
	json_t *document = json_loadb(text, size, 0, &wrong);
	*baseline = (struct wm_baseline){0};
	if (!document) {
		snprintf(error->text, sizeof error->text, "line %d: %s", wrong.line, wrong.text);
		return false;
	}
	bool read = read_document(&reader, document);
	json_decref(document);
	if (read)
		wm_baseline_sort(baseline);
	else
		wm_baseline_release(baseline);
	return read;
}

void wm_baseline_read(struct wm_baseline *baseline, const char *file)
{
	struct wm_baseline_error error;
	struct wm_buffer buffer;
	if (!wm_buffer_read(&buffer, file))
		wm_fail("the baseline %s cannot be read: %s; `waymark untested --write-baseline` writes one", file,
			strerror(errno));
	bool read = wm_baseline_parse(baseline, (const char *)buffer.data, buffer.size, &error);
	wm_buffer_release(&buffer);
	if (!read)
		wm_fail("%s is no baseline: %s; `waymark untested --write-baseline` writes one", file, error.text);
}

/* ---- Writing -------------------------------------------------------------------------------- */

static json_t *hash_text(uint64_t hash)
{
	char text[20];
	snprintf(text, sizeof text, "%016" PRIx64, hash);
	return json_string(text);
}

static json_t *outcome_list(const struct wm_story_function *function, const bool *taken, struct wm_sources *sources)
{
	json_t *list = wm_json_checked(json_array());
	char **label = wm_labels_make(function, sources);
	for (uint32_t e = 0; e < function->map->graph.edge_count; e++)
		if (label[e])
			json_array_append_new(
				list, wm_json_checked(json_pack("[o, b]", wm_json_text(label[e]), taken && taken[e])));
	wm_labels_release(label, function);
	return list;
}

static int by_id(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
	return (a > b) - (a < b);
}

static json_t *path_list(const struct wm_story_function *function)
{
	json_t *list = wm_json_checked(json_array());
	size_t count = wm_story_crosses_calls(function) || wm_plan_has_pieces(wm_story_plan(function))
			       ? 0
			       : function->ran_count;
	uint64_t *id = wm_xmalloc((count + 1) * sizeof *id);
	for (size_t i = 0; i < count; i++)
		id[i] = function->path[i].id;
	qsort(id, count, sizeof *id, by_id);
	for (size_t i = 0; i < count; i++)
		json_array_append_new(list, wm_json_count(id[i]));
	free(id);
	return list;
}

/* Which edges the tests take; memory in the arena. */
static const bool *taken_edges(
	const struct wm_story *story, const struct wm_story_function *const *function, struct wm_arena *arena)
{
	const struct wm_story_unit *unit = wm_story_unit_of(*function);
	struct wm_taken_edges marks;
	if (!unit) {
		wm_taken_edges_init(&marks, function, 1, arena);
		wm_taken_edges_function(&marks, 0, *function);
		return marks.taken[0];
	}
	if (!wm_story_unit_is_whole(unit))
		return NULL;
	wm_taken_edges_init(&marks, unit->body, unit->binary->unit.function_count, arena);
	wm_taken_edges_unit(&marks, story, unit->binary->hash);
	uint32_t index = (*function)->across.index;
	bool same = wm_taken_edges_entry(&marks, index) == (*function)->map->graph.edge_count;
	return same ? marks.taken[index] : NULL;
}

static void write_function(
	const struct wm_story *story, const struct wm_story_function *function, struct wm_sources *sources, FILE *out)
{
	struct wm_arena arena;
	wm_arena_init(&arena);
	const bool *taken = function->state == WM_STORY_RAN ? taken_edges(story, &function, &arena) : NULL;
	json_t *object = wm_json_checked(json_pack("{s:o, s:o, s:o, s:b, s:o, s:o}", "name",
		wm_json_text(function->map->name), "key", hash_text(function->map->key), "graph",
		hash_text(wm_story_hash(function)), "entered", function->state == WM_STORY_RAN, "outcomes",
		outcome_list(function, taken, sources), "paths", path_list(function)));
	wm_json_dump(object, out, JSON_COMPACT);
	wm_arena_release(&arena);
}

static int by_name(const void *left, const void *right)
{
	const struct wm_story_function *a = *(const struct wm_story_function *const *)left;
	const struct wm_story_function *b = *(const struct wm_story_function *const *)right;
	int order = strcmp(a->map->name, b->map->name);
	return order ? order : wm_story_identity(a, b);
}

/* Functions that are compared, by name, so that a file under version control changes only where a function does; heap. */
static const struct wm_story_function **list_functions(
	const struct wm_story *story, const struct wm_function_filter *filter, size_t *count)
{
	const struct wm_story_function **list = wm_xmalloc((story->function_count + 1) * sizeof *list);
	*count = 0;
	for (size_t i = 0; i < story->function_count; i++) {
		const struct wm_story_function *function = &story->function[i];
		bool known = function->state == WM_STORY_RAN || function->state == WM_STORY_IDLE;
		if (known && wm_filter_passes(filter, function))
			list[(*count)++] = function;
	}
	qsort(list, *count, sizeof *list, by_name);
	return list;
}

void wm_baseline_write(const struct wm_story *story, const struct wm_function_filter *filter,
	struct wm_sources *sources, const char *file)
{
	struct wm_output output;
	size_t count;
	const struct wm_story_function **list = list_functions(story, filter, &count);
	wm_output_open(&output, file);
	fprintf(output.file, "{\"schema\":\"%s\",\"functions\":[", schema);
	for (size_t i = 0; i < count; i++) {
		fputs(i ? ",\n" : "\n", output.file);
		write_function(story, list[i], sources, output.file);
	}
	fputs("]}\n", output.file);
	wm_output_close(&output);
	free(list);
}
