/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/untested/trend.h"
#include "analysis/join/story_checks.h"
#include "analysis/untested/gaps.h"
#include "core/graph/graph.h"
#include "support/fail.h"
#include "support/xalloc.h"
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* ---- Sets ----------------------------------------------------------------------------------- */

static int by_place(const void *left, const void *right)
{
	const struct wm_trend_element *a = left, *b = right;
	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	if (a->graph != b->graph)
		return a->graph < b->graph ? -1 : 1;
	return (a->item > b->item) - (a->item < b->item);
}

/* Commits may have other instances of a template, and therefore another one that represents it. */
static uint64_t key_of(const struct wm_story_function *function)
{
	return function->instances.count ? XXH3_64bits(function->display, strlen(function->display))
					 : function->map->key;
}

static void add(struct wm_trend_set *set, const struct wm_story_function *function, uint64_t item)
{
	WM_XGROW(set->element, set->count);
	set->element[set->count++] = (struct wm_trend_element){key_of(function), wm_story_hash(function), item};
}

static void sort(struct wm_trend_set *set)
{
	if (set->count)
		qsort(set->element, set->count, sizeof *set->element, by_place);
}

static bool has_function(const struct wm_trend_set *functions, const struct wm_trend_element *element)
{
	const struct wm_trend_element wanted = {element->key, element->graph, 0};
	return functions->count &&
	       bsearch(&wanted, functions->element, functions->count, sizeof wanted, by_place) != NULL;
}

/* Counts the elements of a set that the other one lacks, by whether the other commit has their functions. */
static void count_missing(const struct wm_trend_set *set, const struct wm_trend_set *other,
	const struct wm_trend_set *functions, uint64_t *same_code, uint64_t *other_code)
{
	for (size_t i = 0, k = 0; i < set->count; i++) {
		int order = -1;
		while (k < other->count && (order = by_place(&set->element[i], &other->element[k])) > 0)
			k++;
		if (k < other->count && !order)
			k++;
		else
			++*(has_function(functions, &set->element[i]) ? same_code : other_code);
	}
}

static struct wm_trend_change compare(const struct wm_trend_set *before, const struct wm_trend_set *before_functions,
	const struct wm_trend_set *now, const struct wm_trend_set *functions)
{
	struct wm_trend_change change = {0};
	count_missing(now, before, before_functions, &change.fresh, &change.added);
	count_missing(before, now, functions, &change.closed, &change.removed);
	return change;
}

static void release_sets(struct wm_trend_sets *sets)
{
	free(sets->functions.element);
	free(sets->untested.element);
	free(sets->paths.element);
	*sets = (struct wm_trend_sets){0};
}

/* ---- One commit ----------------------------------------------------------------------------- */

/* All outcomes of a function that no test enters are untested. */
static uint64_t add_never(struct wm_trend_sets *sets, const struct wm_story_function *function)
{
	const struct wm_graph *graph = &function->map->graph;
	struct wm_arena arena;
	struct wm_dfs dfs;
	size_t before = sets->untested.count;
	wm_arena_init(&arena);
	if (wm_dfs_run(&dfs, graph, &arena) != WM_OK)
		wm_no_memory();
	for (uint32_t i = 0; i < dfs.reached; i++) {
		uint32_t block = dfs.reverse_postorder[i], end = graph->first_edge[block + 1];
		for (uint32_t e = graph->first_edge[block]; e < end; e++)
			if (wm_story_is_outcome(function, e))
				add(&sets->untested, function, e);
	}
	wm_arena_release(&arena);
	return sets->untested.count - before;
}

static void collect(struct wm_trend_commit *commit, struct wm_trend_sets *sets, const struct wm_gaps *gaps)
{
	const struct wm_suite *suite = gaps->suite;
	for (size_t i = 0; i < gaps->count; i++) {
		const struct wm_gap_function *f = &gaps->function[i];
		add(&sets->functions, f->base.field, 0);
		for (size_t k = 0; k < f->outcomes.count; k++)
			add(&sets->untested, f->base.field, f->outcomes.gap[k].path.edge);
	}
	commit->outcomes = gaps->decisions;
	for (size_t i = 0; i < gaps->never_count; i++) {
		add(&sets->functions, gaps->never[i], 0);
		commit->outcomes += add_never(sets, gaps->never[i]);
	}
	for (size_t i = 0; i < suite->path_count; i++)
		add(&sets->paths, suite->path[i].function, suite->path[i].id);
	sort(&sets->functions);
	sort(&sets->untested);
	sort(&sets->paths);
	commit->functions = gaps->count + gaps->never_count;
	commit->entered = gaps->count;
	commit->refused = gaps->refused_count;
	commit->unknown = gaps->unknown_outcomes;
	commit->untested = sets->untested.count;
	commit->paths = sets->paths.count;
}

/* Which binaries wrote the profiles of the suite; false: none. */
static bool choose(const struct wm_suite *suite, const struct wm_binaries *binaries, bool *chosen)
{
	bool any = false;
	for (size_t i = 0; i < binaries->count; i++)
		for (size_t k = 0; k < suite->profile.object_count; k++)
			any |= chosen[i] |= wm_object_is_build(&binaries->object[i], &suite->profile.object[k]);
	return any;
}

static void find(struct wm_trend_commit *commit, struct wm_trend_sets *sets, struct wm_suite *suite,
	struct wm_binaries *binaries)
{
	const struct wm_project_file *file = wm_scope_project_file(suite->only->scope);
	const bool whole = !file || suite->only->scope->mode == WM_SCOPE_ALL;
	const uint8_t checks = WM_CHECKS_LEFT_OUT | (whole ? 0 : file->checks);
	const struct wm_gap_question question = {
		.level = WM_GAP_EDGE, .filter = suite->only, .no_throw = checks & WM_CHECK_THROW};
	struct wm_gaps gaps;
	wm_suite_join(suite, WM_STORY_OF_TESTS | WM_STORY_TEMPLATES, binaries->object, binaries->count, false);
	wm_story_leave_out(&suite->story, checks);
	wm_gaps_find(&gaps, suite, &question);
	collect(commit, sets, &gaps);
	wm_unscoped_add(&commit->left_out, suite->only, &suite->story);
	wm_gaps_release(&gaps);
}

/* ---- All commits ---------------------------------------------------------------------------- */

static void compare_with_before(
	struct wm_trend *trend, struct wm_trend_commit *commit, const struct wm_trend_sets *sets)
{
	const struct wm_trend_sets *before = &trend->before;
	if (trend->has_before) {
		commit->untested_change =
			compare(&before->untested, &before->functions, &sets->untested, &sets->functions);
		commit->path_change = compare(&before->paths, &before->functions, &sets->paths, &sets->functions);
	}
	commit->compared = trend->has_before;
	release_sets(&trend->before);
	trend->before = *sets;
	trend->has_before = true;
}

void wm_trend_add(struct wm_trend *trend, const char *name, int64_t first, const char *profiles,
	const struct wm_binaries *binaries, const char *debug_dir)
{
	struct wm_scope scope = {.mode = trend->scope};
	const struct wm_function_filter filter = {.scope = &scope};
	struct wm_suite suite = {.only = &filter};
	struct wm_trend_sets sets = {0};
	struct wm_trend_commit commit = {.name = wm_xstrdup(name), .first = first};
	bool *chosen = wm_xmalloc(binaries->count + 1);
	memset(chosen, 0, binaries->count + 1);
	wm_suite_add(&suite, profiles);
	wm_suite_read(&suite);
	commit.tests = suite.test_count;
	commit.known = choose(&suite, binaries, chosen);
	if (commit.known) {
		struct wm_binaries own;
		wm_binaries_choose(&own, binaries, chosen, debug_dir);
		wm_scope_add(&scope, own.object, own.count);
		find(&commit, &sets, &suite, &own);
		compare_with_before(trend, &commit, &sets);
		wm_suite_release(&suite);
		wm_binaries_release(&own);
	} else {
		wm_suite_release(&suite);
	}
	wm_scope_release(&scope);
	free(chosen);
	WM_XGROW(trend->commit, trend->count);
	trend->commit[trend->count++] = commit;
}

void wm_trend_release(struct wm_trend *trend)
{
	for (size_t i = 0; i < trend->count; i++)
		free(trend->commit[i].name);
	free(trend->commit);
	release_sets(&trend->before);
	*trend = (struct wm_trend){0};
}

double wm_trend_share(const struct wm_trend_commit *commit)
{
	return commit->outcomes ? (double)(commit->outcomes - commit->untested) / (double)commit->outcomes : 1;
}

const struct wm_trend_commit *wm_trend_last(const struct wm_trend *trend)
{
	for (size_t i = trend->count; i-- > 0;)
		if (trend->commit[i].known)
			return &trend->commit[i];
	return NULL;
}
