/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Multiply-shift hashing (Dietzfelbinger et al. 1997).  For few ids, random multipliers are tried until one has no
 * collision.  For more ids, hash and displace: buckets are placed in descending order of size, each with the first
 * displacement for which all its slots are free.  Since displacing is an exclusive or, two ids of a bucket collide
 * under every displacement or under none.
 *
 * Multipliers come from a fixed sequence, so the same set always gives the same function.
 */
#include "core/preferential/perfect.h"
#include <string.h>

#define DIRECT_TRIES 20000
#define DIRECT_MAX 160
#define DISPLACED_TRIES 16

struct search {
	const struct wm_path_set *set;
	struct wm_perfect made;
	uint64_t random;
	uint32_t *stamp, round; /* per slot: the round that took it */
	uint32_t *bucket_first, *member; /* ids by bucket */
	uint32_t *order; /* buckets by falling size */
};

static uint64_t next_multiplier(struct search *s)
{
	uint64_t x = s->random += 0x9E3779B97F4A7C15ull;
	x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ull;
	x = (x ^ x >> 27) * 0x94D049BB133111EBull;
	return (x ^ x >> 31) | 1;
}

uint32_t wm_perfect_slot(const struct wm_perfect *perfect, uint64_t id)
{
	uint32_t slot = (uint32_t)(id * perfect->multiplier >> perfect->shift);
	if (perfect->bucket_count)
		slot ^= perfect->displacement[id * perfect->bucket_multiplier >> perfect->bucket_shift];
	return slot;
}

/* The smallest power of two that is at least `count`, and 2. */
static unsigned log2_above(uint64_t count)
{
	unsigned log2 = 1;
	while ((uint64_t)1 << log2 < count)
		log2++;
	return log2;
}

/* ---- Without displacements ------------------------------------------------------ */

static bool try_direct(struct search *s)
{
	s->round++;
	s->made.multiplier = next_multiplier(s);
	for (uint32_t i = 0; i < s->set->count; i++) {
		uint32_t slot = wm_perfect_slot(&s->made, s->set->id[i]);
		if (s->stamp[slot] == s->round)
			return false;
		s->stamp[slot] = s->round;
	}
	return true;
}

static bool find_direct(struct search *s)
{
	unsigned least = log2_above(s->set->count);
	if (s->set->count > DIRECT_MAX)
		return false;
	for (unsigned log2 = least; log2 < least + 3; log2++) {
		s->made.shift = 64 - log2;
		s->made.size = 1u << log2;
		for (uint32_t i = 0; i < DIRECT_TRIES; i++)
			if (try_direct(s))
				return true;
	}
	return false;
}

/* ---- With displacements ----------------------------------------------------------- */

static uint32_t bucket_of(const struct search *s, uint32_t i)
{
	return (uint32_t)(s->set->id[i] * s->made.bucket_multiplier >> s->made.bucket_shift);
}

static void fill_buckets(struct search *s)
{
	uint32_t *first = s->bucket_first, buckets = s->made.bucket_count;
	memset(first, 0, ((size_t)buckets + 2) * sizeof *first);
	for (uint32_t i = 0; i < s->set->count; i++)
		first[bucket_of(s, i) + 2]++;
	for (uint32_t b = 0; b < buckets; b++)
		first[b + 2] += first[b + 1];
	for (uint32_t i = 0; i < s->set->count; i++)
		s->member[first[bucket_of(s, i) + 1]++] = i;
}

#define SIZES 64

/* Buckets by falling size; all above SIZES count as equal. */
static void order_buckets(struct search *s)
{
	uint32_t at[SIZES + 2] = {0}, buckets = s->made.bucket_count;
	for (int pass = 0; pass < 2; pass++) {
		for (uint32_t b = 0; b < buckets; b++) {
			uint32_t size = s->bucket_first[b + 1] - s->bucket_first[b];
			uint32_t rank = SIZES - (size < SIZES ? size : SIZES);
			if (pass == 0)
				at[rank + 1]++;
			else
				s->order[at[rank]++] = b;
		}
		for (uint32_t i = 0; pass == 0 && i <= SIZES; i++)
			at[i + 1] += at[i];
	}
}

static bool take_slots(struct search *s, uint32_t bucket)
{
	for (uint32_t m = s->bucket_first[bucket]; m < s->bucket_first[bucket + 1]; m++) {
		uint32_t slot = wm_perfect_slot(&s->made, s->set->id[s->member[m]]);
		if (s->stamp[slot] != s->round) {
			s->stamp[slot] = s->round;
			continue;
		}
		while (m-- > s->bucket_first[bucket])
			s->stamp[wm_perfect_slot(&s->made, s->set->id[s->member[m]])] = 0;
		return false;
	}
	return true;
}

static bool displace(struct search *s, uint32_t bucket)
{
	if (s->bucket_first[bucket] == s->bucket_first[bucket + 1])
		return true;
	for (uint32_t by = 0; by < s->made.size; by++) {
		s->made.displacement[bucket] = by;
		if (take_slots(s, bucket))
			return true;
	}
	return false;
}

static bool try_displaced(struct search *s)
{
	s->round++;
	s->made.multiplier = next_multiplier(s);
	s->made.bucket_multiplier = next_multiplier(s);
	memset(s->made.displacement, 0, s->made.bucket_count * sizeof *s->made.displacement);
	fill_buckets(s);
	order_buckets(s);
	for (uint32_t i = 0; i < s->made.bucket_count; i++)
		if (!displace(s, s->order[i]))
			return false;
	return true;
}

/* A table that is nearly full takes too long to fill: one slot in eight stays free. */
static bool find_displaced(struct search *s)
{
	unsigned least = log2_above(s->set->count + s->set->count / 8), buckets = least > 2 ? least - 2 : 1;
	s->made.bucket_count = 1u << buckets;
	s->made.bucket_shift = 64 - buckets;
	for (unsigned log2 = least; log2 < least + 2 && log2 < 32; log2++) {
		s->made.shift = 64 - log2;
		s->made.size = 1u << log2;
		for (uint32_t i = 0; i < DISPLACED_TRIES; i++)
			if (try_displaced(s))
				return true;
	}
	return false;
}

static bool search_alloc(struct search *s, struct wm_arena *arena)
{
	size_t count = s->set->count, slots = (size_t)1 << (log2_above(count) + 2);
	s->stamp = WM_NEW(arena, uint32_t, slots);
	s->bucket_first = WM_NEW(arena, uint32_t, slots + 2);
	s->order = WM_NEW(arena, uint32_t, slots);
	s->made.displacement = WM_NEW(arena, uint32_t, slots);
	s->member = WM_NEW(arena, uint32_t, count);
	s->made.slot = WM_NEW(arena, uint32_t, count);
	return s->stamp && s->bucket_first && s->order && s->made.displacement && s->member && s->made.slot;
}

/* Some id that does not hash to `slot`, for a slot that has none. */
static uint64_t stranger(const struct wm_perfect *made, uint32_t slot)
{
	uint64_t id = 0;
	while (wm_perfect_slot(made, id) == slot)
		id++;
	return id;
}

static bool fill_table(struct search *s, struct wm_arena *arena)
{
	struct wm_perfect *made = &s->made;
	made->table = WM_NEW(arena, uint64_t, made->size);
	if (!made->table)
		return false;
	for (uint32_t slot = 0; slot < made->size; slot++)
		made->table[slot] = stranger(made, slot);
	for (uint32_t i = 0; i < s->set->count; i++) {
		made->slot[i] = wm_perfect_slot(made, s->set->id[i]);
		made->table[made->slot[i]] = s->set->id[i];
	}
	return true;
}

enum wm_status wm_perfect_make(struct wm_perfect *perfect, const struct wm_path_set *set, struct wm_arena *arena)
{
	struct search s = {.set = set};
	if (!search_alloc(&s, arena))
		return WM_NO_MEMORY;
	if (!find_direct(&s) && !find_displaced(&s))
		return WM_UNKNOWN;
	if (!fill_table(&s, arena))
		return WM_NO_MEMORY;
	*perfect = s.made;
	return WM_OK;
}
