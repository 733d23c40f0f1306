/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define XXH_INLINE_ALL
#include "profile/map/unit_identity.h"

#include "abi/unit_tables.h"
#include "profile/map/identity.h"

#include <string.h>
#include <xxhash.h>

static void add_word(XXH3_state_t *state, uint64_t word)
{
	XXH3_64bits_update(state, &word, sizeof word);
}

static void add_text(XXH3_state_t *state, const char *text)
{
	XXH3_64bits_update(state, text, strlen(text) + 1);
}

static void add_bools(XXH3_state_t *state, const bool *flag, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		XXH3_64bits_update(state, &(uint8_t){flag[i]}, 1);
}

static void add_call(XXH3_state_t *state, const struct wm_map_module *module, const struct wm_call *call)
{
	const char *callee = wm_map_callee(module, call);
	add_word(state, (uint64_t)call->block << 32 | call->position);
	add_word(state, (uint64_t)call->followed << 3 | (uint64_t)call->tail << 2 | (uint64_t)call->unwinds << 1 |
				call->opaque);
	add_text(state, callee ? callee : "");
}

uint64_t wm_unit_layout(const struct wm_map_module *module, const struct wm_map_function *function)
{
	XXH3_state_t state;
	XXH3_64bits_reset(&state);
	add_word(&state, WM_UNIT_FORMAT);
	add_word(&state, wm_map_graph_hash(&function->graph, function->scheme));
	add_word(&state, function->call_count);
	for (uint32_t i = 0; i < function->call_count; i++)
		add_call(&state, module, &function->call[i]);
	add_word(&state, function->unit->edge_count);
	add_bools(&state, function->unit->tree, function->unit->edge_count);
	return XXH3_64bits_digest(&state);
}

/* Calls that are followed cut paths and may end them, while other last calls of their blocks do not. */
static void add_fate(XXH3_state_t *state, const struct wm_unit_plan *plan, uint32_t function, uint32_t site)
{
	bool crossed = plan->function[function].pairs->site[site].crossing == WM_CROSSED;
	bool followed = plan->unit->function[function].call[site].followed;
	XXH3_64bits_update(state, &(uint8_t){(uint8_t)(followed << 1 | crossed)}, 1);
}

uint64_t wm_unit_graph_hash(const struct wm_unit_plan *plan, const uint64_t *key, const uint64_t *graph_hash)
{
	XXH3_state_t state;
	XXH3_64bits_reset(&state);
	add_text(&state, plan->scheme->name);
	for (uint32_t i = 0; i < plan->unit->function_count; i++) {
		uint32_t f = plan->callgraph.order[i];
		add_word(&state, key[f]);
		add_word(&state, graph_hash[f]);
		add_bools(&state, &plan->function[f].pairs->root, 1);
		for (uint32_t s = 0; s < plan->unit->function[f].call_count; s++)
			add_fate(&state, plan, f, s);
	}
	return XXH3_64bits_digest(&state);
}

static uint64_t unit_file(const struct wm_unit_plan *plan, const uint64_t *source)
{
	XXH3_state_t state;
	XXH3_64bits_reset(&state);
	for (uint32_t i = 0; i < plan->unit->function_count; i++) {
		if (!source[i])
			return 0;
		add_word(&state, source[plan->callgraph.order[i]]);
	}
	uint64_t hash = XXH3_64bits_digest(&state);
	return hash ? hash : 1;
}

static uint32_t unit_code(const struct wm_unit_plan *plan, const uint32_t *code)
{
	XXH3_state_t state;
	XXH3_64bits_reset(&state);
	for (uint32_t i = 0; i < plan->unit->function_count; i++) {
		if (!code[i])
			return 0;
		add_word(&state, code[plan->callgraph.order[i]]);
	}
	uint32_t hash = (uint32_t)XXH3_64bits_digest(&state);
	return hash ? hash : 1;
}

uint64_t wm_unit_source(const struct wm_unit_plan *plan, const uint64_t *source, const uint32_t *code)
{
	return wm_source_pack(unit_file(plan, source), unit_code(plan, code));
}

uint64_t wm_unit_token(uint64_t key, const char *scope)
{
	XXH3_state_t state;
	XXH3_64bits_reset(&state);
	add_text(&state, scope);
	add_word(&state, key);
	uint64_t token = XXH3_64bits_digest(&state) & ~WM_HELD;
	return token ? token : 1;
}
