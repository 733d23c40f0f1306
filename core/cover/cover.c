/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/cover/cover.h"
#include <stdlib.h>
#include <string.h>

/* Greedy.  A heap of sets by the gain they had when last looked at; gains only
 * shrink, so a set whose gain is still what it was when it leads is the best. */

struct heap {
	uint32_t count, *set;
	uint32_t *gain; /* per set */
};

static bool leads(const struct heap *heap, uint32_t a, uint32_t b)
{
	return heap->gain[a] != heap->gain[b] ? heap->gain[a] > heap->gain[b] : a < b;
}

static void sift_down(struct heap *heap, uint32_t at)
{
	uint32_t moving = heap->set[at];
	for (uint32_t child; (child = 2 * at + 1) < heap->count; at = child) {
		if (child + 1 < heap->count && leads(heap, heap->set[child + 1], heap->set[child]))
			child++;
		if (!leads(heap, heap->set[child], moving))
			break;
		heap->set[at] = heap->set[child];
	}
	heap->set[at] = moving;
}

static bool heap_init(struct heap *heap, const struct wm_sets *sets, struct wm_arena *arena)
{
	heap->count = sets->set_count;
	heap->set = WM_NEW(arena, uint32_t, sets->set_count);
	heap->gain = WM_NEW(arena, uint32_t, sets->set_count);
	if (!heap->set || !heap->gain)
		return false;
	for (uint32_t s = 0; s < sets->set_count; s++) {
		heap->set[s] = s;
		heap->gain[s] = (uint32_t)(sets->first[s + 1] - sets->first[s]);
	}
	for (uint32_t i = heap->count / 2; i-- > 0;)
		sift_down(heap, i);
	return true;
}

static uint32_t count_new(const struct wm_sets *sets, uint32_t set, const bool *seen)
{
	uint32_t count = 0;
	for (size_t i = sets->first[set]; i < sets->first[set + 1]; i++)
		count += !seen[sets->element[i]];
	return count;
}

enum wm_status wm_sets_order(const struct wm_sets *sets, uint32_t *order, uint32_t *gain, struct wm_arena *arena)
{
	struct heap heap;
	uint32_t done = 0;
	bool *seen = WM_NEW(arena, bool, sets->element_count);
	if (!seen || !heap_init(&heap, sets, arena))
		return WM_NO_MEMORY;
	while (heap.count) {
		uint32_t set = heap.set[0], now = count_new(sets, set, seen);
		if (now != heap.gain[set]) {
			heap.gain[set] = now;
			sift_down(&heap, 0);
			continue;
		}
		for (size_t i = sets->first[set]; i < sets->first[set + 1]; i++)
			seen[sets->element[i]] = true;
		order[done] = set;
		gain[done++] = now;
		heap.set[0] = heap.set[--heap.count];
		sift_down(&heap, 0);
	}
	return WM_OK;
}

/* The greedy cover without the sets that later ones made superfluous. */
static uint32_t prune(
	const struct wm_sets *sets, uint32_t *order, uint32_t count, uint32_t *times, struct wm_arena *arena)
{
	bool *drop = WM_NEW(arena, bool, count);
	uint32_t kept = 0;
	if (!drop)
		return count;
	for (uint32_t i = 0; i < count; i++)
		for (size_t e = sets->first[order[i]]; e < sets->first[order[i] + 1]; e++)
			times[sets->element[e]]++;
	for (uint32_t i = count; i-- > 0;) {
		drop[i] = true;
		for (size_t e = sets->first[order[i]]; e < sets->first[order[i] + 1]; e++)
			drop[i] &= times[sets->element[e]] > 1;
		for (size_t e = sets->first[order[i]]; drop[i] && e < sets->first[order[i] + 1]; e++)
			times[sets->element[e]]--;
	}
	for (uint32_t i = 0; i < count; i++)
		if (!drop[i])
			order[kept++] = order[i];
	return kept;
}

/* Elements by the sets they are in */

struct rows {
	size_t *first; /* element_count + 1 */
	uint32_t *set;
};

static bool transpose(const struct wm_sets *sets, struct rows *rows, struct wm_arena *arena)
{
	size_t total = sets->first[sets->set_count];
	rows->first = WM_NEW(arena, size_t, (size_t)sets->element_count + 2);
	rows->set = WM_NEW(arena, uint32_t, total);
	if (!rows->first || !rows->set)
		return false;
	/* Two places ahead: filling moves each start to its end, which is the next start. */
	for (size_t i = 0; i < total; i++)
		if (sets->element[i] + 2 <= sets->element_count)
			rows->first[sets->element[i] + 2]++;
	for (uint32_t e = 2; e <= sets->element_count; e++)
		rows->first[e] += rows->first[e - 1];
	for (uint32_t s = 0; s < sets->set_count; s++)
		for (size_t i = sets->first[s]; i < sets->first[s + 1]; i++)
			rows->set[rows->first[sets->element[i] + 1]++] = s;
	return true;
}

struct row {
	const uint32_t *set;
	size_t count;
};

static int by_size(const void *left, const void *right)
{
	const struct row *a = left, *b = right;
	if (a->count != b->count)
		return a->count < b->count ? -1 : 1;
	return (a->set > b->set) - (a->set < b->set);
}

/* Rows with fewer sets first; rows of no set are left out. */
static size_t sort_rows(const struct wm_sets *sets, const struct rows *rows, struct row *row)
{
	size_t count = 0;
	for (uint32_t e = 0; e < sets->element_count; e++)
		if (rows->first[e + 1] > rows->first[e])
			row[count++] = (struct row){&rows->set[rows->first[e]], rows->first[e + 1] - rows->first[e]};
	if (count)
		qsort(row, count, sizeof *row, by_size);
	return count;
}

/* How many rows share no set, taking them in this order: each of them needs a set of its own.  `taken` is scratch memory,
 * false, per set. */
static uint32_t count_disjoint(const struct row *row, size_t count, bool *taken)
{
	uint32_t disjoint = 0;
	for (size_t r = 0; r < count; r++) {
		bool meets = false;
		for (size_t i = 0; i < row[r].count; i++)
			meets |= taken[row[r].set[i]];
		for (size_t i = 0; !meets && i < row[r].count; i++)
			taken[row[r].set[i]] = true;
		disjoint += !meets;
	}
	return disjoint;
}

static enum wm_status greedy_cover(const struct wm_sets *sets, struct wm_cover *cover, struct wm_arena *arena)
{
	uint32_t *gain = WM_NEW(arena, uint32_t, sets->set_count);
	uint32_t *times = WM_NEW(arena, uint32_t, sets->element_count);
	cover->set = WM_NEW(arena, uint32_t, sets->set_count);
	if (!gain || !times || !cover->set)
		return WM_NO_MEMORY;
	enum wm_status status = wm_sets_order(sets, cover->set, gain, arena);
	if (status != WM_OK)
		return status;
	while (cover->count < sets->set_count && gain[cover->count])
		cover->count++;
	cover->greedy_count = cover->count;
	cover->count = prune(sets, cover->set, cover->count, times, arena);
	return WM_OK;
}

static int by_number(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	return (a > b) - (a < b);
}

enum wm_status wm_sets_cover(const struct wm_sets *sets, struct wm_cover *cover, struct wm_arena *arena)
{
	struct wm_cover made = {0};
	struct rows rows;
	struct row *row = WM_NEW(arena, struct row, sets->element_count);
	bool *taken = WM_NEW(arena, bool, sets->set_count);
	if (!row || !taken || greedy_cover(sets, &made, arena) != WM_OK || !transpose(sets, &rows, arena))
		return WM_NO_MEMORY;
	made.least = count_disjoint(row, sort_rows(sets, &rows, row), taken);
	made.exact = made.least == made.count;
	if (made.count)
		qsort(made.set, made.count, sizeof *made.set, by_number);
	*cover = made;
	return WM_OK;
}
