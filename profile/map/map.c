/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define XXH_INLINE_ALL
#include "profile/map/map.h"

#include "profile/map/map_layout.h"

#include <string.h>
#include <xxhash.h>

uint64_t wm_function_key(const char *name, const char *source_or_null)
{
	XXH3_state_t state;
	XXH3_64bits_reset(&state);
	/* The NUL keeps "a" in "bc" apart from "ab" in "c". */
	XXH3_64bits_update(&state, name, strlen(name) + 1);
	if (source_or_null)
		XXH3_64bits_update(&state, source_or_null, strlen(source_or_null) + 1);
	return XXH3_64bits_digest(&state);
}

const char *wm_map_find_outside(const struct wm_map *map, uint64_t key)
{
	for (uint32_t m = 0; m < map->module_count; m++)
		for (uint32_t i = 0; i < map->module[m].outside_count; i++)
			if (wm_function_key(map->module[m].outside[i], NULL) == key)
				return map->module[m].outside[i];
	return NULL;
}

uint64_t wm_map_graph_hash(const struct wm_graph *graph, const char *scheme)
{
	XXH3_state_t state;
	const uint32_t numbering = WM_NUMBERING;
	XXH3_64bits_reset(&state);
	XXH3_64bits_update(&state, &numbering, sizeof(numbering));
	XXH3_64bits_update(&state, scheme, strlen(scheme) + 1);
	XXH3_64bits_update(&state, &graph->block_count, sizeof(graph->block_count));
	if (graph->block_count) {
		XXH3_64bits_update(&state, graph->first_edge, (graph->block_count + (size_t)1) * sizeof(uint32_t));
		XXH3_64bits_update(&state, graph->end, graph->block_count);
	}
	if (graph->edge_count)
		XXH3_64bits_update(&state, graph->edge_to, graph->edge_count * sizeof(uint32_t));
	return XXH3_64bits_digest(&state);
}

bool wm_map_has_origins(const struct wm_map_function *function)
{
	return function->inlined && function->inlined->origins.context_count;
}

/* Of contexts the names, because indices change with other functions of the module. */
uint64_t wm_map_inlined_hash(const struct wm_map_module *module, const struct wm_map_function *function)
{
	const struct wm_origins *origins = &function->inlined->origins;
	uint64_t graph = wm_map_graph_hash(&function->graph, function->scheme);
	XXH3_state_t state;
	XXH3_64bits_reset(&state);
	XXH3_64bits_update(&state, &graph, sizeof(graph));
	for (uint32_t i = 0; i < origins->context_count; i++) {
		const struct wm_context *context = &origins->context[i];
		const char *name = wm_map_context_name(module, context);
		const uint32_t words[] = {context->parent, context->block, context->position};
		XXH3_64bits_update(&state, name, strlen(name) + 1);
		XXH3_64bits_update(&state, words, sizeof(words));
	}
	for (uint32_t b = 0; b < function->graph.block_count; b++)
		for (uint32_t i = origins->first_mark[b]; i < origins->first_mark[b + 1]; i++) {
			const struct wm_mark *mark = &origins->mark[i];
			const uint32_t words[] = {b, mark->context, mark->block, mark->behind};
			XXH3_64bits_update(&state, words, sizeof(words));
		}
	return XXH3_64bits_digest(&state);
}

const char *wm_map_function_name(const struct wm_map_module *module, uint32_t function)
{
	if (function == WM_NONE)
		return NULL;
	return function < module->function_count ? module->function[function].name
						 : module->outside[function - module->function_count];
}

const char *wm_map_callee(const struct wm_map_module *module, const struct wm_call *call)
{
	return wm_map_function_name(module, call->callee);
}

const char *wm_map_context_name(const struct wm_map_module *module, const struct wm_context *context)
{
	return wm_map_function_name(module, context->function);
}

static bool is_joined(const struct wm_map_value *value)
{
	return value->kind != WM_VALUE_CHOICE && value->kind != WM_VALUE_FIXED;
}

static bool has_branch(const struct wm_map_function *f, uint32_t block)
{
	return f->block[block].terminator == WM_TERM_BRANCH &&
	       f->graph.first_edge[block + 1] - f->graph.first_edge[block] == 2;
}

bool wm_map_value_fits(const struct wm_map_function *f, const struct wm_map_value *value)
{
	uint32_t blocks = f->graph.block_count;
	if (value->kind > WM_VALUE_FIXED || value->use > WM_USE_INVERTED || value->block >= blocks ||
		is_joined(value) != (value->join != WM_NONE) || (is_joined(value) && value->join >= blocks))
		return false;
	bool branch = value->kind == WM_VALUE_SPLIT || value->kind == WM_VALUE_FIXED;
	bool used = value->use != WM_USE_OTHER;
	return (!branch || has_branch(f, value->block)) &&
	       (!used || (is_joined(value) && value->teller < blocks && has_branch(f, value->teller)));
}

uint64_t wm_map_blob_checksum(const uint8_t *blob, size_t stored_size)
{
	XXH3_state_t state;
	XXH3_64bits_reset(&state);
	XXH3_64bits_update(&state, blob, WM_MAP_CHECKSUM_OFFSET);
	XXH3_64bits_update(&state, blob + WM_MAP_HEADER_SIZE, stored_size);
	return XXH3_64bits_digest(&state);
}
