/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Entries of recordings of `waymark hw`. */
#ifndef WM_VIEW_WPP_BRANCHES_H
#define WM_VIEW_WPP_BRANCHES_H

#include "analysis/recording/branches.h"
#include "view/html.h"
#include "view/page.h"

/* Print an entry as wm_wpp_print_entry, wm_wpp_entry_json and the page do. */
void wm_wpp_branches_print(struct wm_wpp_branches *branches, struct wm_page *page, uint64_t entry, bool rows);
json_t *wm_wpp_branches_json(struct wm_wpp_branches *branches, uint64_t entry);
void wm_wpp_branches_html(struct wm_wpp_branches *branches, struct wm_html *html, uint64_t entry);

#endif
