/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A record is in one of the PROBES slots from its home on; if they are occupied, which happens when some three quarters of all slots are,
 * a larger chunk is added.  Other processes may change the slots at any time, so no decision depends on them but where the
 * next record is written.
 */
#include "runtime/unwind/left_paths.h"

#include "abi/unfinished.h"
#include "runtime/chunk/chunk.h"
#include "runtime/state/state.h"

#define PROBES 16u
#define LARGEST (1u << 20) /* bytes of a chunk */
#define MOST_CHUNKS 16u

static struct wm_unfinished *slots_of(const struct wm_chunk *chunk)
{
	return (void *)(chunk->memory + sizeof(struct wm_raw_chunk));
}

static size_t home_of(const struct wm_chunk *chunk, const struct wm_unfinished *record)
{
	uint64_t hash = ((uint64_t)record->function << 32 | record->site) * WM_HASH_FACTOR;
	hash = (hash ^ record->sum) * WM_HASH_FACTOR;
	return (hash >> 32) * (chunk->used / sizeof *record) >> 32;
}

static bool is_same(const struct wm_unfinished *a, const struct wm_unfinished *b)
{
	return a->function == b->function && a->site == b->site && a->sum == b->sum;
}

/* A process that is killed in between has counted nothing. */
static void write_record(struct wm_unfinished *slot, const struct wm_unfinished *record)
{
	slot->sum = record->sum;
	slot->site = record->site;
	slot->count = record->count;
	__atomic_store_n(&slot->function, record->function, __ATOMIC_RELEASE);
}

/* Adds to the record; if there is none and `may_add`, makes one in a free slot. */
static bool count_in(const struct wm_chunk *chunk, const struct wm_unfinished *record, bool may_add)
{
	struct wm_unfinished *slot = slots_of(chunk);
	size_t count = chunk->used / sizeof *slot, at = home_of(chunk, record);
	for (unsigned i = 0; i < PROBES && i < count; i++, at = at + 1 < count ? at + 1 : 0) {
		if (is_same(&slot[at], record)) {
			wm_store(&slot[at].count, slot[at].count + record->count);
			return true;
		}
		if (slot[at].function)
			continue;
		if (may_add)
			write_record(&slot[at], record);
		return may_add;
	}
	return false;
}

static struct wm_chunk *new_chunk(size_t size)
{
	struct wm_chunk *chunk = wm_chunk_new(WM_CHUNK_UNFINISHED, size, WM_PAGE);
	if (!chunk)
		return NULL;
	size_t room = chunk->size - sizeof(struct wm_raw_chunk);
	chunk->used = room - room % sizeof(struct wm_unfinished);
	__atomic_store_n(&((struct wm_raw_chunk *)(void *)chunk->memory)->used, chunk->used, __ATOMIC_RELEASE);
	return chunk;
}

/* Counts where the path has a record already; otherwise tells the largest chunk. */
static bool count_again(const struct wm_unfinished *record, const struct wm_chunk **largest, size_t *count)
{
	for (size_t i = 0; i < wm.image.chunk_count; i++) {
		const struct wm_chunk *chunk = &wm.image.chunk[i];
		if (chunk->kind != WM_CHUNK_UNFINISHED)
			continue;
		if (count_in(chunk, record, false))
			return true;
		++*count;
		if (!*largest || chunk->size >= (*largest)->size)
			*largest = chunk;
	}
	return false;
}

bool wm_unfinished_count(size_t function, uint32_t site, uint64_t sum)
{
	struct wm_unfinished record = {(uint32_t)function + 1, site, sum, 1};
	const struct wm_chunk *largest = NULL;
	size_t count = 0;
	if (count_again(&record, &largest, &count))
		return true;
	if (largest && count_in(largest, &record, true))
		return true;
	if (count == MOST_CHUNKS)
		return false;
	const struct wm_chunk *chunk = new_chunk(!largest		   ? WM_PAGE
						 : largest->size < LARGEST ? 2 * largest->size
									   : LARGEST);
	return chunk && count_in(chunk, &record, true);
}

void wm_unfinished_reserve(void)
{
	for (size_t i = 0; i < wm.image.chunk_count; i++)
		if (wm.image.chunk[i].kind == WM_CHUNK_UNFINISHED)
			return;
	if (wm.image.header)
		new_chunk(WM_PAGE);
}
