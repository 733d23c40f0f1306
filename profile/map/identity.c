/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define XXH_INLINE_ALL
#include "profile/map/identity.h"

#include <string.h>
#include <xxhash.h>

bool wm_same_function(const struct wm_function_identity *a, const struct wm_function_identity *b, bool same_program)
{
	if (a->key != b->key || a->graph_hash != b->graph_hash)
		return false;
	return same_program || wm_same_source(a->source, b->source);
}

static const uint64_t code_half = UINT32_MAX;

uint64_t wm_source_pack(uint64_t file, uint32_t code)
{
	return (file & ~code_half) | code;
}

uint64_t wm_common_source(uint64_t a, uint64_t b)
{
	uint64_t differs = a ^ b;
	return (differs & code_half ? 0 : a & code_half) | (differs & ~code_half ? 0 : a & ~code_half);
}

bool wm_same_source(uint64_t a, uint64_t b)
{
	return wm_common_source(a, b) != 0;
}

bool wm_source_is_of_file(uint64_t source, uint64_t file)
{
	return wm_same_source(source & ~code_half, file & ~code_half);
}

uint64_t wm_map_source(const struct wm_map_function *function)
{
	return wm_source_pack(function->source, function->code);
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

uint32_t wm_code_of_all(const uint32_t *code, size_t count)
{
	XXH3_state_t state;
	XXH3_64bits_reset(&state);
	for (size_t i = 0; i < count; i++) {
		if (!code[i])
			return 0;
		XXH3_64bits_update(&state, &code[i], sizeof(*code));
	}
	uint32_t hash = (uint32_t)XXH3_64bits_digest(&state);
	return hash ? hash : 1;
}

static const struct wm_map_checksum *checksum_of(const struct wm_map_module *module, uint32_t file)
{
	static const struct wm_map_checksum none;
	if (file == WM_NONE)
		return &module->source_sum;
	const struct wm_map_checksum *sum = module->file_sum ? &module->file_sum[file] : &none;
	return !sum->size && module->in_main && module->in_main[file] ? &module->source_sum : sum;
}

void wm_map_set_own_source(const struct wm_map_module *module, struct wm_map_function *function)
{
	const char *path = function->file == WM_NONE ? module->source : module->file[function->file];
	function->own_source = wm_source_of_file(path, checksum_of(module, function->file));
}

/* Each sum is one word per context: memory for all of them is not needed. */
void wm_map_set_source(const struct wm_map_module *module, struct wm_map_function *function)
{
	uint64_t pair[2] = {function->own_source, 0};
	uint32_t code[2] = {function->own_code, 0};
	for (uint32_t i = 1; wm_map_has_origins(function) && i < function->inlined->origins.context_count; i++) {
		uint32_t inlined = function->inlined->origins.context[i].function;
		pair[1] = inlined < module->function_count ? module->function[inlined].own_source : 0;
		pair[0] = wm_source_of_all(pair, 2);
		code[1] = inlined < module->function_count ? module->function[inlined].own_code : 0;
		code[0] = wm_code_of_all(code, 2);
	}
	function->source = pair[0];
	function->code = code[0];
}
