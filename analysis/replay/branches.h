/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A recording of `waymark hw` joined with the binaries that it is of: its entries are paths of machine code. */
#ifndef WM_ANALYSIS_REPLAY_BRANCHES_H
#define WM_ANALYSIS_REPLAY_BRANCHES_H

#include "analysis/join/operands.h"
#include "analysis/machine/hw_story.h"
#include "profile/wpp/wpp.h"

struct wm_wpp_branches {
	const struct wm_wpp_table *table;
	struct wm_profile profile; /* the objects of the recording */
	struct wm_hw_view view;
	struct wm_hw_story story;
	uint32_t *procedure; /* per function of the table: the first function that is in the same procedure */
};

/* Ends in wm_fail if a binary is not one of those that ran.  Code of other binaries has no lines. */
void wm_wpp_branches_open(struct wm_wpp_branches *branches, const struct wm_wpp_table *table,
	const struct wm_operands *operands, const char *debug_dir);
void wm_wpp_branches_release(struct wm_wpp_branches *branches);

/* Finds the path of an entry, for wm_hw_story_tell.  False: the entry makes no sense. */
bool wm_wpp_branches_find(const struct wm_wpp_branches *branches, uint64_t entry, struct wm_hw_story_path *path);
/* How many basic blocks the path of an entry executes; WM_HOT_NEVER for entries that make no sense.  If the code is not
 * known, the number of branches, but at least 1. */
uint64_t wm_wpp_branches_weight(const struct wm_wpp_branches *branches, uint64_t entry);
/* The procedure of a function of the table; an object without symbols is one procedure.  Heap. */
char *wm_wpp_branches_name(const struct wm_wpp_branches *branches, uint32_t function);

#endif
