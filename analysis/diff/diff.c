/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/diff/diff.h"
#include "analysis/diff/statistics.h"
#include "support/tool.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Shares that differ by less are equal: they are sums of quotients. */
#define ROUNDING 1e-12

/* ---- The ways of all paths ------------------------------------------------------------------ */

static int by_words(const struct wm_diff_item *a, const struct wm_diff_item *b)
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
	const struct wm_diff_item *a = left, *b = right;
	int order = by_words(a, b);
	if (order)
		return order;
	if (a->side != b->side)
		return a->side < b->side ? -1 : 1;
	if (a->executions != b->executions)
		return a->executions > b->executions ? -1 : 1;
	return (a->path > b->path) - (a->path < b->path);
}

static uint64_t executions_of(const struct wm_diff_side *side, uint32_t path)
{
	uint64_t sum = 0;
	for (size_t i = side->first[path]; i < side->first[path + 1]; i++)
		sum = wm_sum(sum, side->count[i].count);
	return sum;
}

static size_t pair_of(const struct wm_diff_side *side, const size_t *pair, uint32_t path)
{
	return pair[side->suite.path[path].function - side->suite.story.function];
}

static struct wm_diff_item *list_items(struct wm_diff *diff, size_t *pair[WM_SIDES], size_t *count)
{
	size_t most = diff->side[WM_OLD].suite.path_count + diff->side[WM_NEW].suite.path_count;
	struct wm_diff_item *item = wm_xmalloc((most + 1) * sizeof *item);
	*count = 0;
	for (uint32_t s = 0; s < WM_SIDES; s++) {
		const struct wm_diff_side *side = &diff->side[s];
		for (uint32_t p = 0; p < side->suite.path_count; p++) {
			struct wm_diff_item *next = &item[(*count)++];
			*next = (struct wm_diff_item){.pair = pair_of(side, pair[s], p),
				.side = s,
				.path = p,
				.executions = executions_of(side, p)};
			wm_diff_find_way(diff, next, pair);
		}
	}
	if (*count)
		qsort(item, *count, sizeof *item, by_way);
	return item;
}

static void add_part(struct wm_diff *diff, struct wm_diff_way *way, const struct wm_diff_item *item, size_t count)
{
	uint32_t *path = WM_NEW(&diff->arena, uint32_t, count);
	struct wm_diff_part *part = &way->part[item->side];
	if (!path)
		wm_bug("out of memory");
	part->path = path;
	part->unmatched = item->unmatched;
	for (size_t i = 0; i < count; i++) {
		path[part->path_count++] = item[i].path;
		part->executions = wm_sum(part->executions, item[i].executions);
		way->code_changed |= item[i].code_changed;
	}
	way->code_changed |= count > 1;
}

static void collect_ways(struct wm_diff *diff, size_t *pair[WM_SIDES])
{
	size_t count;
	struct wm_diff_item *item = list_items(diff, pair, &count);
	diff->way = wm_xmalloc((count + 1) * sizeof *diff->way);
	for (size_t i = 0, end; i < count;) {
		struct wm_diff_way *way = &diff->way[diff->way_count++];
		*way = (struct wm_diff_way){.function = item[i].pair, .p = NAN, .q = NAN};
		for (size_t first = i; i < count && by_words(&item[first], &item[i]) == 0; i = end) {
			for (end = i + 1;
				end < count && by_words(&item[i], &item[end]) == 0 && item[end].side == item[i].side;
				end++)
				;
			add_part(diff, way, &item[i], end - i);
		}
	}
	free(item);
}

/* ---- Shares, and whether they differ --------------------------------------------------------- */

/* The share of the way in each run of a side. */
static void find_shares(const struct wm_diff_side *side, struct wm_diff_part *part, double *share)
{
	for (size_t r = 0; r < side->suite.test_count; r++)
		share[r] = 0;
	for (size_t i = 0; i < part->path_count; i++)
		for (size_t c = side->first[part->path[i]]; c < side->first[part->path[i] + 1]; c++) {
			const struct wm_diff_count *count = &side->count[c];
			share[count->run] += (double)count->count / (double)side->total[count->run];
		}
	for (size_t r = 0; r < side->suite.test_count; r++)
		part->runs += share[r] > 0;
}

static void sum_totals(struct wm_diff *diff)
{
	for (size_t w = 0; w < diff->way_count; w++)
		for (int s = 0; s < WM_SIDES; s++) {
			struct wm_diff_side *side = &diff->side[s];
			const struct wm_diff_part *part = &diff->way[w].part[s];
			for (size_t i = 0; i < part->path_count; i++)
				for (size_t c = side->first[part->path[i]]; c < side->first[part->path[i] + 1]; c++)
					side->total[side->count[c].run] =
						wm_sum(side->total[side->count[c].run], side->count[c].count);
			side->executions = wm_sum(side->executions, part->executions);
		}
}

static enum wm_change change_of(const struct wm_diff_way *way)
{
	const struct wm_diff_part *old = &way->part[WM_OLD], *new = &way->part[WM_NEW];
	if (!old->executions || !new->executions)
		return old->executions ? WM_CHANGE_VANISHED : WM_CHANGE_APPEARED;
	if (fabs(old->share - new->share) < ROUNDING)
		return WM_CHANGE_NONE;
	return new->share > old->share ? WM_CHANGE_HOTTER : WM_CHANGE_COLDER;
}

static void weigh_ways(struct wm_diff *diff)
{
	double *share[WM_SIDES], *p = wm_xmalloc((diff->way_count + 1) * sizeof *p);
	double *q = wm_xmalloc((diff->way_count + 1) * sizeof *q);
	for (int s = 0; s < WM_SIDES; s++)
		share[s] = wm_xmalloc((diff->side[s].suite.test_count + 1) * sizeof **share);
	for (size_t w = 0; w < diff->way_count; w++) {
		struct wm_diff_way *way = &diff->way[w];
		struct wm_sample sample[WM_SIDES];
		for (int s = 0; s < WM_SIDES; s++) {
			find_shares(&diff->side[s], &way->part[s], share[s]);
			sample[s] = wm_sample_of(share[s], diff->side[s].suite.test_count);
			way->part[s].share = sample[s].mean;
			diff->function[way->function].share[s] += sample[s].mean;
			diff->function[way->function].executions[s] =
				wm_sum(diff->function[way->function].executions[s], way->part[s].executions);
		}
		way->change = change_of(way);
		p[w] = way->p = wm_welch(&sample[WM_OLD], &sample[WM_NEW]);
	}
	wm_benjamini_hochberg(p, q, diff->way_count);
	for (size_t w = 0; w < diff->way_count; w++)
		diff->way[w].q = q[w];
	for (int s = 0; s < WM_SIDES; s++)
		free(share[s]);
	free(p);
	free(q);
}

static double difference(const struct wm_diff_way *way)
{
	return fabs(way->part[WM_NEW].share - way->part[WM_OLD].share);
}

bool wm_diff_differs(const struct wm_diff *diff, const struct wm_diff_way *way)
{
	const struct wm_diff_limits *limits = &diff->limits;
	if (way->part[WM_OLD].executions < limits->count && way->part[WM_NEW].executions < limits->count)
		return false;
	switch (way->change) {
	case WM_CHANGE_NONE:
	case WM_CHANGES:
		return false;
	case WM_CHANGE_APPEARED:
	case WM_CHANGE_VANISHED:
		return true;
	case WM_CHANGE_HOTTER:
	case WM_CHANGE_COLDER:
		break;
	}
	return difference(way) >= limits->change && (isnan(way->q) || way->q <= limits->q);
}

static void sum_up(struct wm_diff *diff)
{
	for (size_t w = 0; w < diff->way_count; w++) {
		const struct wm_diff_way *way = &diff->way[w];
		struct wm_diff_function *function = &diff->function[way->function];
		if (!wm_diff_differs(diff, way)) {
			diff->quiet += way->change != WM_CHANGE_NONE;
			continue;
		}
		diff->different++;
		diff->changes[way->change]++;
		function->changes[way->change]++;
		function->weight = fmax(function->weight, difference(way));
	}
	for (size_t f = 0; f < diff->function_count; f++)
		diff->graphs[diff->function[f].graph]++;
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

static void order_functions(struct wm_diff *diff)
{
	struct ordered *list = wm_xmalloc((diff->function_count + 1) * sizeof *list);
	size_t *place = wm_xmalloc((diff->function_count + 1) * sizeof *place);
	for (size_t i = 0; i < diff->function_count; i++)
		list[i] = (struct ordered){diff->function[i].weight, true, true, i};
	reorder(diff->function, sizeof *diff->function, list, diff->function_count);
	for (size_t i = 0; i < diff->function_count; i++)
		place[list[i].index] = i;
	for (size_t w = 0; w < diff->way_count; w++)
		diff->way[w].function = place[diff->way[w].function];
	free(place);
	free(list);
}

static void order_ways(struct wm_diff *diff)
{
	struct ordered *list = wm_xmalloc((diff->way_count + 1) * sizeof *list);
	for (size_t i = 0; i < diff->way_count; i++) {
		const struct wm_diff_way *way = &diff->way[i];
		list[i] = (struct ordered){
			difference(way), wm_diff_differs(diff, way), isnan(way->q) || way->q <= diff->limits.q, i};
	}
	reorder(diff->way, sizeof *diff->way, list, diff->way_count);
	free(list);
}

/* ---- What is left out -------------------------------------------------------------------------- */

static const char *const side_word[WM_SIDES] = {[WM_OLD] = "old", [WM_NEW] = "new"};

static void list_notes(struct wm_diff *diff)
{
	for (int s = 0; s < WM_SIDES; s++) {
		const struct wm_story *story = &diff->side[s].suite.story;
		for (size_t i = 0; i < story->note_count; i++) {
			WM_XGROW(diff->note, diff->note_count);
			diff->note[diff->note_count++] = wm_xprintf("%s: %s", side_word[s], story->note[i]);
		}
		for (size_t i = 0; i < story->refused_count; i++) {
			struct wm_story_refusal refusal = story->refused[i];
			WM_XGROW(diff->refused, diff->refused_count);
			refusal.name = wm_xstrdup(refusal.name);
			refusal.reason = wm_xprintf("%s: %s", side_word[s], refusal.reason);
			diff->refused[diff->refused_count++] = refusal;
		}
	}
}

/* Its paths of the other side have neither appeared nor vanished. */
static bool is_refused(const struct wm_diff_function *function)
{
	for (int s = 0; s < WM_SIDES; s++)
		if (function->function[s] &&
			(function->function[s]->state == WM_STORY_REFUSED || function->function[s]->records.stale))
			return true;
	return false;
}

/* Keeps the functions that are compared, and their ways: at first those that are not refused, and then, when everything is
 * weighed, those that ran and that the filter lets pass. */
static void choose(struct wm_diff *diff, const struct wm_function_filter *filter_or_null)
{
	size_t *place = wm_xmalloc((diff->function_count + 1) * sizeof *place), functions = 0, ways = 0;
	for (size_t f = 0; f < diff->function_count; f++) {
		const struct wm_diff_function *function = &diff->function[f];
		bool ran = function->executions[WM_OLD] || function->executions[WM_NEW];
		bool kept = filter_or_null ? ran && wm_filter_passes(filter_or_null, wm_diff_function(function))
					   : !is_refused(function);
		place[f] = kept ? functions++ : SIZE_MAX;
		if (kept)
			diff->function[place[f]] = *function;
	}
	for (size_t w = 0; w < diff->way_count; w++) {
		size_t at = place[diff->way[w].function];
		if (at == SIZE_MAX)
			continue;
		diff->way[ways] = diff->way[w];
		diff->way[ways++].function = at;
	}
	diff->function_count = functions;
	diff->way_count = ways;
	free(place);
}

/* ---- The comparison ----------------------------------------------------------------------------- */

void wm_diff_build(struct wm_diff *diff, const struct wm_operands *operands, const char *debug_dir, bool any_program,
	const struct wm_function_filter *filter)
{
	size_t *pair[WM_SIDES];
	wm_arena_init(&diff->arena);
	wm_diff_load(diff, operands, debug_dir, any_program);
	diff->tested = diff->side[WM_OLD].suite.test_count > 1 && diff->side[WM_NEW].suite.test_count > 1;
	for (int s = 0; s < WM_SIDES; s++)
		pair[s] = wm_xmalloc((diff->side[s].suite.story.function_count + 1) * sizeof **pair);
	wm_diff_pair(diff, pair);
	collect_ways(diff, pair);
	choose(diff, NULL);
	sum_totals(diff);
	weigh_ways(diff);
	choose(diff, filter);
	sum_up(diff);
	order_functions(diff);
	order_ways(diff);
	list_notes(diff);
	for (int s = 0; s < WM_SIDES; s++)
		free(pair[s]);
}

void wm_diff_release(struct wm_diff *diff)
{
	for (size_t i = 0; i < diff->refused_count; i++) {
		free(diff->refused[i].name);
		free(diff->refused[i].reason);
	}
	for (size_t i = 0; i < diff->note_count; i++)
		free(diff->note[i]);
	free(diff->note);
	free(diff->refused);
	free(diff->function);
	free(diff->way);
	wm_arena_release(&diff->arena);
	wm_diff_unload(diff);
}

int wm_diff_shown(const struct wm_diff_way *way)
{
	return way->part[WM_NEW].path_count ? WM_NEW : WM_OLD;
}

const struct wm_suite_path *wm_diff_path(const struct wm_diff *diff, const struct wm_diff_way *way, int side)
{
	return &diff->side[side].suite.path[way->part[side].path[0]];
}

const struct wm_story_function *wm_diff_function(const struct wm_diff_function *function)
{
	return function->function[function->function[WM_NEW] ? WM_NEW : WM_OLD];
}

const char *wm_change_text(enum wm_change change)
{
	static const char *const text[WM_CHANGES] = {[WM_CHANGE_NONE] = "same",
		[WM_CHANGE_APPEARED] = "appeared",
		[WM_CHANGE_VANISHED] = "vanished",
		[WM_CHANGE_HOTTER] = "hotter",
		[WM_CHANGE_COLDER] = "colder"};
	return text[change];
}

char *wm_diff_graph_text(const struct wm_diff_function *function)
{
	switch (function->graph) {
	case WM_GRAPH_SAME:
		return wm_xstrdup("unchanged graph");
	case WM_GRAPH_ONLY_OLD:
		return wm_xstrdup("only in old");
	case WM_GRAPH_ONLY_NEW:
		return wm_xstrdup("only in new");
	case WM_GRAPH_CHANGED:
		break;
	}
	return wm_xprintf("changed, %u of %u blocks matched", function->match.matched,
		function->function[WM_NEW]->map->graph.block_count);
}
