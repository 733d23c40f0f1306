/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/counts/idcounts.h"
#include "support/xalloc.h"
#include <stdlib.h>
#include <string.h>

static struct wm_id_count *find_slot(struct wm_id_count *slots, size_t capacity, uint64_t id)
{
	size_t at = (size_t)(id * 0x9E3779B97F4A7C15ull >> 20) & (capacity - 1);
	while (slots[at].count && slots[at].id != id)
		at = (at + 1) & (capacity - 1);
	return &slots[at];
}

static void grow_table(struct wm_id_counts *counts)
{
	size_t capacity = counts->capacity ? counts->capacity * 2 : 64;
	struct wm_id_count *slots = wm_xrealloc(NULL, capacity, sizeof *slots);
	memset(slots, 0, capacity * sizeof *slots);
	for (size_t i = 0; i < counts->capacity; i++)
		if (counts->slot[i].count)
			*find_slot(slots, capacity, counts->slot[i].id) = counts->slot[i];
	free(counts->slot);
	counts->slot = slots;
	counts->capacity = capacity;
}

void wm_id_counts_add(struct wm_id_counts *counts, uint64_t id, uint64_t amount)
{
	if (counts->used * 2 >= counts->capacity)
		grow_table(counts);
	struct wm_id_count *slot = find_slot(counts->slot, counts->capacity, id);
	counts->used += slot->count == 0;
	*slot = (struct wm_id_count){id, slot->count + amount};
	counts->total += amount;
}

void wm_id_counts_sort(struct wm_id_counts *counts, int (*order)(const void *, const void *))
{
	size_t used = 0;
	for (size_t i = 0; i < counts->capacity; i++)
		if (counts->slot[i].count)
			counts->slot[used++] = counts->slot[i];
	if (used)
		qsort(counts->slot, used, sizeof *counts->slot, order);
}

void wm_id_counts_release(struct wm_id_counts *counts)
{
	free(counts->slot);
}

int wm_by_count(const void *a, const void *b)
{
	const struct wm_id_count *x = a, *y = b;
	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return wm_by_id(a, b);
}
