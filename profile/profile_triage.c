/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define XXH_INLINE_ALL
#include "profile/profile_triage.h"

#include "abi/abi.h"
#include "core/base/search.h"
#include "profile/collect.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static int by_id(const void *left, const void *right)
{
	const struct wm_triage *a = left, *b = right;
	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	return a->time != b->time ? (a->time < b->time ? -1 : 1) : (a->key > b->key) - (a->key < b->key);
}

void wm_triages_sort(struct wm_triages *triages)
{
	if (triages->count)
		qsort(triages->triage, triages->count, sizeof *triages->triage, by_id);
}

void wm_triages_release(struct wm_triages *triages)
{
	for (size_t i = 0; i < triages->count; i++) {
		free(triages->triage[i].function);
		free(triages->triage[i].note);
		free(triages->triage[i].author);
	}
	free(triages->triage);
	*triages = (struct wm_triages){0};
}

const struct wm_triage *wm_triages_find(
	const struct wm_triages *triages, uint64_t id, const char *program, uint64_t source)
{
	size_t i;
	WM_LOWER_BOUND(i, 0, triages->count, triages->triage[i].id < id);
	for (; i < triages->count && triages->triage[i].id == id; i++) {
		const struct wm_triage *triage = &triages->triage[i];
		if ((*program && !strcmp(triage->program, program)) || wm_same_source(triage->source, source))
			return triage;
	}
	return NULL;
}

uint64_t wm_triage_id(uint64_t key, uint64_t graph_hash, uint64_t path)
{
	const uint64_t word[] = {key, graph_hash, path};
	uint8_t byte[sizeof word];
	for (size_t i = 0; i < sizeof byte; i++) /* the same on every machine */
		byte[i] = (uint8_t)(word[i / 8] >> i % 8 * 8);
	uint64_t id = XXH3_64bits(byte, sizeof byte) >> 16;
	return id ? id : 1;
}

void wm_triage_id_print(char text[WM_TRIAGE_ID_SIZE], uint64_t id)
{
	snprintf(text, WM_TRIAGE_ID_SIZE, "%012" PRIx64, id & UINT64_C(0xffffffffffff));
}

uint64_t wm_triage_id_parse(const char *text)
{
	size_t length = strspn(text, "0123456789abcdef");
	return length == WM_TRIAGE_ID_SIZE - 1 && !text[length] ? strtoull(text, NULL, 16) : 0;
}

/* A profile of this path alone. */
static bool make_profile(struct wm_profile *profile, const struct wm_triage *triage)
{
	struct wm_profile_object *object = wm_profile_append_object(profile, triage->build_id, triage->build_id_size);
	struct wm_profile_function *function = object ? calloc(1, sizeof *function) : NULL;
	if (!function)
		return false;
	snprintf(object->program, sizeof object->program, "%s", triage->program);
	object->function = function;
	object->function_count = object->function_capacity = 1;
	function->key = triage->key;
	function->graph_hash = triage->graph_hash;
	function->source = triage->source;
	function->flags = (triage->flags & ~(uint32_t)WM_FUNC_RESIDUAL) | WM_FUNC_ENTRIES;
	/* The activation of the path began before the profile did: so the counts are those of an execution, wherever the path
	 * begins. */
	function->base_resumed = 1;
	return wm_function_append(function, triage->path, 1, 0);
}

enum wm_profile_status wm_triages_test(struct wm_profile *tests, const struct wm_triages *triages)
{
	enum wm_profile_status status = WM_PROFILE_OK;
	for (size_t i = 0; i < triages->count && status == WM_PROFILE_OK; i++) {
		struct wm_profile one;
		wm_profile_init(&one);
		status = make_profile(&one, &triages->triage[i]) ? wm_profile_merge(tests, &one) : WM_PROFILE_NO_MEMORY;
		wm_profile_release(&one);
	}
	return status;
}
