/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define XXH_INLINE_ALL
#include "profile/identity.h"

#include <string.h>
#include <xxhash.h>

bool wm_same_function(const struct wm_function_identity *a, const struct wm_function_identity *b, bool same_program)
{
	if (a->key != b->key || a->graph_hash != b->graph_hash)
		return false;
	return same_program || (a->source && a->source == b->source);
}

struct wm_function_identity wm_record_identity(const struct wm_profile_function *record)
{
	return (struct wm_function_identity){record->key, record->graph_hash, record->source};
}

/* 0 means that the source is not known. */
static uint64_t digest(const XXH3_state_t *state)
{
	uint64_t hash = XXH3_64bits_digest(state);
	return hash ? hash : 1;
}

uint64_t wm_source_of_file(const char *path, const struct wm_map_checksum *checksum)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	XXH3_state_t state;
	if (!checksum->size)
		return 0;
	XXH3_64bits_reset(&state);
	XXH3_64bits_update(&state, name, strlen(name) + 1);
	XXH3_64bits_update(&state, checksum->byte, checksum->size);
	return digest(&state);
}

uint64_t wm_source_of_all(const uint64_t *source, size_t count)
{
	XXH3_state_t state;
	XXH3_64bits_reset(&state);
	for (size_t i = 0; i < count; i++) {
		if (!source[i])
			return 0;
		XXH3_64bits_update(&state, &source[i], sizeof(*source));
	}
	return digest(&state);
}

void wm_map_set_own_source(const struct wm_map_module *module, struct wm_map_function *function)
{
	bool known = function->file != WM_NONE;
	const struct wm_map_checksum none = {0},
				     *sum = known && module->file_sum ? &module->file_sum[function->file] : &none;
	function->own_source = known ? wm_source_of_file(module->file[function->file], sum)
				     : wm_source_of_file(module->source, &module->source_sum);
}

/* The sum is one word per context: memory for all of them is not needed. */
void wm_map_set_source(const struct wm_map_module *module, struct wm_map_function *function)
{
	uint64_t pair[2] = {function->own_source, 0};
	for (uint32_t i = 1; wm_map_has_origins(function) && i < function->inlined->origins.context_count; i++) {
		uint32_t inlined = function->inlined->origins.context[i].function;
		pair[1] = inlined < module->function_count ? module->function[inlined].own_source : 0;
		pair[0] = wm_source_of_all(pair, 2);
	}
	function->source = pair[0];
}
