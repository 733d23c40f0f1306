/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/untested/baseline.h"
#include "analysis/source/decision.h"
#include "analysis/tell/trails.h"
#include "core/base/search.h"
#include "support/xalloc.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* ---- Finding -------------------------------------------------------------------------------- */

static int by_function(const void *left, const void *right)
{
	const struct wm_baseline_function *a = left, *b = right;
	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return (a->graph > b->graph) - (a->graph < b->graph);
}

static int by_label(const void *left, const void *right)
{
	const struct wm_baseline_outcome *a = left, *b = right;
	return strcmp(a->label, b->label);
}

static int by_id(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
	return (a > b) - (a < b);
}

void wm_baseline_sort(struct wm_baseline *baseline)
{
	for (size_t i = 0; i < baseline->count; i++) {
		struct wm_baseline_function *f = &baseline->function[i];
		if (f->outcome_count)
			qsort(f->outcome, f->outcome_count, sizeof *f->outcome, by_label);
		if (f->path_count)
			qsort(f->path, f->path_count, sizeof *f->path, by_id);
	}
	if (baseline->count)
		qsort(baseline->function, baseline->count, sizeof *baseline->function, by_function);
}

void wm_baseline_release(struct wm_baseline *baseline)
{
	for (size_t i = 0; i < baseline->count; i++) {
		for (size_t j = 0; j < baseline->function[i].outcome_count; j++)
			free(baseline->function[i].outcome[j].label);
		free(baseline->function[i].outcome);
		free(baseline->function[i].path);
		free(baseline->function[i].name);
	}
	free(baseline->function);
	*baseline = (struct wm_baseline){0};
}

static const struct wm_baseline_function *find_key(const struct wm_baseline *baseline, uint64_t key, uint64_t graph)
{
	size_t first;
	WM_LOWER_BOUND(first, 0, baseline->count, baseline->function[first].key < key);
	const struct wm_baseline_function *found = NULL;
	for (size_t i = first; i < baseline->count && baseline->function[i].key == key; i++)
		if (!found || baseline->function[i].graph == graph)
			found = &baseline->function[i];
	return found;
}

/* Which instance represents a template may change. */
const struct wm_baseline_function *wm_baseline_find(
	const struct wm_baseline *baseline, const struct wm_story_function *function)
{
	uint64_t graph = wm_story_hash(function);
	const struct wm_baseline_function *found = find_key(baseline, function->map->key, graph);
	for (size_t i = 0; !found && i < function->instances.count; i++)
		found = find_key(baseline, function->instances.instance[i].map->key, graph);
	return found;
}

const struct wm_baseline_outcome *wm_baseline_outcome(const struct wm_baseline_function *function, const char *label)
{
	const struct wm_baseline_outcome like = {.label = (char *)label};
	return function->outcome_count
		       ? bsearch(&like, function->outcome, function->outcome_count, sizeof like, by_label)
		       : NULL;
}

/* ---- Labels --------------------------------------------------------------------------------- */

/* A line without the blanks around it, and with one blank for several; heap. */
static char *squeezed(const char *line, size_t length)
{
	char *text = wm_xmalloc(length + 1), *to = text;
	for (size_t i = 0; i < length; i++)
		if (!isspace((unsigned char)line[i]))
			*to++ = line[i];
		else if (to > text && to[-1] != ' ')
			*to++ = ' ';
	while (to > text && to[-1] == ' ')
		to--;
	*to = 0;
	return text;
}

/* What is written where the block decides; heap. */
static char *decision_text(const struct wm_story_function *function, uint32_t block, struct wm_sources *sources)
{
	const struct wm_map_line *at = &function->map->block[block].decision;
	const struct wm_source_origin origin = {function->object->path, function->module};
	size_t length;
	if (!at->line || at->file >= function->module->file_count)
		return wm_xprintf("block %u", block);
	const char *line =
		sources ? wm_source_line(sources, function->module->file[at->file], at->line, &origin, &length) : NULL;
	if (line)
		return squeezed(line, length);
	return wm_xprintf("line %+lld:%u", (long long)at->line - function->map->line, at->column);
}

static char *edge_label(const struct wm_story_function *function, uint32_t edge, struct wm_sources *sources)
{
	uint32_t block = function->map->graph.edge_from[edge];
	char outcome[WM_CONDITION_MAX + WM_OUTCOME_MAX], *text = decision_text(function, block, sources);
	struct wm_decision decision;
	wm_decision_tell(&decision, function, block, edge, sources);
	/* An outcome such as "to line 12" would change with the lines. */
	bool moves = strstr(decision.outcome, "line ") != NULL;
	uint32_t ordinal = edge - function->map->graph.first_edge[block];
	char *label = moves || !decision.outcome[0] ? wm_xprintf("%s: outcome %u", text, ordinal)
						    : wm_xprintf("%s: %s", text, wm_decision_text(&decision, outcome));
	free(text);
	return label;
}

/* Labels by their text, then by edge. */
struct named_edge {
	char *label;
	uint32_t edge;
};

static int by_name(const void *left, const void *right)
{
	const struct named_edge *a = left, *b = right;
	int order = strcmp(a->label, b->label);
	return order ? order : (a->edge > b->edge) - (a->edge < b->edge);
}

/* Makes the labels unique. */
static void number_labels(char **label, uint32_t count)
{
	struct named_edge *list = wm_xmalloc((count + 1) * sizeof *list);
	size_t used = 0;
	for (uint32_t e = 0; e < count; e++)
		if (label[e])
			list[used++] = (struct named_edge){label[e], e};
	qsort(list, used, sizeof *list, by_name);
	for (size_t i = 0, number = 1; i < used; i++) {
		number = i && strcmp(list[i].label, list[i - 1].label) == 0 ? number + 1 : 1;
		if (number > 1)
			label[list[i].edge] = wm_xprintf("%s #%zu", list[i].label, number);
	}
	for (size_t i = 0; i < used; i++)
		if (label[list[i].edge] != list[i].label)
			free(list[i].label);
	free(list);
}

char **wm_labels_make(const struct wm_story_function *function, struct wm_sources *sources)
{
	const struct wm_graph *graph = &function->map->graph;
	char **label = wm_xmalloc(((size_t)graph->edge_count + 1) * sizeof *label);
	for (uint32_t e = 0; e < graph->edge_count; e++) {
		uint32_t from = graph->edge_from[e];
		bool decides = graph->first_edge[from + 1] - graph->first_edge[from] > 1;
		label[e] = decides ? edge_label(function, e, sources) : NULL;
	}
	number_labels(label, graph->edge_count);
	return label;
}

void wm_labels_release(char **label, const struct wm_story_function *function)
{
	for (uint32_t e = 0; label && e < function->map->graph.edge_count; e++)
		free(label[e]);
	free(label);
}

uint64_t wm_labels_hash(char *const *label, const struct wm_story_function *function, uint64_t id, uint32_t edge)
{
	uint64_t hash = XXH3_64bits(function->map->name, strlen(function->map->name));
	struct wm_arena arena;
	struct wm_trail trail;
	if (edge != WM_NONE)
		return label[edge] ? XXH3_64bits_withSeed(label[edge], strlen(label[edge]), hash) : hash;
	wm_arena_init(&arena);
	wm_story_decode(function, id, &trail, &arena);
	hash = XXH3_64bits_withSeed(&trail.start, sizeof trail.start, hash);
	for (uint32_t i = 0; i < trail.count; i++) {
		const char *text = trail.step[i].edge != WM_NONE ? label[trail.step[i].edge] : NULL;
		if (text)
			hash = XXH3_64bits_withSeed(text, strlen(text), hash);
	}
	wm_arena_release(&arena);
	return hash;
}
