/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* waymark show --calls --scheme: which calls of a program a scheme of paths across calls would cross. */
#include "analysis/join/operands.h"
#include "analysis/tell/unit_map.h"
#include "cmd/cmd_show.h"
#include "core/scheme/unit_plan.h"
#include "support/attempt.h"
#include "support/fail.h"
#include <inttypes.h>
#include <stdlib.h>

struct preview {
	const struct wm_show_preview *options;
	struct wm_story *story;
	struct wm_unit_map map;
	struct wm_unit_plan plan;
	const struct wm_weights *counts; /* per function; NULL: no profile to count with */
};

/* Calls of functions of the unit that are not recursive: those that could be crossed. */
struct share {
	uint64_t sites, crossed_sites;
	double calls, crossed_calls;
};

static bool could_cross(enum wm_crossing crossing)
{
	switch (crossing) {
	case WM_CROSSED:
	case WM_OVER_CHOSEN:
	case WM_OVER_MANY:
	case WM_OVER_LONG:
		return true;
	case WM_OVER_UNKNOWN:
	case WM_OVER_OPAQUE:
	case WM_OVER_RECURSIVE:
	case WM_OVER_LAST:
	case WM_OVER_UNREACHED:
		return false;
	}
	return false;
}

static double calls_of(const struct preview *p, uint32_t function, uint32_t site)
{
	return p->counts ? p->counts[function].block[p->map.unit.function[function].call[site].block] : 0;
}

static struct share measure(const struct preview *p)
{
	struct share share = {0};
	for (uint32_t f = 0; f < p->map.unit.function_count; f++) {
		for (uint32_t i = 0; i < p->map.unit.function[f].call_count; i++) {
			enum wm_crossing crossing = p->plan.function[f].pairs->site[i].crossing;
			double calls = calls_of(p, f, i);
			if (!could_cross(crossing))
				continue;
			share.sites++;
			share.calls += calls;
			share.crossed_sites += crossing == WM_CROSSED;
			share.crossed_calls += crossing == WM_CROSSED ? calls : 0;
		}
	}
	return share;
}

static uint32_t count_split(const struct preview *p)
{
	uint32_t split = 0;
	for (uint32_t f = 0; f < p->map.unit.function_count; f++)
		split += p->plan.function[f].cut_count > 0;
	return split;
}

/* ---- Text ------------------------------------------------------------------- */

static const char *callee_name(const struct preview *p, uint32_t function, uint32_t site)
{
	const struct wm_story_function *caller = p->map.function[function];
	return wm_map_callee(caller->module, &caller->map->call[site]);
}

static void print_site(const struct preview *p, uint32_t function, uint32_t site)
{
	const struct wm_call *call = &p->map.unit.function[function].call[site];
	enum wm_crossing crossing = p->plan.function[function].pairs->site[site].crossing;
	const char *name = callee_name(p, function, site);
	char *callee = name ? wm_demangle(name) : NULL;
	printf("  call %u of block %u: %s, ", call->position, call->block, callee ? callee : "indirect");
	if (crossing == WM_CROSSED)
		fputs("crossed", stdout);
	else
		printf("stepped over, %s", wm_crossing_text(crossing));
	if (p->counts)
		printf(" (ran %.0f times)", calls_of(p, function, site));
	putchar('\n');
	free(callee);
}

static void print_text(const struct preview *p)
{
	struct share share = measure(p);
	for (uint32_t f = 0; f < p->map.unit.function_count; f++) {
		if (!p->map.unit.function[f].call_count ||
			!wm_filter_passes(&p->options->common->filter, p->map.function[f]))
			continue;
		printf("%s%s\n", p->map.function[f]->brief, p->plan.function[f].cut_count ? " (split)" : "");
		for (uint32_t i = 0; i < p->map.unit.function[f].call_count; i++)
			print_site(p, f, i);
	}
	printf("\nscheme %s: %u functions, %u of them split; %" PRIu64 " paths\n", p->plan.scheme->name,
		p->map.unit.function_count, count_split(p), p->plan.path_count);
	printf("%" PRIu64 " of %" PRIu64
	       " call sites of known functions that are not recursive are crossed (%.1f %%)\n",
		share.crossed_sites, share.sites, wm_share(share.crossed_sites, share.sites));
	if (p->counts)
		printf("%.0f of %.0f calls that ran there cross (%.1f %%)\n", share.crossed_calls, share.calls,
			share.calls > 0 ? 100 * share.crossed_calls / share.calls : 0);
}

/* ---- JSON ------------------------------------------------------------------- */

static json_t *site_json(const struct preview *p, uint32_t function, uint32_t site)
{
	const struct wm_call *call = &p->map.unit.function[function].call[site];
	enum wm_crossing crossing = p->plan.function[function].pairs->site[site].crossing;
	const char *callee = callee_name(p, function, site);
	json_t *object = json_object();
	json_object_set_new(object, "block", json_integer(call->block));
	json_object_set_new(object, "position", json_integer(call->position));
	json_object_set_new(object, "callee", callee ? wm_json_text(callee) : json_null());
	json_object_set_new(object, "crossed", json_boolean(crossing == WM_CROSSED));
	json_object_set_new(object, "reason", json_string(crossing == WM_CROSSED ? "" : wm_crossing_text(crossing)));
	if (p->counts)
		json_object_set_new(object, "count", json_integer((json_int_t)calls_of(p, function, site)));
	return object;
}

static json_t *function_json(const struct preview *p, uint32_t f)
{
	json_t *object = json_object(), *calls = json_array();
	json_object_set_new(object, "name", wm_json_text(p->map.unit.function[f].name));
	json_object_set_new(object, "status", json_string(p->plan.function[f].cut_count ? "split" : "exact"));
	for (uint32_t i = 0; i < p->map.unit.function[f].call_count; i++)
		json_array_append_new(calls, site_json(p, f, i));
	json_object_set_new(object, "calls", calls);
	return object;
}

static json_t *summary_json(const struct preview *p)
{
	struct share share = measure(p);
	json_t *object = json_object();
	json_object_set_new(object, "scheme", json_string(p->plan.scheme->name));
	json_object_set_new(object, "paths", wm_json_count(p->plan.path_count));
	json_object_set_new(object, "functions", json_integer(p->map.unit.function_count));
	json_object_set_new(object, "split", json_integer(count_split(p)));
	json_object_set_new(object, "sites", wm_json_count(share.sites));
	json_object_set_new(object, "crossed_sites", wm_json_count(share.crossed_sites));
	if (p->counts) {
		json_object_set_new(object, "calls", json_integer((json_int_t)share.calls));
		json_object_set_new(object, "crossed_calls", json_integer((json_int_t)share.crossed_calls));
	}
	return object;
}

static void print_json(const struct preview *p)
{
	json_t *document = wm_json_document("show"), *list = json_array();
	for (uint32_t f = 0; f < p->map.unit.function_count; f++)
		if (wm_filter_passes(&p->options->common->filter, p->map.function[f]))
			json_array_append_new(list, function_json(p, f));
	json_object_set_new(document, "functions", list);
	json_object_set_new(document, "summary", summary_json(p));
	wm_json_print(document);
}

/* ---- Profiles --------------------------------------------------------------- */

static const struct wm_weights *read_counts(
	const struct preview *p, const char *option, const char *path, struct wm_arena *arena)
{
	struct wm_profile profile;
	struct wm_story story;
	char *operand = (char *)path;
	if (!path)
		return NULL;
	wm_profile_init(&profile);
	wm_profile_need(&profile, &operand, 1);
	profile.any_program |= p->options->common->any_program;
	wm_story_build(&story, WM_STORY_OF_BINARIES, &profile, p->story->object, p->story->object_count);
	wm_story_need_match(&story, "the profile");
	wm_show_refuse_across(&story, option);
	const struct wm_weights *counts = wm_unit_map_counts(&p->map, &story, arena);
	wm_story_release(&story);
	wm_profile_release(&profile);
	return counts;
}

static void make_plan(struct preview *p, const struct wm_weights *weights, struct wm_arena *arena)
{
	bool *entry = WM_NEW(arena, bool, p->map.unit.function_count);
	struct wm_scheme_choice choice;
	struct wm_unit_request request = {
		.unit = &p->map.unit, .share = WM_UNIT_SHARE, .entry = entry, .weights = weights};
	if (!entry)
		wm_no_memory();
	if (wm_scheme_parse(p->options->scheme, &choice) != WM_OK || !choice.scheme->crosses)
		wm_fail("--scheme %s is not a scheme of paths across calls; `waymark number --help` lists them",
			p->options->scheme);
	request.scheme = choice.scheme;
	/* The map does not say whose address is taken. */
	for (uint32_t f = 0; f < p->map.unit.function_count; f++)
		entry[f] = true;
	enum wm_status status = wm_unit_plan_make(&p->plan, &request, arena);
	if (status != WM_OK)
		wm_fail_as(wm_failure_of(status), "the program cannot be numbered: %s", wm_status_text(status));
}

void wm_show_preview(struct wm_story *story, const struct wm_show_preview *options)
{
	struct preview p = {.options = options, .story = story};
	struct wm_arena arena;
	wm_arena_init(&arena);
	wm_unit_map_build(&p.map, story, &arena);
	const struct wm_weights *weights = read_counts(&p, "--weights", options->weights, &arena);
	p.counts = options->profile ? read_counts(&p, "--profile", options->profile, &arena) : weights;
	make_plan(&p, weights, &arena);
	(options->common->json ? print_json : print_text)(&p);
	wm_arena_release(&arena);
}
