/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/sides/delta.h"
#include "analysis/sides/statistics.h"
#include "support/fail.h"
#include "support/xalloc.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Shares that differ by less are equal: they are sums of quotients. */
#define ROUNDING 1e-12

/* ---- The ways of all paths ------------------------------------------------------------------ */

static int by_words(const struct wm_delta_item *a, const struct wm_delta_item *b)
{
	if (a->pair != b->pair)
		return a->pair < b->pair ? -1 : 1;
	if (a->word_count != b->word_count)
		return a->word_count < b->word_count ? -1 : 1;
	return memcmp(a->word, b->word, a->word_count * sizeof *a->word);
}

/* Paths of a way: those of the old side first, the hottest of each side first. */
static int by_way(const void *left, const void *right)
{
	const struct wm_delta_item *a = left, *b = right;
	int order = by_words(a, b);
	if (order)
		return order;
	if (a->side != b->side)
		return a->side < b->side ? -1 : 1;
	if (a->executions != b->executions)
		return a->executions > b->executions ? -1 : 1;
	return (a->path > b->path) - (a->path < b->path);
}

static uint64_t executions_of(const struct wm_delta_side *side, uint32_t path)
{
	uint64_t sum = 0;
	for (size_t i = side->first[path]; i < side->first[path + 1]; i++)
		sum = wm_sum(sum, side->count[i].count);
	return sum;
}

static size_t pair_of(const struct wm_delta_side *side, const size_t *pair, uint32_t path)
{
	return pair[side->suite.path[path].function - side->suite.story.function];
}

static struct wm_delta_item *list_items(struct wm_delta *delta, size_t *pair[WM_SIDES], size_t *count)
{
	size_t most = delta->side[WM_OLD].suite.path_count + delta->side[WM_NEW].suite.path_count;
	struct wm_delta_item *item = wm_xmalloc((most + 1) * sizeof *item);
	*count = 0;
	for (uint32_t s = 0; s < WM_SIDES; s++) {
		const struct wm_delta_side *side = &delta->side[s];
		for (uint32_t p = 0; p < side->suite.path_count; p++) {
			struct wm_delta_item *next = &item[(*count)++];
			*next = (struct wm_delta_item){.pair = pair_of(side, pair[s], p),
				.side = s,
				.path = p,
				.executions = executions_of(side, p)};
			wm_delta_find_way(delta, next, pair);
		}
	}
	if (*count)
		qsort(item, *count, sizeof *item, by_way);
	return item;
}

static void add_part(struct wm_delta *delta, struct wm_delta_way *way, const struct wm_delta_item *item, size_t count)
{
	uint32_t *path = WM_NEW(&delta->arena, uint32_t, count);
	struct wm_delta_part *part = &way->part[item->side];
	if (!path)
		wm_no_memory();
	part->path = path;
	part->unmatched = item->unmatched;
	for (size_t i = 0; i < count; i++) {
		path[part->path_count++] = item[i].path;
		part->executions = wm_sum(part->executions, item[i].executions);
		way->code_changed |= item[i].code_changed;
	}
	way->code_changed |= count > 1;
}

static void collect_ways(struct wm_delta *delta, size_t *pair[WM_SIDES])
{
	size_t count;
	struct wm_delta_item *item = list_items(delta, pair, &count);
	delta->way = wm_xmalloc((count + 1) * sizeof *delta->way);
	for (size_t i = 0, end; i < count;) {
		struct wm_delta_way *way = &delta->way[delta->way_count++];
		*way = (struct wm_delta_way){.function = item[i].pair, .p = NAN, .q = NAN};
		for (size_t first = i; i < count && by_words(&item[first], &item[i]) == 0; i = end) {
			for (end = i + 1;
				end < count && by_words(&item[i], &item[end]) == 0 && item[end].side == item[i].side;
				end++)
				;
			add_part(delta, way, &item[i], end - i);
		}
	}
	free(item);
}

/* ---- Shares, and whether they differ --------------------------------------------------------- */

/* The share of the way in each run of a side. */
static void find_shares(const struct wm_delta_side *side, struct wm_delta_part *part, double *share)
{
	for (size_t r = 0; r < side->suite.test_count; r++)
		share[r] = 0;
	for (size_t i = 0; i < part->path_count; i++)
		for (size_t c = side->first[part->path[i]]; c < side->first[part->path[i] + 1]; c++) {
			const struct wm_delta_count *count = &side->count[c];
			share[count->run] += (double)count->count / (double)side->total[count->run];
		}
	for (size_t r = 0; r < side->suite.test_count; r++)
		part->runs += share[r] > 0;
}

static void sum_totals(struct wm_delta *delta)
{
	for (size_t w = 0; w < delta->way_count; w++)
		for (int s = 0; s < WM_SIDES; s++) {
			struct wm_delta_side *side = &delta->side[s];
			const struct wm_delta_part *part = &delta->way[w].part[s];
			for (size_t i = 0; i < part->path_count; i++)
				for (size_t c = side->first[part->path[i]]; c < side->first[part->path[i] + 1]; c++)
					side->total[side->count[c].run] =
						wm_sum(side->total[side->count[c].run], side->count[c].count);
			side->executions = wm_sum(side->executions, part->executions);
		}
}

static enum wm_delta_change change_of(const struct wm_delta_way *way)
{
	const struct wm_delta_part *old = &way->part[WM_OLD], *new = &way->part[WM_NEW];
	if (!old->executions || !new->executions)
		return old->executions ? WM_DELTA_VANISHED : WM_DELTA_APPEARED;
	if (fabs(old->share - new->share) < ROUNDING)
		return WM_DELTA_NONE;
	return new->share > old->share ? WM_DELTA_HOTTER : WM_DELTA_COLDER;
}

static void weigh_ways(struct wm_delta *delta)
{
	double *share[WM_SIDES], *p = wm_xmalloc((delta->way_count + 1) * sizeof *p);
	double *q = wm_xmalloc((delta->way_count + 1) * sizeof *q);
	for (int s = 0; s < WM_SIDES; s++)
		share[s] = wm_xmalloc((delta->side[s].suite.test_count + 1) * sizeof **share);
	for (size_t w = 0; w < delta->way_count; w++) {
		struct wm_delta_way *way = &delta->way[w];
		struct wm_sample sample[WM_SIDES];
		for (int s = 0; s < WM_SIDES; s++) {
			find_shares(&delta->side[s], &way->part[s], share[s]);
			sample[s] = wm_sample_of(share[s], delta->side[s].suite.test_count);
			way->part[s].share = sample[s].mean;
			delta->function[way->function].share[s] += sample[s].mean;
			delta->function[way->function].executions[s] =
				wm_sum(delta->function[way->function].executions[s], way->part[s].executions);
		}
		way->change = change_of(way);
		p[w] = way->p = wm_welch(&sample[WM_OLD], &sample[WM_NEW]);
	}
	wm_benjamini_hochberg(p, q, delta->way_count);
	for (size_t w = 0; w < delta->way_count; w++)
		delta->way[w].q = q[w];
	for (int s = 0; s < WM_SIDES; s++)
		free(share[s]);
	free(p);
	free(q);
}

static double difference(const struct wm_delta_way *way)
{
	return fabs(way->part[WM_NEW].share - way->part[WM_OLD].share);
}

bool wm_delta_differs(const struct wm_delta *delta, const struct wm_delta_way *way)
{
	const struct wm_delta_limits *limits = &delta->limits;
	if (way->part[WM_OLD].executions < limits->count && way->part[WM_NEW].executions < limits->count)
		return false;
	switch (way->change) {
	case WM_DELTA_NONE:
	case WM_DELTA_CHANGES:
		return false;
	case WM_DELTA_APPEARED:
	case WM_DELTA_VANISHED:
		return true;
	case WM_DELTA_HOTTER:
	case WM_DELTA_COLDER:
		break;
	}
	return difference(way) >= limits->change && (isnan(way->q) || way->q <= limits->q);
}

static void sum_up(struct wm_delta *delta)
{
	for (size_t w = 0; w < delta->way_count; w++) {
		const struct wm_delta_way *way = &delta->way[w];
		struct wm_delta_function *function = &delta->function[way->function];
		if (!wm_delta_differs(delta, way)) {
			delta->quiet += way->change != WM_DELTA_NONE;
			continue;
		}
		delta->different++;
		delta->changes[way->change]++;
		function->changes[way->change]++;
		function->weight = fmax(function->weight, difference(way));
	}
	for (size_t f = 0; f < delta->function_count; f++)
		delta->graphs[delta->function[f].graph]++;
}

/* ---- Order ------------------------------------------------------------------------------------ */

struct ordered {
	double weight;
	bool differs, significant;
	size_t index;
};

static int by_weight(const void *left, const void *right)
{
	const struct ordered *a = left, *b = right;
	if (a->differs != b->differs)
		return a->differs ? -1 : 1;
	if (a->significant != b->significant)
		return a->significant ? -1 : 1;
	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	return (a->index > b->index) - (a->index < b->index);
}

/* Moves the elements, of `size` bytes, into the order of the list. */
static void reorder(void *array, size_t size, struct ordered *list, size_t count)
{
	char *copy = wm_xmalloc((count + 1) * size);
	if (count)
		qsort(list, count, sizeof *list, by_weight);
	for (size_t i = 0; i < count; i++)
		memcpy(copy + i * size, (char *)array + list[i].index * size, size);
	memcpy(array, copy, count * size);
	free(copy);
}

static void order_functions(struct wm_delta *delta)
{
	struct ordered *list = wm_xmalloc((delta->function_count + 1) * sizeof *list);
	size_t *place = wm_xmalloc((delta->function_count + 1) * sizeof *place);
	for (size_t i = 0; i < delta->function_count; i++)
		list[i] = (struct ordered){delta->function[i].weight, true, true, i};
	reorder(delta->function, sizeof *delta->function, list, delta->function_count);
	for (size_t i = 0; i < delta->function_count; i++)
		place[list[i].index] = i;
	for (size_t w = 0; w < delta->way_count; w++)
		delta->way[w].function = place[delta->way[w].function];
	free(place);
	free(list);
}

static void order_ways(struct wm_delta *delta)
{
	struct ordered *list = wm_xmalloc((delta->way_count + 1) * sizeof *list);
	for (size_t i = 0; i < delta->way_count; i++) {
		const struct wm_delta_way *way = &delta->way[i];
		list[i] = (struct ordered){
			difference(way), wm_delta_differs(delta, way), isnan(way->q) || way->q <= delta->limits.q, i};
	}
	reorder(delta->way, sizeof *delta->way, list, delta->way_count);
	free(list);
}

/* ---- What is left out -------------------------------------------------------------------------- */

static void list_notes(struct wm_delta *delta)
{
	for (int s = 0; s < WM_SIDES; s++) {
		const struct wm_story *story = &delta->side[s].suite.story;
		for (size_t i = 0; i < story->note_count; i++) {
			WM_XGROW(delta->note, delta->note_count);
			delta->note[delta->note_count++] = wm_xprintf("%s: %s", delta->name[s], story->note[i]);
		}
		for (size_t i = 0; i < story->refused_count; i++) {
			struct wm_story_refusal refusal = story->refused[i];
			WM_XGROW(delta->refused, delta->refused_count);
			refusal.name = wm_xstrdup(refusal.name);
			refusal.reason = wm_xprintf("%s: %s", delta->name[s], refusal.reason);
			delta->refused[delta->refused_count++] = refusal;
		}
	}
}

static bool is_blind(const struct wm_delta_function *function)
{
	return function->match.blind[WM_OLD] || function->match.blind[WM_NEW];
}

/* Refuses the functions whose graph has changed and whose source is not at hand. */
static void refuse_blind(struct wm_delta *delta)
{
	for (size_t f = 0; f < delta->function_count; f++) {
		const struct wm_delta_function *function = &delta->function[f];
		const struct wm_story_function *shown = wm_delta_function(function);
		if (!is_blind(function))
			continue;
		int side = function->match.blind[WM_OLD] ? WM_OLD : WM_NEW;
		char *reason = wm_xprintf("its graph has changed, and its source files of the %s build are not at hand "
					  "as they were compiled; %s names a directory with them",
			delta->name[side], delta->source_option[side]);
		WM_XGROW(delta->refused, delta->refused_count);
		delta->refused[delta->refused_count++] = (struct wm_story_refusal){
			wm_xstrdup(shown->map->name), reason, shown->object->path, shown->program, shown->map->key};
	}
}

/* Its paths of the other side have neither appeared nor vanished. */
static bool is_refused(const struct wm_delta_function *function)
{
	if (is_blind(function))
		return true;
	for (int s = 0; s < WM_SIDES; s++)
		if (function->function[s] &&
			(function->function[s]->state == WM_STORY_REFUSED || function->function[s]->records.stale))
			return true;
	return false;
}

/* Keeps the functions that are compared, and their ways: at first those that are not refused, and then, when everything is
 * weighed, those that ran and that the filter lets pass. */
static void choose(struct wm_delta *delta, const struct wm_function_filter *filter_or_null)
{
	size_t *place = wm_xmalloc((delta->function_count + 1) * sizeof *place), functions = 0, ways = 0;
	for (size_t f = 0; f < delta->function_count; f++) {
		const struct wm_delta_function *function = &delta->function[f];
		bool ran = function->executions[WM_OLD] || function->executions[WM_NEW];
		bool kept = filter_or_null ? ran && wm_filter_passes(filter_or_null, wm_delta_function(function))
					   : !is_refused(function);
		place[f] = kept ? functions++ : SIZE_MAX;
		if (kept)
			delta->function[place[f]] = *function;
	}
	for (size_t w = 0; w < delta->way_count; w++) {
		size_t at = place[delta->way[w].function];
		if (at == SIZE_MAX)
			continue;
		delta->way[ways] = delta->way[w];
		delta->way[ways++].function = at;
	}
	delta->function_count = functions;
	delta->way_count = ways;
	free(place);
}

/* Before the functions are chosen. */
static void keep_pairs(struct wm_delta *delta, size_t *const pair[WM_SIDES])
{
	struct wm_delta_pairs *pairs = &delta->pairs;
	*pairs = (struct wm_delta_pairs){.count = delta->function_count,
		.pair = wm_xmalloc((delta->function_count + 1) * sizeof *pairs->pair),
		.refused = wm_xmalloc((delta->function_count + 1) * sizeof *pairs->refused)};
	for (size_t i = 0; i < pairs->count; i++) {
		pairs->pair[i] = delta->function[i];
		pairs->refused[i] = is_refused(&delta->function[i]);
	}
	for (int s = 0; s < WM_SIDES; s++)
		pairs->of[s] = pair[s];
}

static void release_pairs(struct wm_delta_pairs *pairs)
{
	free(pairs->pair);
	free(pairs->refused);
	for (int s = 0; s < WM_SIDES; s++)
		free(pairs->of[s]);
}

/* ---- The comparison ----------------------------------------------------------------------------- */

void wm_delta_build(struct wm_delta *delta, const struct wm_operands *operands, const char *debug_dir, bool any_program,
	const struct wm_function_filter *filter)
{
	size_t *pair[WM_SIDES];
	wm_arena_init(&delta->arena);
	wm_delta_load(delta, operands, debug_dir, any_program);
	for (int s = 0; s < WM_SIDES && filter && filter->scope; s++)
		wm_scope_add(filter->scope, delta->side[s].binaries.object, delta->side[s].binaries.count);
	delta->tested = delta->side[WM_OLD].suite.test_count > 1 && delta->side[WM_NEW].suite.test_count > 1;
	for (int s = 0; s < WM_SIDES; s++)
		pair[s] = wm_xmalloc((delta->side[s].suite.story.function_count + 1) * sizeof **pair);
	wm_delta_pair(delta, pair);
	collect_ways(delta, pair);
	refuse_blind(delta);
	keep_pairs(delta, pair);
	choose(delta, NULL);
	sum_totals(delta);
	weigh_ways(delta);
	choose(delta, filter);
	sum_up(delta);
	order_functions(delta);
	order_ways(delta);
	list_notes(delta);
}

void wm_delta_release(struct wm_delta *delta)
{
	for (size_t i = 0; i < delta->refused_count; i++) {
		free(delta->refused[i].name);
		free(delta->refused[i].reason);
	}
	for (size_t i = 0; i < delta->note_count; i++)
		free(delta->note[i]);
	free(delta->note);
	free(delta->refused);
	release_pairs(&delta->pairs);
	free(delta->function);
	free(delta->way);
	wm_arena_release(&delta->arena);
	wm_delta_unload(delta);
}

int wm_delta_shown(const struct wm_delta_way *way)
{
	return way->part[WM_NEW].path_count ? WM_NEW : WM_OLD;
}

const struct wm_suite_path *wm_delta_path(const struct wm_delta *delta, const struct wm_delta_way *way, int side)
{
	return &delta->side[side].suite.path[way->part[side].path[0]];
}

const struct wm_story_function *wm_delta_function(const struct wm_delta_function *function)
{
	return function->function[function->function[WM_NEW] ? WM_NEW : WM_OLD];
}

const char *wm_delta_change_text(enum wm_delta_change change)
{
	static const char *const text[WM_DELTA_CHANGES] = {[WM_DELTA_NONE] = "same",
		[WM_DELTA_APPEARED] = "appeared",
		[WM_DELTA_VANISHED] = "vanished",
		[WM_DELTA_HOTTER] = "hotter",
		[WM_DELTA_COLDER] = "colder"};
	return text[change];
}

char *wm_delta_graph_text(const struct wm_delta_function *function)
{
	switch (function->graph) {
	case WM_DELTA_SAME:
		return wm_xstrdup("unchanged graph");
	case WM_DELTA_ONLY_OLD:
		return wm_xstrdup("only in old");
	case WM_DELTA_ONLY_NEW:
		return wm_xstrdup("only in new");
	case WM_DELTA_CHANGED:
		break;
	}
	return wm_xprintf("changed, %u of %u blocks matched", function->match.matched,
		function->function[WM_NEW]->map->graph.block_count);
}
