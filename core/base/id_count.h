/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How often something with an id was executed. */
#ifndef WM_CORE_ID_COUNT_H
#define WM_CORE_ID_COUNT_H

#include <stdint.h>

struct wm_id_count {
	uint64_t id, count;
};

/* For qsort(3) and bsearch(3). */
static inline int wm_by_id(const void *left, const void *right)
{
	const struct wm_id_count *a = left, *b = right;
	return (a->id > b->id) - (a->id < b->id);
}

#endif
