/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/counts/sequences.h"
#include "support/xalloc.h"
#include <stdlib.h>
#include <string.h>

static uint64_t hash(const uint64_t *piece, uint32_t length)
{
	uint64_t sum = length;
	for (uint32_t i = 0; i < length; i++)
		sum = (sum ^ piece[i]) * 0x9E3779B97F4A7C15ull ^ sum >> 29;
	return sum ^ sum >> 32;
}

static size_t *find_sequence(const struct wm_sequences *s, const uint64_t *piece, uint32_t length)
{
	size_t at = (size_t)hash(piece, length) & (s->slots - 1);
	for (; s->slot[at]; at = (at + 1) & (s->slots - 1)) {
		const struct wm_sequence_name *name = &s->name[s->slot[at] - 1];
		if (name->length == length && memcmp(name->piece, piece, length * sizeof *piece) == 0)
			break;
	}
	return &s->slot[at];
}

static void grow_index(struct wm_sequences *s)
{
	free(s->slot);
	s->slots = s->slots ? 2 * s->slots : 64;
	s->slot = wm_xrealloc(NULL, s->slots, sizeof *s->slot);
	memset(s->slot, 0, s->slots * sizeof *s->slot);
	for (size_t i = 0; i < s->count; i++)
		*find_sequence(s, s->name[i].piece, s->name[i].length) = i + 1;
}

static void add_sequence(struct wm_sequences *s, const uint64_t *piece, uint32_t length)
{
	WM_XGROW(s->name, s->count);
	uint64_t *copy = wm_xrealloc(NULL, length, sizeof *copy);
	memcpy(copy, piece, length * sizeof *copy);
	s->name[s->count++] = (struct wm_sequence_name){length, copy};
}

size_t wm_sequences_index(struct wm_sequences *s, const uint64_t *piece, uint32_t length)
{
	if (2 * s->count >= s->slots)
		grow_index(s);
	size_t *slot = find_sequence(s, piece, length);
	if (!*slot) {
		add_sequence(s, piece, length);
		*slot = s->count;
	}
	return *slot - 1;
}

void wm_sequences_release(struct wm_sequences *s)
{
	for (size_t i = 0; i < s->count; i++)
		free((void *)s->name[i].piece);
	free(s->name);
	free(s->slot);
}
