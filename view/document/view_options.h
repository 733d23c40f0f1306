/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What a report shows, and what `report`, `run`, `untested`, `show`, `tests`, `diff` and `blame` derive from it.
 * cmd/report_options.h reads the command line.
 */
#ifndef WM_VIEW_DOCUMENT_VIEW_OPTIONS_H
#define WM_VIEW_DOCUMENT_VIEW_OPTIONS_H

#include "analysis/join/filter.h"
#include "analysis/join/stopped.h"
#include "analysis/source/source.h"
#include "support/json.h"

struct wm_takers;
struct wm_report_options {
	bool json, all, balance, no_source, full;
	bool expand; /* json: every path has its lines and decisions */
	bool correlations; /* report correlated decisions instead of paths */
	bool prime_paths; /* report prime paths instead of the paths of the profile */
	bool mcdc; /* report MC/DC of boolean expressions instead of paths */
	bool any_program; /* counts of one program are used for every other program */
	bool markdown; /* the document is Markdown */
	bool checks; /* nothing is left out because of `ignored` */
	uint8_t ignored; /* checks whose failures are left out: a set of enum wm_check */
	const char *html; /* directory */
	const char *source; /* glob of the file whose annotated text is printed; NULL: none */
	struct wm_function_filter filter; /* which functions are listed; its scope is the next member */
	struct wm_scope scope; /* to be released by wm_scope_release */
	const char *by; /* metric, of profiles of `waymark hw` */
	const char *debug_dir;
	struct wm_source_dirs source_dirs;
	const struct wm_takers *takers; /* html: the tests that take each path; NULL: not known */
	uint64_t functions, paths; /* how many to print */
	enum { WM_COLOUR_AUTO, WM_COLOUR_ALWAYS, WM_COLOUR_NEVER } colour;
};

/* The options must not be moved afterwards. */
void wm_report_options_init(struct wm_report_options *options);
/* The checks for wm_story_leave_out. */
uint8_t wm_report_ignored(const struct wm_report_options *options);
/* Whether the options ask for a document: for pages, or for text. */
bool wm_report_wants_document(const struct wm_report_options *options);
/* Says on stderr that the pages or the JSON document, which nobody reads whole, list functions that were refused. */
void wm_report_warn_refused(size_t count, const struct wm_report_options *options);

/* The raw profiles whose counts the story uses, and how many of its binaries wrote them. */
struct wm_report_runs {
	uint64_t runs;
	size_t objects;
};
struct wm_report_runs wm_report_runs(const struct wm_story *story);
/* Ends in wm_fail if --function, --file and --exclude let no function pass. */
void wm_report_need_wanted(const struct wm_story *story, const struct wm_report_options *options);
#endif
