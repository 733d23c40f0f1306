/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/tell/steps.h"
#include "cmd/cmd_show.h"
#include "core/graph/supergraph.h"
#include <stdlib.h>

/* What became of a call site: enum wm_crossing or enum wm_site_fate; the text is for those that are not crossed. */
struct fate {
	bool crossed;
	const char *reason;
};

static struct fate fate_of(const struct wm_story_function *function, const struct wm_units *units, uint32_t site)
{
	const struct wm_unit_index *at = wm_units_of(units, function->map);
	if (function->map->inlined && !wm_counts_across(function->map))
		return (struct fate){
			false, wm_inline_choice_text((enum wm_inline_choice)function->map->inlined->kept[site])};
	if (!wm_counts_across(function->map))
		return (struct fate){false, "the paths of the scheme stay in one function"};
	if (!at)
		return (struct fate){false, *units->trouble ? "the numbering of the binary cannot be read"
							    : "the linker took another definition of the caller"};
	uint8_t fate = at->unit->fate[at->function][site];
	return (struct fate){fate == WM_CROSSED, fate == WM_CROSSED ? "" : wm_site_fate_text(fate)};
}

static char *context_name(const struct wm_story_function *function, uint32_t context)
{
	return wm_demangle(wm_map_context_name(function->module, &function->map->inlined->origins.context[context]));
}

/* The inlined calls: blocks and positions are those of the caller before anything was inlined into it. */
static void show_inlined(const struct wm_story_function *function)
{
	const struct wm_origins *origins = &function->map->inlined->origins;
	for (uint32_t i = 1; i < origins->context_count; i++) {
		const struct wm_context *context = &origins->context[i];
		char *caller = context_name(function, context->parent), *callee = context_name(function, i);
		printf("%9s%*scall %u of block %u of %s: %s, inlined\n", "",
			2 * (int)(wm_context_depth(origins, i) - 1), "", context->position, context->block, caller,
			callee);
		free(caller);
		free(callee);
	}
}

void wm_show_calls(const struct wm_story_function *function, const struct wm_units *units)
{
	for (uint32_t i = 0; i < function->map->call_count; i++) {
		const struct wm_call *call = &function->map->call[i];
		const char *name = wm_map_callee(function->module, call);
		char *callee = name ? wm_demangle(name) : NULL;
		struct fate fate = fate_of(function, units, i);
		printf("%9scall %u of block %u: %s%s%s", "", call->position, call->block, callee ? callee : "indirect",
			call->unwinds ? ", unwinds to a landing pad" : "",
			call->may_not_return ? ", may not return" : "");
		if (wm_counts_across(function->map))
			printf("%s%s", fate.crossed ? ", crossed" : ", stepped over: ", fate.reason);
		else if (function->map->inlined)
			printf(", not inlined: %s", fate.reason);
		putchar('\n');
		free(callee);
	}
	if (wm_map_has_origins(function->map))
		show_inlined(function);
}

json_t *wm_show_calls_json(const struct wm_story_function *function, const struct wm_units *units)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < function->map->call_count; i++) {
		const struct wm_call *call = &function->map->call[i];
		const char *callee = wm_map_callee(function->module, call);
		struct fate fate = fate_of(function, units, i);
		json_t *object = json_object();
		json_object_set_new(object, "block", json_integer(call->block));
		json_object_set_new(object, "position", json_integer(call->position));
		json_object_set_new(object, "callee", callee ? wm_json_text(callee) : json_null());
		json_object_set_new(object, "crossed", json_boolean(fate.crossed));
		json_object_set_new(object, "reason", json_string(fate.reason));
		json_object_set_new(object, "may_not_return", json_boolean(call->may_not_return));
		json_object_set_new(object, "unwinds", json_boolean(call->unwinds));
		json_array_append_new(list, object);
	}
	return list;
}

/* Index 0 is the function itself; the caller of an inlined call is an index too. */
json_t *wm_show_inlined_json(const struct wm_story_function *function)
{
	const struct wm_origins *origins = &function->map->inlined->origins;
	json_t *list = json_array();
	for (uint32_t i = 0; i < origins->context_count; i++) {
		const struct wm_context *context = &origins->context[i];
		json_t *object = json_object();
		json_object_set_new(object, "function", wm_json_text(wm_map_context_name(function->module, context)));
		json_object_set_new(object, "caller", i ? json_integer(context->parent) : json_null());
		json_object_set_new(object, "block", i ? json_integer(context->block) : json_null());
		json_object_set_new(object, "position", i ? json_integer(context->position) : json_null());
		json_array_append_new(list, object);
	}
	return list;
}

void wm_show_numbering(const struct wm_object *object, const struct wm_units *units)
{
	uint64_t crossed = 0, sites = 0;
	bool linked = false;
	for (uint32_t i = 0; i < units->count; i++) {
		crossed += units->unit[i]->plan.crossed;
		sites += units->unit[i]->plan.site_count;
		linked |= units->unit[i]->linked;
	}
	if (*units->trouble)
		printf("%s: %s; use the Waymark that built it\n", object->path, units->trouble);
	if (units->count)
		printf("%s: %s, %s of ", object->path,
			linked ? "numbered whole"
			       : "each source file is numbered alone (`waymark cc -fwaymark-scheme` did not link it)",
			wm_thousands(crossed));
	if (units->count)
		printf("%s calls crossed\n", wm_thousands(sites));
}

/* The edges at which paths end because the function has too many. */
static json_t *cuts_of(const struct wm_plan *plan)
{
	json_t *list = json_array();
	for (uint32_t e = 0; plan->cut_count && e < plan->graph->edge_count; e++)
		if (plan->cut[e])
			json_array_append_new(list, json_pack("{s:i, s:i}", "from", (int)plan->graph->edge_from[e],
							    "to", (int)plan->graph->edge_to[e]));
	return list;
}

void wm_show_numbering_json(json_t *object, const struct wm_story_function *function, const struct wm_units *units)
{
	const struct wm_unit_index *at = wm_counts_across(function->map) ? wm_units_of(units, function->map) : NULL;
	if (!at)
		return;
	json_object_set_new(object, "numbered", json_string(at->unit->linked ? "whole" : "alone"));
	json_object_set_new(object, "cuts", cuts_of(&at->unit->plan.function[at->function]));
}
