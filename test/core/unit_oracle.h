/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The paths across calls of a unit, straight from their definition: all of them as text, in numbering order.  Shares with
 * core/ only the choice of sites to cross, the cuts and the order of functions.  Recursive, slow and plain on purpose.
 *
 * A path is written as
 *   E1        begins at the entry of function 1 (context: or at a restart of it)
 *   S1.4      goes on, or begins, at block 4 of function 1 as a restart
 *   1.4       block 4 of function 1
 *   (         crosses a call
 *   )1.2      returns after call site 2 of function 1
 *   B1.2      begins after call site 2 of function 1, which cuts paths
 *   g4 x n c2 ends: before block 4, at a return, at an exit that does not return, before call site 2
 *   p2        ends in call site 2, which has not returned
 */
#ifndef WM_TEST_CORE_UNIT_ORACLE_H
#define WM_TEST_CORE_UNIT_ORACLE_H

#include "core/trail/trail.h"
#include "test/core/oracle.h"

struct unit_oracle {
	const struct wm_unit_plan *plan;
	bool pieces;
	struct oracle *function;
	bool **restarts; /* per function, per block */
	bool *root;
	uint32_t count, limit;
	char **path; /* in numbering order */
	uint32_t *sorted; /* ids by text */
	/* State of the listing. */
	bool full;
	char text[8192];
	size_t used;
	uint32_t depth;
	struct wm_caller open[64]; /* function WM_NONE: entered from outside */
};

/* False when there are more than `limit` paths. */
bool unit_oracle_init(struct unit_oracle *oracle, const struct wm_unit_plan *plan, const bool *entry, uint32_t limit);
void unit_oracle_release(struct unit_oracle *oracle);
/* The id of a path, or WM_NONE. */
uint32_t unit_oracle_find(const struct unit_oracle *oracle, const char *text);
bool unit_oracle_stops(const struct unit_oracle *oracle, uint32_t function, uint32_t edge);
/* Whether paths end before this call and begin after it. */
bool unit_oracle_cuts(const struct unit_oracle *oracle, uint32_t function, uint32_t site);
/* Whether paths may end in this call. */
bool unit_oracle_waits(const struct unit_oracle *oracle, uint32_t function, uint32_t site);
/* Whether the edge leads from a call that is crossed, cuts paths or may end them to its landing pad. */
bool unit_oracle_unwinds(const struct unit_oracle *oracle, uint32_t function, uint32_t edge);
/* A decoded path as text. */
void unit_path_text(const struct wm_unit_plan *plan, const struct wm_trail *trail, char *text, size_t room);

#endif
