/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tool/sites.h"
#include "tool/report.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct site {
	const struct wm_story_function *caller;
	const struct wm_call *call;
	uint64_t count;
};
struct sites {
	size_t count;
	struct site *site;
	uint64_t executions;
};

/* How often each block was executed. */
static uint64_t *count_blocks(const struct wm_story_function *function)
{
	uint64_t *count = wm_xrealloc(NULL, function->map->graph.block_count + (size_t)1, sizeof *count);
	memset(count, 0, function->map->graph.block_count * sizeof *count);
	for (size_t i = 0; i < function->ran_count; i++) {
		struct wm_block_path path;
		struct wm_arena arena;
		wm_arena_init(&arena);
		wm_story_decode(function, function->path[i].id, &path, &arena);
		for (uint32_t b = path.fresh; b < path.length; b++)
			count[path.block[b]] += function->path[i].count;
		wm_arena_release(&arena);
	}
	return count;
}

static bool can_be_inlined(const struct wm_story_function *caller, const struct wm_call *call)
{
	const struct wm_map_module *module = caller->module;
	return call->callee < module->function_count && module->function[call->callee].status != WM_SKIPPED;
}

static void add_sites(struct sites *sites, const struct wm_story_function *function)
{
	uint64_t *count = count_blocks(function);
	for (uint32_t i = 0; i < function->map->call_count; i++) {
		const struct wm_call *call = &function->map->call[i];
		if (!count[call->block] || !can_be_inlined(function, call))
			continue;
		WM_XGROW(sites->site, sites->count);
		sites->site[sites->count++] = (struct site){function, call, count[call->block]};
		sites->executions += count[call->block];
	}
	free(count);
}

static int by_count(const void *left, const void *right)
{
	const struct site *a = left, *b = right;
	if (a->count != b->count)
		return a->count < b->count ? 1 : -1;
	int order = wm_story_by_place(a->caller, b->caller);
	return order ? order : (a->call > b->call) - (a->call < b->call);
}

/* Leaves the sites within the limits. */
static void limit(struct sites *sites, const struct wm_site_limits *limits)
{
	double wanted = (double)sites->executions * limits->share / 100, sum = 0;
	size_t kept = 0;
	while (kept < sites->count && sites->site[kept].count >= limits->least &&
		(limits->share == 100 || sum < wanted))
		sum += (double)sites->site[kept++].count;
	sites->count = kept;
}

static void print_text(const struct sites *sites)
{
	for (size_t i = 0; i < sites->count; i++) {
		const struct site *site = &sites->site[i];
		printf("%s@%u.%u %s %" PRIu64 "\n", site->caller->map->name, site->call->block, site->call->position,
			wm_map_callee(site->caller->module, site->call), site->count);
	}
}

static void print_json(const struct sites *sites)
{
	json_t *list = wm_json_checked(json_array());
	for (size_t i = 0; i < sites->count; i++) {
		const struct site *site = &sites->site[i];
		json_array_append_new(list,
			wm_json_checked(
				json_pack("{s:o, s:i, s:i, s:o, s:o}", "caller", wm_json_text(site->caller->map->name),
					"block", (int)site->call->block, "position", (int)site->call->position,
					"callee", wm_json_text(wm_map_callee(site->caller->module, site->call)),
					"count", wm_json_count(site->count))));
	}
	wm_json_dump(wm_json_checked(json_pack("{s:s, s:o}", "schema", "waymark.segments/1", "sites", list)), stdout,
		JSON_INDENT(1));
	putchar('\n');
}

void wm_print_sites(const struct wm_story *story, const struct wm_site_limits *limits, bool json)
{
	struct sites sites = {0};
	for (size_t i = 0; i < story->function_count; i++) {
		const struct wm_story_function *function = &story->function[i];
		if (function->map->inlined || function->across.unit)
			wm_fail("--sites needs a profile of a build whose paths stay in one function: leave out %s",
				function->map->inlined ? "-fwaymark-segments" : "-fwaymark-scheme");
		if (function->state == WM_STORY_RAN)
			add_sites(&sites, function);
	}
	if (sites.count)
		qsort(sites.site, sites.count, sizeof *sites.site, by_count);
	limit(&sites, limits);
	(json ? print_json : print_text)(&sites);
	free(sites.site);
}
