/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A set of sequences of numbers in which each distinct sequence has an index: the names of paths that have no id
 * (core/scheme/pieces.h).
 */
#ifndef WM_ANALYSIS_COUNTS_SEQUENCES_H
#define WM_ANALYSIS_COUNTS_SEQUENCES_H

#include <stddef.h>
#include <stdint.h>

struct wm_sequence_name {
	uint32_t length;
	const uint64_t *piece;
};
/* Must be initialised with zeros. */
struct wm_sequences {
	size_t count, slots;
	struct wm_sequence_name *name;
	size_t *slot; /* index + 1; a hash table, at most half full */
};
size_t wm_sequences_index(struct wm_sequences *sequences, const uint64_t *piece, uint32_t length);
void wm_sequences_release(struct wm_sequences *sequences);

#endif
