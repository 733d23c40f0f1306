/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the files of `waymark wpp` share: cmd/cmd_wpp.c has the command, wpp_hot.c, wpp_dump.c, wpp_segments.c,
 * and wpp_sites.c answer one question each, and wpp_pictures.c draws. */
#ifndef WM_VIEW_RECORDING_WPP_VIEW_H
#define WM_VIEW_RECORDING_WPP_VIEW_H

#include "analysis/replay/recording_view.h"
#include "analysis/replay/summary.h"
#include "core/grammar/hot.h"
#include "view/document/document.h"
#include "view/recording/wpp_branches.h"

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

/* Minimal hot sequences; wm_fail if there are too many entries. */
void wm_wpp_hot(const struct wm_wpp_view *view, const struct wm_wpp_options *options);
/* HTML: for each thread, a picture of time against functions. */
void wm_wpp_pictures(const struct wm_wpp_view *view, FILE *out);
void wm_wpp_dump(const struct wm_wpp_view *view, const struct wm_wpp_options *options);
void wm_wpp_segments(const struct wm_wpp_view *view, const struct wm_wpp_options *options);
void wm_wpp_sites(const struct wm_wpp_view *view, const struct wm_wpp_options *options);
/* Whether --file and --exclude let the function of an entry pass; true if neither was given. */
bool wm_wpp_wants(const struct wm_wpp_view *view, uint64_t entry, const struct wm_report_options *options);
/* An entry as JSON: of a subpath, function, id, blocks, lines, start, end and decisions; of any other, "special". */
json_t *wm_wpp_entry_json(const struct wm_wpp_view *view, uint64_t entry, struct wm_steps *steps);
/* An entry on one line, which begins with `prefix` in a text; with its source lines, if `rows`. */
void wm_wpp_tell_entry(
	const struct wm_wpp_view *view, struct wm_document *document, const char *prefix, uint64_t entry, bool rows);
/* {"schema": …} with what is known of the recording as a whole, except whether it stopped early. */
json_t *wm_wpp_document(const struct wm_wpp_view *view);

#endif
