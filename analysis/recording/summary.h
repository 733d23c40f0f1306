/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a recording says of its processes: how long they waited, how they ended, and what it lacks. */
#ifndef WM_ANALYSIS_RECORDING_SUMMARY_H
#define WM_ANALYSIS_RECORDING_SUMMARY_H

#include "analysis/recording/view.h"
#include "support/json.h"

/* The microseconds that all threads waited for the spooler; 2^64 - 1 if they are more. */
uint64_t wm_wpp_waited(const struct wm_wpp_view *view);
/* Adds the same to the document as JSON. */
void wm_wpp_summary_json(const struct wm_wpp_view *view, json_t *document);
/* Sentences for a reader about the waits and about processes that did not end by exit; heap, NULL if there is nothing to
 * say. */
char *wm_wpp_wait_text(const struct wm_wpp_view *view);
char *wm_wpp_ending_text(const struct wm_wpp_view *view);
/* Whether the answer lacks something: the recording ends before the program did, or the user has interrupted the command. */
bool wm_wpp_stopped(const struct wm_wpp_view *view);
/* "stopped early: …"; heap, NULL if nothing did. */
char *wm_wpp_stopped_text(const struct wm_wpp_view *view);
/* Adds "stopped_early" and, if something did, "stopped_because" to the document. */
void wm_wpp_stopped_json(const struct wm_wpp_view *view, json_t *document);
/* Prints a sentence on a line of its own, if there is one, and frees it. */
void wm_wpp_print_sentence(FILE *out, char *sentence);

#endif
