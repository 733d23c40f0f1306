/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The first lines of a report on what is untested, and its list of what is not known. */
#ifndef WM_VIEW_UNTESTED_UNTESTED_SUMMARY_H
#define WM_VIEW_UNTESTED_UNTESTED_SUMMARY_H

#include "view/document/document.h"
#include "view/untested/untested_view.h"

void wm_untested_summarise(struct wm_document *document, const struct wm_untested_answer *answer);
/* The functions of which it is not known whether tests took some outcomes or paths. */
void wm_untested_list_unknown(struct wm_document *document, const struct wm_gaps *gaps);
/* "outcomes", "paths" or "outcomes and paths": what is listed. */
const char *wm_untested_nouns(const struct wm_gaps *gaps);

#endif
