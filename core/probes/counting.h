/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * How the paths of a function are counted: what is added up along a path, and what is done with
 * the total at its end.  policy/store.h chooses it before probes are placed, because it decides
 * which values are added up.  Paths keep their ids in the profile whatever is added up.
 */
#ifndef WM_CORE_PROBES_COUNTING_H
#define WM_CORE_PROBES_COUNTING_H

#include "core/paths/membership.h"
#include "core/paths/pack.h"
#include "core/paths/perfect.h"
#include "core/probes/place.h"

enum wm_counting_store {
	WM_COUNT_ARRAY, /* the total is the index of a cell */
	WM_COUNT_HASH, /* a hash table, probed inline where it is hot */
	WM_COUNT_CALL, /* every path goes to the runtime */
	WM_COUNT_PACKED, /* the high bits of the total are the index of a cell and of a table entry */
	WM_COUNT_PERFECT, /* a perfect hash of the total is */
	WM_COUNT_SIGN, /* residual builds: the sign of the total tells whether the path was tested */
};

struct wm_counting {
	enum wm_counting_store store;
	bool residual; /* only paths outside of `set` are counted */
	bool early; /* some path is counted before its last edge (pass `early`) */
	struct wm_sums sums; /* what is added up; `adds` is filled in by the passes */
	unsigned width; /* bits of the path register: 32 or 64 */
	uint64_t id_mask; /* these bits of a total are the id */
	/* The paths that an earlier profile knows, interesting or tested; stores ARRAY and HASH may have none. */
	struct wm_path_set set;
	const uint64_t *weight; /* per path of the set: how often it ran; NULL: unknown */
	struct wm_membership membership; /* `end` NULL: nothing is known of any path */
	/* Per DAG edge where paths are asked: whether one path of the set is worth a comparison before, or instead
	 * of, a lookup there, and its total (pass `guesses`).  NULL: none. */
	bool *guesses;
	uint64_t *guess;
	/* PACKED and PERFECT: */
	struct wm_pack pack;
	struct wm_perfect perfect;
	uint32_t table_size;
	uint64_t *table; /* per slot: the total of the path that has it */
	uint64_t *table_ids; /* per slot: that path's id, ~0 for none */
};

/* The total as the register holds it, of a sum modulo 2^64. */
uint64_t wm_counting_total(const struct wm_counting *counting, uint64_t sum);
uint64_t wm_counting_id(const struct wm_counting *counting, uint64_t total);
/* What the table holds of a path with this total: the total, or without the mark its id. */
uint64_t wm_counting_key(const struct wm_counting *counting, uint64_t total);
/* PACKED and PERFECT: the slot of a key. */
uint32_t wm_counting_slot(const struct wm_counting *counting, uint64_t key);
/*
 * Looks known paths up by their packed sums, or by a perfect hash of what is added up already.  Fills in the
 * store, its table and, packed, the sums.  WM_TOO_MANY: both sums do not fit a register, or the table would have
 * more than `limit` slots, a power of two.  WM_UNKNOWN: no perfect hash was found, which is not known to happen.
 */
enum wm_status wm_counting_use_packed(struct wm_counting *counting, const struct wm_plan *plan,
	const struct wm_preferential *preferential, uint32_t limit, struct wm_arena *arena);
enum wm_status wm_counting_use_perfect(
	struct wm_counting *counting, const struct wm_path_set *set, uint32_t limit, struct wm_arena *arena);
/* Instructions of a lookup. */
double wm_counting_lookup_price(const struct wm_counting *counting);

/* The way of counting without any profile: in an array of up to `array_paths` counters, or in a hash. */
void wm_counting_plain(struct wm_counting *counting, const struct wm_plan *plan, uint64_t array_paths);

#endif
