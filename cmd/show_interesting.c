/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * waymark show --interesting: prints how densely the paths of a profile can be numbered, per function (delta in the
 * papers).
 */
#include "analysis/join/operands.h"
#include "cmd/cmd_show.h"
#include "core/preferential/linear.h"
#include "core/preferential/pack.h"
#include "support/fail.h"
#include "view/document/json_elements.h"
#include <math.h>

struct density {
	const struct wm_story_function *function;
	uint32_t paths;
	double acyclic, published, linear;
	unsigned register_bits; /* 0: two registers */
};

struct totals {
	size_t functions, paths;
	double acyclic, published, linear; /* sums of logarithms */
	size_t perfect_published, perfect_linear;
};

void wm_show_refuse_across(const struct wm_story *story, const char *option)
{
	for (size_t i = 0; i < story->function_count; i++)
		if (wm_story_crosses_calls(&story->function[i]) && story->function[i].state == WM_STORY_RAN)
			wm_fail("%s needs a profile whose paths stay in one function, and those of %s cross calls; "
				"give a "
				"profile of a build without -fwaymark-scheme=%s",
				option, story->function[i].display, wm_story_plan(&story->function[i])->scheme->name);
}

/* The set of executed paths.  function->path is ordered by count, not by id. */
static void ran_set(struct wm_path_set *set, const struct wm_story_function *function, struct wm_arena *arena)
{
	uint64_t *id = WM_NEW(arena, uint64_t, function->ran_count);
	if (!id)
		wm_no_memory();
	for (size_t i = 0; i < function->ran_count; i++)
		id[i] = function->path[i].id;
	if (wm_path_set_make(set, wm_story_plan(function), id, function->ran_count, arena) != WM_OK)
		wm_bug("function '%s' ran paths that it does not have", function->map->name);
}

/* False: the function has too many paths for a preferential numbering, or names them by their pieces. */
static bool measure(struct density *density, const struct wm_story_function *function, struct wm_arena *arena)
{
	struct wm_path_set set;
	struct wm_preferential published, linear;
	struct wm_pack pack;
	if (wm_plan_has_pieces(wm_story_plan(function)))
		return false;
	ran_set(&set, function, arena);
	if (wm_preferential_published(&published, wm_story_plan(function), &set, arena) != WM_OK ||
		wm_preferential_linear(&linear, wm_story_plan(function), &set, arena) != WM_OK)
		return false;
	bool fits = wm_pack_make(&pack, wm_story_plan(function), &linear, WM_PACK_LIMIT, arena) == WM_OK;
	*density = (struct density){
		function, set.count, linear.acyclic_delta, published.delta, linear.delta, fits ? pack.width : 0};
	return true;
}

static void add_density(struct totals *totals, const struct density *density)
{
	totals->functions++;
	totals->paths += density->paths;
	totals->acyclic += log(density->acyclic);
	totals->published += log(density->published);
	totals->linear += log(density->linear);
	totals->perfect_published += density->published == 1;
	totals->perfect_linear += density->linear == 1;
}

static double mean(const struct totals *totals, double sum)
{
	return totals->functions ? exp(sum / (double)totals->functions) : 1;
}

static void print_row(const struct density *density)
{
	printf("%12s %8u %12.6g %12.6g %12.6g %9u  %s\n", wm_possible_text(density->function), density->paths,
		density->acyclic, density->published, density->linear, density->register_bits,
		density->function->brief);
}

static void print_totals(const struct totals *totals)
{
	printf("\n%zu functions, %zu paths; delta, geometric means: acyclic %.4f, published %.4f, linear %.4f; "
	       "delta 1: published %zu, linear %zu\n",
		totals->functions, totals->paths, mean(totals, totals->acyclic), mean(totals, totals->published),
		mean(totals, totals->linear), totals->perfect_published, totals->perfect_linear);
}

static json_t *row_json(const struct density *density)
{
	json_t *object = json_object();
	json_object_set_new(object, "name", wm_json_text(density->function->map->name));
	wm_json_possible(object, density->function);
	json_object_set_new(object, "interesting", json_integer(density->paths));
	json_object_set_new(object, "acyclic_delta", json_real(density->acyclic));
	json_object_set_new(object, "published_delta", json_real(density->published));
	json_object_set_new(object, "delta", json_real(density->linear));
	json_object_set_new(object, "register_bits", json_integer(density->register_bits));
	return object;
}

static json_t *totals_json(const struct totals *totals)
{
	json_t *object = json_object();
	json_object_set_new(object, "functions", json_integer((json_int_t)totals->functions));
	json_object_set_new(object, "paths", json_integer((json_int_t)totals->paths));
	json_object_set_new(object, "acyclic_delta", json_real(mean(totals, totals->acyclic)));
	json_object_set_new(object, "published_delta", json_real(mean(totals, totals->published)));
	json_object_set_new(object, "delta", json_real(mean(totals, totals->linear)));
	json_object_set_new(object, "published_perfect", json_integer((json_int_t)totals->perfect_published));
	json_object_set_new(object, "perfect", json_integer((json_int_t)totals->perfect_linear));
	return object;
}

/* `json` is NULL for text output. */
static void show_densities(
	const struct wm_story *story, const struct wm_report_options *options, json_t *list, struct totals *totals)
{
	for (size_t i = 0; i < story->function_count; i++) {
		const struct wm_story_function *function = &story->function[i];
		struct density density;
		struct wm_arena arena;
		if (function->state != WM_STORY_RAN || !function->ran_count ||
			!wm_filter_passes(&options->filter, function))
			continue;
		wm_arena_init(&arena);
		if (measure(&density, function, &arena)) {
			add_density(totals, &density);
			if (list)
				json_array_append_new(list, row_json(&density));
			else
				print_row(&density);
		}
		wm_arena_release(&arena);
	}
}

void wm_show_interesting(
	char *profile_path, struct wm_object *objects, size_t object_count, const struct wm_report_options *options)
{
	struct wm_profile profile;
	struct wm_story story;
	struct totals totals = {0};
	wm_profile_init(&profile);
	wm_profile_need(&profile, &profile_path, 1);
	profile.any_program |= options->any_program;
	wm_story_build(&story, WM_STORY_OF_TESTS, &profile, objects, object_count);
	wm_story_need_match(&story, "the profile");
	wm_show_refuse_across(&story, "--interesting");
	if (options->json) {
		json_t *document = wm_json_document("show"), *list = json_array();
		show_densities(&story, options, list, &totals);
		json_object_set_new(document, "functions", list);
		json_object_set_new(document, "summary", totals_json(&totals));
		wm_json_print(document);
	} else {
		printf("%12s %8s %12s %12s %12s %9s  function\n", "paths", "of these", "acyclic", "published", "linear",
			"register");
		show_densities(&story, options, NULL, &totals);
		print_totals(&totals);
	}
	wm_story_release(&story);
	wm_profile_release(&profile);
}
