/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "view/document/sites.h"
#include "analysis/segments/segment_names.h"
#include "analysis/tell/trails.h"
#include "support/fail.h"
#include "support/xalloc.h"
#include "view/document/view_options.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* How often each block was executed. */
static uint64_t *count_blocks(const struct wm_story_function *function)
{
	uint64_t *count = wm_xrealloc(NULL, function->map->graph.block_count + (size_t)1, sizeof *count);
	memset(count, 0, function->map->graph.block_count * sizeof *count);
	for (size_t i = 0; i < function->ran_count; i++) {
		struct wm_trail trail;
		struct wm_arena arena;
		wm_arena_init(&arena);
		wm_story_decode(function, function->path[i].id, &trail, &arena);
		for (uint32_t s = trail.fresh; s < trail.count; s++)
			count[trail.step[s].block] += function->path[i].count;
		wm_arena_release(&arena);
	}
	return count;
}

void wm_sites_add(struct wm_sites *sites, struct wm_called_site site)
{
	WM_XGROW(sites->site, sites->count);
	sites->site[sites->count++] = site;
	sites->executions += site.count;
}

static void add_sites(
	struct wm_sites *sites, const struct wm_story_function *function, const struct wm_segment_names *names)
{
	uint64_t *count = count_blocks(function);
	for (uint32_t i = 0; i < function->map->call_count; i++) {
		const struct wm_call *call = &function->map->call[i];
		const char *callee = wm_map_callee(function->module, call);
		if (count[call->block] && callee && wm_segment_names_has(names, callee))
			wm_sites_add(sites, (struct wm_called_site){function, call, callee, count[call->block]});
	}
	free(count);
}

static int by_count(const void *left, const void *right)
{
	const struct wm_called_site *a = left, *b = right;
	if (a->count != b->count)
		return a->count < b->count ? 1 : -1;
	int order = wm_story_by_place(a->caller, b->caller);
	if (!order)
		order = (a->call > b->call) - (a->call < b->call);
	return order ? order : strcmp(a->callee, b->callee);
}

/* Leaves the sites within the limits. */
static void limit(struct wm_sites *sites, const struct wm_site_limits *limits)
{
	double wanted = (double)sites->executions * limits->share / 100, sum = 0;
	size_t kept = 0;
	while (kept < sites->count && sites->site[kept].count >= limits->least &&
		(limits->share == 100 || sum < wanted))
		sum += (double)sites->site[kept++].count;
	sites->count = kept;
}

static void print_text(const struct wm_sites *sites)
{
	for (size_t i = 0; i < sites->count; i++) {
		const struct wm_called_site *site = &sites->site[i];
		printf("%s@%u.%u %s %" PRIu64 "\n", site->caller->map->name, site->call->block, site->call->position,
			site->callee, site->count);
	}
}

static void print_json(const struct wm_sites *sites, json_t *document)
{
	json_t *list = wm_json_checked(json_array());
	for (size_t i = 0; i < sites->count; i++) {
		const struct wm_called_site *site = &sites->site[i];
		json_array_append_new(list,
			wm_json_checked(
				json_pack("{s:o, s:i, s:i, s:o, s:o}", "caller", wm_json_text(site->caller->map->name),
					"block", (int)site->call->block, "position", (int)site->call->position,
					"callee", wm_json_text(site->callee), "count", wm_json_count(site->count))));
	}
	json_object_set_new(document, "sites", list);
	wm_json_print(document);
}

void wm_sites_print(struct wm_sites *sites, const struct wm_site_limits *limits, json_t *document)
{
	if (sites->count)
		qsort(sites->site, sites->count, sizeof *sites->site, by_count);
	limit(sites, limits);
	if (document)
		print_json(sites, document);
	else
		print_text(sites);
}

void wm_sites_release(struct wm_sites *sites)
{
	free(sites->site);
	*sites = (struct wm_sites){0};
}

void wm_print_sites(const struct wm_story *story, const struct wm_site_limits *limits, bool json)
{
	struct wm_sites sites = {0};
	struct wm_segment_names names;
	wm_segment_names_init(&names, story, false);
	for (size_t i = 0; i < story->function_count; i++) {
		const struct wm_story_function *function = &story->function[i];
		if (function->map->inlined || wm_story_crosses_calls(function))
			wm_fail("--sites needs a profile of a build whose paths stay in one function: leave out %s",
				function->map->inlined ? "-fwaymark-segments" : "-fwaymark-scheme");
		if (function->state == WM_STORY_RAN)
			add_sites(&sites, function, &names);
	}
	wm_sites_print(&sites, limits, json ? wm_json_document("segments") : NULL);
	wm_sites_release(&sites);
	wm_segment_names_release(&names);
}
