/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * How the paths of a function are counted: which sums are computed along a path, and what is done with the total at
 * its end.  policy/counting_choice.h makes this choice before probes are placed, because it determines the sums.  In the
 * profile, a path has the id of the plan's numbering, whatever the sums are.
 */
#ifndef WM_CORE_PROBES_COUNTING_H
#define WM_CORE_PROBES_COUNTING_H

#include "core/paths/membership.h"
#include "core/preferential/pack.h"
#include "core/preferential/perfect.h"
#include "core/probes/place.h"

/* In a residual build, ARRAY and HASH count all paths, because none is known to be tested.  A path is counted by the runtime at
 * first, which notes the time, and in the cell or slot later.  PACKED and PERFECT have a table of tested paths and no cells.  With PERFECT and SIGN the sums carry
 * marks (core/paths/residual_marks.h), so an end may test the sign instead of, or before, a lookup; core/probes/ends.c decides
 * that by the class of the edge. */
enum wm_counting_store {
	WM_COUNT_ARRAY, /* the total is the index of a cell */
	WM_COUNT_HASH, /* a hash table, probed inline where the probe is hot */
	WM_COUNT_CALL, /* the runtime counts every path */
	WM_COUNT_PACKED, /* the high bits of the total are the index of a cell and of a table entry */
	WM_COUNT_PERFECT, /* a perfect hash of the total is the index of a cell and of a table entry */
	WM_COUNT_STREAM, /* nothing is counted: every path is appended to the stream of its thread */
	WM_COUNT_SIGN, /* residual builds without a table: the sign of the total tells whether the path is tested */
};

struct wm_counting {
	enum wm_counting_store store;
	bool residual; /* only paths that are not in `set` are counted */
	struct wm_sums sums; /* what is summed; the passes fill in `adds` */
	unsigned width; /* bits of the path register: 32 or 64 */
	uint64_t id_mask; /* the id is total & id_mask */
	/* The known paths: the interesting or tested paths of an earlier profile.  May be empty for ARRAY, HASH and CALL. */
	struct wm_path_set set;
	const uint64_t *weight; /* per path of the set: how often it ran; NULL: unknown */
	struct wm_membership membership; /* of `set`; `end` NULL: nothing is known */
	/* Per DAG edge on which paths are checked: whether the total is first compared with that of one likely path of
	 * the set, and that total (pass `guesses`).  NULL: there are no guesses. */
	bool *has_guess;
	uint64_t *guess;
	/* PACKED and PERFECT: */
	struct wm_pack pack;
	struct wm_perfect perfect;
	uint32_t table_size;
	uint64_t *table; /* per slot: the key of its path */
	uint64_t *table_ids; /* per slot: the id of its path; ~0: none */
};

/* Whether the end of a path finds out whether the path is tested: by a sign, a table or a guess. */
bool wm_counting_checks(const struct wm_counting *counting);
/* The total that the register holds, given a sum modulo 2^64. */
uint64_t wm_counting_total(const struct wm_counting *counting, uint64_t sum);
uint64_t wm_counting_id(const struct wm_counting *counting, uint64_t total);
/* The key under which a table holds the path with this total: the total, or with sticky marks the id. */
uint64_t wm_counting_key(const struct wm_counting *counting, uint64_t total);
/* PACKED and PERFECT: the slot of a key. */
uint32_t wm_counting_slot(const struct wm_counting *counting, uint64_t key);
/*
 * Choose the store PACKED or PERFECT: known paths are looked up by packed sums, or by a perfect hash of the existing
 * sums.  They fill in the store, its table and, for PACKED, the sums.  WM_TOO_MANY: both sums do not fit a register,
 * or the table would have more than `limit` slots.  WM_UNKNOWN: no perfect hash was found, which has not been
 * observed.
 */
enum wm_status wm_counting_use_packed(struct wm_counting *counting, const struct wm_plan *plan,
	const struct wm_preferential *preferential, uint32_t limit, struct wm_arena *arena);
enum wm_status wm_counting_use_perfect(
	struct wm_counting *counting, const struct wm_path_set *set, uint32_t limit, struct wm_arena *arena);
/* The number of instructions of a lookup. */
double wm_counting_lookup_price(const struct wm_counting *counting);

/* Counting without a profile: an array if there are at most `array_paths` paths, else a hash table. */
void wm_counting_plain(struct wm_counting *counting, const struct wm_plan *plan, uint64_t array_paths);

/* Counting of paths across calls: a hash table. */
extern const struct wm_counting wm_counting_across;

/* Recording instead of counting (scheme `subpath`). */
void wm_counting_stream(struct wm_counting *counting, const struct wm_plan *plan);

#endif
