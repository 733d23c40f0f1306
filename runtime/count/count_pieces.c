/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Counting paths that are named by pieces (abi/sequence.h).  Compiled code calls these functions at every back edge
 * of an iterated loop and at every end of a path.
 *
 * A name is written before its first count, and compared every time, so two paths never share an id.  Tables that
 * replaced a full one may contain the name again; if the names differed, the reader would detect it.
 */
#include "abi/sequence.h"
#include "runtime/count/hash.h"

/* Two paths with the same hash of 62 bits are rare.  If so many names differ, another process has written to the
 * file. */
#define MOST_TRIES 8u

enum named { NAMED, TAKEN, NO_MEMORY };

static enum named name_path(
	const struct wm_func *f, struct wm_hash_head *head, uint64_t id, const struct wm_pieces *pieces)
{
	for (uint64_t i = 0; i <= pieces->length; i++) {
		uint64_t value = (i ? pieces->piece[i - 1] : pieces->length) + 1;
		uint64_t found = wm_hash_keep(f, head, wm_name_key(id, i), value);
		if (found != value)
			return found ? TAKEN : NO_MEMORY;
	}
	return NAMED;
}

static void count_pieces(const struct wm_func *f, struct wm_hash_head *head, const struct wm_pieces *pieces)
{
	uint64_t id = wm_name_hash(pieces);
	enum named named = NAMED;
	unsigned tries = 0;
	if (pieces->length == 1 && pieces->piece[0] < WM_ALONE_BIT)
		id = WM_ALONE_BIT | pieces->piece[0];
	else
		while ((named = name_path(f, head, id, pieces)) == TAKEN && tries++ < MOST_TRIES)
			id = (id + 1) & (WM_ALONE_BIT - 1);
	if (named == NAMED)
		__wm_hash_add(f, head, id, 1);
	else
		wm_hash_lose(f, 1);
}

__attribute__((preserve_most, visibility("hidden"))) void __wm_sequence_push(
	const struct wm_func *f, struct wm_hash_head *head, struct wm_pieces *pieces, uint64_t loop_and_k, uint64_t id);
__attribute__((preserve_most, visibility("hidden"))) void __wm_sequence_end(
	const struct wm_func *f, struct wm_hash_head *head, struct wm_pieces *pieces, uint64_t id);

__attribute__((preserve_most)) void __wm_sequence_push(
	const struct wm_func *f, struct wm_hash_head *head, struct wm_pieces *pieces, uint64_t loop_and_k, uint64_t id)
{
	uint64_t k = loop_and_k >> 32;
	if (!wm_pieces_push(pieces, (uint32_t)loop_and_k, k, id))
		return;
	count_pieces(f, head, pieces);
	wm_pieces_slide(pieces, k);
}

__attribute__((preserve_most)) void __wm_sequence_end(
	const struct wm_func *f, struct wm_hash_head *head, struct wm_pieces *pieces, uint64_t id)
{
	pieces->piece[pieces->length++] = id;
	count_pieces(f, head, pieces);
	wm_pieces_begin(pieces);
}
