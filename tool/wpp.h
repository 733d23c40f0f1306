/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the files of `waymark wpp` share: wpp.c has the command, wpp_hot.c, wpp_dump.c, wpp_segments.c,
 * wpp_sites.c, wpp_as.c with wpp_across.c, and wpp_html.c answer one question each. */
#ifndef WM_TOOL_WPP_H
#define WM_TOOL_WPP_H

#include "core/grammar/hot.h"
#include "core/scheme/interprocedural.h"
#include "tool/page.h"
#include "tool/segment_counts.h"
#include "tool/wpp_view.h"

struct wm_wpp_options {
	struct wm_report_options common;
	uint64_t least, most; /* length of hot sequences */
	double share; /* of the cost, from 0 to 1 */
	uint64_t from, to; /* of --range: positions */
	bool dump, sites;
	uint64_t segments; /* K; 0: none are asked for */
	const char *as; /* a scheme, or NULL */
	struct wm_operands like; /* binaries that count paths across calls: their units are those of `as` */
	const char *output;
};

/* Minimal hot sequences, by falling cost.  wm_fail if there are too many entries.  Memory in the arena. */
void wm_wpp_find_hot(const struct wm_wpp_view *view, const struct wm_wpp_options *options, struct wm_hot *hot,
	struct wm_arena *arena);
void wm_wpp_hot(const struct wm_wpp_view *view, const struct wm_wpp_options *options);
void wm_wpp_html(const struct wm_wpp_view *view, const struct wm_wpp_options *options);
void wm_wpp_dump(const struct wm_wpp_view *view, const struct wm_wpp_options *options);
void wm_wpp_segments(const struct wm_wpp_view *view, const struct wm_wpp_options *options);
void wm_wpp_sites(const struct wm_wpp_view *view, const struct wm_wpp_options *options);
/* Adds the path segments that span at most `most_calls` calls. */
void wm_wpp_find_segments(const struct wm_wpp_view *view, uint32_t most_calls, struct wm_segment_counts *counts);
/* That processes were forked from others which the recording lacks; heap, NULL if there are none. */
char *wm_wpp_orphans_text(const struct wm_segment_counts *counts);
/* Writes options->output. */
void wm_wpp_as(const struct wm_wpp_view *view, const struct wm_wpp_options *options);
/* Gives all acyclic paths of the recording; `function` is an index of the table of the recording. */
typedef void wm_wpp_path(void *closure, uint32_t function, const struct wm_id_count *path);
void wm_wpp_acyclic(const struct wm_wpp_view *view, void *closure, wm_wpp_path *found);

/* The same for a scheme across calls. */
void wm_wpp_across(
	const struct wm_wpp_view *view, const struct wm_wpp_options *options, const struct wm_unit_scheme *scheme);

/* Whether --file and --exclude let the function of an entry pass; true if neither was given. */
bool wm_wpp_wants(const struct wm_wpp_view *view, uint64_t entry, const struct wm_report_options *options);
/* An entry as JSON: of a subpath, function, id, blocks, lines, start, end and decisions; of any other, "special". */
json_t *wm_wpp_entry_json(const struct wm_wpp_view *view, uint64_t entry, struct wm_steps *steps);
/* An entry on one line; with its source lines, if `rows`. */
void wm_wpp_print_entry(const struct wm_wpp_view *view, struct wm_page *page, uint64_t entry, bool rows);
/* {"schema": …} with what is known of the recording as a whole, except whether it stopped early. */
json_t *wm_wpp_document(const struct wm_wpp_view *view);

/* wpp_summary.c: what a recording says of its processes. */

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
