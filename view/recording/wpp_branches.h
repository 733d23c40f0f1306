/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Entries of recordings of `waymark hw`. */
#ifndef WM_VIEW_RECORDING_WPP_BRANCHES_H
#define WM_VIEW_RECORDING_WPP_BRANCHES_H

#include "analysis/replay/branches.h"
#include "view/document/document.h"

/* Print an entry as wm_wpp_tell_entry and wm_wpp_entry_json do. */
void wm_wpp_branches_tell(const struct wm_wpp_branches *branches, struct wm_document *document, const char *prefix,
	uint64_t entry, bool rows);
json_t *wm_wpp_branches_json(const struct wm_wpp_branches *branches, uint64_t entry, struct wm_steps *steps);

#endif
