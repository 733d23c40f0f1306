/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sums of counts: the paths of several records, and the balance of what began and what ended. */
#include "abi/sequence.h"
#include "analysis/join/story.h"
#include "support/xalloc.h"
#include <stdlib.h>

int wm_story_by_id(const void *left, const void *right)
{
	const struct wm_story_path *a = left, *b = right;
	return a->id < b->id ? -1 : a->id > b->id;
}

/* Paths that only an earlier life of the process counted stand last. */
int wm_story_by_count(const void *left, const void *right)
{
	const struct wm_story_path *a = left, *b = right;
	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	return wm_story_by_id(left, right);
}

/* False: a sum does not fit 64 bits. */
static bool add_same(struct wm_story_path *into, const struct wm_story_path *from)
{
	if (wm_seen_before(from->first_seen, from->pid, into->first_seen, into->pid)) {
		into->first_seen = from->first_seen;
		into->pid = from->pid;
	}
	return !__builtin_add_overflow(into->count, from->count, &into->count) &&
	       !__builtin_add_overflow(into->base, from->base, &into->base);
}

/* Entries of a name are not counts: they are not added, and must be equal in all records. */
static bool same_name(struct wm_story_path *into, const struct wm_story_path *from)
{
	uint64_t a = into->count ? into->count : into->base, b = from->count ? from->count : from->base;
	into->count = a;
	return a == b;
}

bool wm_story_sum(
	const struct wm_profile_function *const *record, size_t count, struct wm_story_path **path, size_t *total)
{
	size_t all = 0, kept = 0, at = 0;
	for (size_t r = 0; r < count; r++)
		all += record[r]->path_count;
	struct wm_story_path *sum = wm_xmalloc((all + 1) * sizeof *sum);
	for (size_t r = 0; r < count; r++)
		for (size_t i = 0; i < record[r]->path_count; i++) {
			const struct wm_counted_path *counted = &record[r]->path[i];
			sum[at++] = (struct wm_story_path){.id = counted->id,
				.count = counted->count,
				.base = counted->base,
				.first_seen = counted->first_seen,
				.pid = counted->pid};
		}
	qsort(sum, all, sizeof *sum, wm_story_by_id);
	bool exact = true;
	for (size_t i = 0; i < all; i++) {
		if (!kept || sum[kept - 1].id != sum[i].id) {
			sum[kept++] = sum[i];
			continue;
		}
		exact &= sum[i].id & WM_NAME_BIT ? same_name(&sum[kept - 1], &sum[i])
						 : add_same(&sum[kept - 1], &sum[i]);
	}
	*path = sum;
	*total = kept;
	return exact;
}

static bool restarts_loop(const struct wm_story_path *path)
{
	return path->end == WM_END_BACKEDGE || path->end == WM_END_CUT;
}

void wm_story_sums_add_record(struct wm_story_sums *sums, const struct wm_profile_function *record, bool counters)
{
	sums->resumed += record->resumed;
	sums->inherited += record->base_resumed;
	sums->entries += counters ? record->entries : 0;
	sums->inherited += counters ? record->base_entries : 0;
}

void wm_story_sums_add_path(
	struct wm_story_sums *begun, struct wm_story_sums *next, const struct wm_story_path *path, bool counters)
{
	begun->completed += path->count;
	begun->inherited -= path->base;
	if (restarts_loop(path)) {
		next->restarts += path->count;
		next->inherited += path->base;
	}
	if (!counters && path->start == WM_START_ENTRY) {
		begun->entries += path->count;
		begun->inherited += path->base;
	}
}

/* JSON output has integers of 63 bits.  A larger count cannot be real, just as a saturated one. */
static bool fits(__int128 number)
{
	return number <= INT64_MAX;
}

/* In a residual build frames come and go on tested paths, uncounted. */
char *wm_story_sums_balance(struct wm_story_sums sums, bool residual, struct wm_balance *balance)
{
	__int128 abandoned = sums.inherited + sums.entries + sums.restarts + sums.resumed - sums.completed;
	if (residual) {
		sums = (struct wm_story_sums){.completed = sums.completed};
		abandoned = 0;
	}
	if (sums.inherited < 0 || abandoned < 0)
		return wm_xprintf("its counts do not balance (%.0f more paths ended than began), which is a bug in "
				  "Waymark: please report it",
			(double)(abandoned < 0 ? -abandoned : -sums.inherited));
	if (!fits(sums.completed) || !fits(sums.entries) || !fits(sums.inherited) || !fits(sums.resumed) ||
		!fits(abandoned))
		return wm_doubt_text(WM_DOUBT_SATURATED, 0);
	*balance = (struct wm_balance){(uint64_t)sums.inherited, (uint64_t)sums.entries, (uint64_t)sums.restarts,
		(uint64_t)sums.resumed, (uint64_t)sums.completed, (uint64_t)abandoned, 0};
	return NULL;
}
