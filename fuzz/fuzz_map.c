/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The map decoder.  The input is a section as it stands, and again a payload that
 * is wrapped into a blob of each version with a true checksum: a fuzzer would hardly find one.
 * What decodes must encode to the same map again.
 */
#include "core/trail/feasible.h"
#include "core/trail/original.h"
#include "profile/map/map.h"
#include "profile/map/map_layout.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use_calls(const struct wm_map_module *module)
{
	for (uint32_t f = 0; f < module->function_count; f++)
		for (uint32_t c = 0; c < module->function[f].call_count; c++) {
			const struct wm_call *call = &module->function[f].call[c];
			if (!wm_map_callee(module, call) != (call->callee == WM_NONE))
				abort();
		}
}

static const struct wm_origins *origins_of(const void *function, uint32_t index)
{
	(void)index;
	return &((const struct wm_map_function *)function)->inlined->origins;
}

/* Follows the marks of all blocks, as if one path went through them. */
static void use_origins(const struct wm_map_module *module)
{
	for (uint32_t f = 0; f < module->function_count; f++) {
		const struct wm_map_function *function = &module->function[f];
		const struct wm_trail_origins origins = {function, origins_of};
		struct wm_trail trail = {.count = function->graph.block_count}, original = {0};
		struct wm_arena arena;
		if (!wm_map_has_origins(function))
			continue;
		wm_arena_init(&arena);
		wm_arena_set_limit(&arena, (size_t)64 << 20);
		trail.step = WM_NEW(&arena, struct wm_trail_step, trail.count);
		for (uint32_t b = 0; trail.step && b < trail.count; b++)
			trail.step[b].block = b;
		if (trail.step && wm_trail_original(&origins, &trail, &original, &arena) == WM_OK)
			for (uint32_t i = 0; i < original.count; i++)
				if (!wm_map_context_name(
					    module, &function->inlined->origins
							    .context[original.frame[original.step[i].frame].context]))
					abort();
		wm_arena_release(&arena);
	}
}

/* Asks for contradictions of a path that takes some edge out of every block. */
static void use_facts(const struct wm_map_module *module)
{
	for (uint32_t f = 0; f < module->function_count; f++) {
		const struct wm_map_function *function = &module->function[f];
		struct wm_knowledge knowledge;
		struct wm_arena arena;
		wm_arena_init(&arena);
		wm_arena_set_limit(&arena, (size_t)64 << 20);
		enum wm_status status = wm_knowledge_init(&knowledge, &function->facts, &arena);
		for (uint32_t b = 0; b < function->graph.block_count && status == WM_OK; b++)
			wm_knowledge_pass(&knowledge, b, b ? b - 1 : WM_NONE, function->graph.first_edge[b], b);
		wm_arena_release(&arena);
	}
}

static void use(const struct wm_map *map)
{
	for (uint32_t i = 0; i < map->module_count; i++) {
		uint8_t *again;
		size_t size;
		use_calls(&map->module[i]);
		use_origins(&map->module[i]);
		use_facts(&map->module[i]);
		enum wm_status status = wm_map_encode(&map->module[i], &again, &size);
		if (status == WM_OK)
			free(again);
		else if (status != WM_NO_MEMORY)
			abort();
	}
}

static void decode(const uint8_t *data, size_t size)
{
	struct wm_arena arena;
	struct wm_map map = {0};
	char error[160];
	wm_arena_init(&arena);
	wm_arena_set_limit(&arena, (size_t)256 << 20);
	if (wm_map_decode(&map, data, size, error, &arena) == WM_BAD_GRAPH && !error[0])
		abort();
	use(&map);
	wm_arena_release(&arena);
}

static void decode_payload(uint32_t version, const uint8_t *data, size_t size)
{
	const uint64_t magic = WM_MAP_MAGIC;
	const uint32_t words[4] = {version, 0, (uint32_t)size, (uint32_t)size};
	uint8_t *blob = malloc(WM_MAP_HEADER_SIZE + size);
	if (!blob)
		return;
	memcpy(blob, &magic, 8);
	memcpy(blob + 8, words, sizeof(words));
	if (size)
		memcpy(blob + WM_MAP_HEADER_SIZE, data, size);
	uint64_t sum = wm_map_blob_checksum(blob, size);
	memcpy(blob + WM_MAP_CHECKSUM_OFFSET, &sum, 8);
	decode(blob, WM_MAP_HEADER_SIZE + size);
	free(blob);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	decode(data, size);
	decode_payload(1, data, size);
	decode_payload(WM_MAP_VERSION, data, size);
	return 0;
}
