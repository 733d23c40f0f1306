/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Raw profiles of one build have one function table, which is as large as all that a short run has counted.  A reader of many
 * files keeps the table of the last one, and checks a table again only if its bytes are others.
 */
#ifndef WM_PROFILE_RAW_RAW_TABLE_H
#define WM_PROFILE_RAW_RAW_TABLE_H

#include "abi/abi.h"
#include "profile/base/function_counts.h"

struct wm_raw_table {
	struct wm_raw_header header;
	struct wm_raw_func *func; /* NULL: no file was read yet */
	uint64_t *owner, *order; /* struct wm_raw_file explains them */
	size_t order_count;
	uint64_t sum; /* wm_checksum of the table */
	uint64_t number; /* that of this table: each one gets the next */
	uint64_t summed; /* the number of the table all of whose functions are in the sum of the caller; 0: none */
};

/* Whether a file with this header and these functions has the same table at the same place. */
bool wm_raw_table_is(
	const struct wm_raw_table *table, const struct wm_raw_header *header, const struct wm_raw_func *func);
/* Frees the arrays. */
void wm_raw_table_clear(struct wm_raw_table *table);

#endif
