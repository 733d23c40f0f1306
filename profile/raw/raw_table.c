/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profile/raw/raw_table.h"

#include <stdlib.h>
#include <string.h>

static bool same_place(const struct wm_raw_header *a, const struct wm_raw_header *b)
{
	return a->func_offset == b->func_offset && a->func_count == b->func_count &&
	       a->cells_offset == b->cells_offset && a->cells_size == b->cells_size &&
	       a->chunks_offset == b->chunks_offset;
}

bool wm_raw_table_is(
	const struct wm_raw_table *table, const struct wm_raw_header *header, const struct wm_raw_func *func)
{
	if (!table->func || !same_place(&table->header, header))
		return false;
	for (uint64_t i = 0; i < header->func_count; i++)
		if (memcmp(&table->func[i], &func[i], offsetof(struct wm_raw_func, lost)))
			return false;
	return true;
}

void wm_raw_table_clear(struct wm_raw_table *table)
{
	free(table->func);
	free(table->owner);
	free(table->order);
	table->func = NULL;
	table->owner = table->order = NULL;
}

struct wm_raw_table *wm_raw_table_new(void)
{
	return calloc(1, sizeof(struct wm_raw_table));
}

void wm_raw_table_free(struct wm_raw_table *table)
{
	if (table)
		wm_raw_table_clear(table);
	free(table);
}

void wm_raw_table_summed(struct wm_raw_table *table)
{
	table->summed = table->number;
}
