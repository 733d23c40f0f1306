/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What a report shows, JSON and other helpers that `report`, `run`, `residual`, `show` and `tests` share; view_options.c and the
 * report_*.c files implement it, and cmd/report_options.h reads the command line.
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
	const char *html; /* directory */
	const char *source; /* glob of the file whose annotated text is printed; NULL: none */
	struct wm_function_filter filter; /* which functions are listed */
	const char *by; /* metric, of profiles of `waymark hw` */
	const char *debug_dir;
	struct wm_source_dirs source_dirs;
	const struct wm_takers *takers; /* html: the tests that take each path; NULL: not known */
	uint64_t functions, paths; /* how many to print */
	enum { WM_COLOUR_AUTO, WM_COLOUR_ALWAYS, WM_COLOUR_NEVER } colour;
};

void wm_report_options_init(struct wm_report_options *options);
/* Prints the report in the formats that the options select. */
void wm_report(const struct wm_story *story, const struct wm_report_options *options);
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
/* How many functions are instrumented: whether the others ran is not known. */
size_t wm_report_instrumented(const struct wm_story *story);

/* Ends in wm_fail if --function, --file and --exclude let no function pass. */
void wm_report_need_wanted(const struct wm_story *story, const struct wm_report_options *options);
/* Whether the function is in lists that people read.  They have what the filter lets pass, and leave out functions in system headers that are not instrumented, unless the
 * user asks for functions by --all, --function or --file. */
bool wm_report_lists(const struct wm_story_function *function, const struct wm_report_options *options);
/* How many functions wm_report_lists leaves out for that reason. */
size_t wm_report_unlisted(const struct wm_story *story, const struct wm_report_options *options);
/* What the report says of the paths across calls of a unit that ran: their scheme, and how many call sites they cross.  Heap;
 * NULL if the unit did not run. */
char *wm_report_unit_text(const struct wm_story_unit *unit);
/* Text goes to `out`; HTML, if options->html, to its directory. */
void wm_report_document(const struct wm_story *story, const struct wm_report_options *options, FILE *out);
void wm_report_json(const struct wm_story *story, const struct wm_report_options *options, FILE *out);
/* view/report/annotated_source.c: prints the annotated text of the only file that options->source matches, or the same as JSON.  Ends in
 * wm_fail if no file, or more than one, matches. */
void wm_report_source(const struct wm_story *story, const struct wm_report_options *options, FILE *out);

/* The same of --correlations, and what a function of a JSON report has under "correlations". */
void wm_report_correlations(const struct wm_story *story, const struct wm_report_options *options, FILE *out);
json_t *wm_json_correlations(const struct wm_story_function *function, struct wm_sources *sources);
/* The same of --mcdc, instead of the report of paths. */
void wm_report_mcdc(const struct wm_story *story, const struct wm_report_options *options, FILE *out);
/* What a function of a JSON report has under "mcdc", and what the document has there. */
json_t *wm_json_mcdc(struct wm_story_function *function, struct wm_sources *sources);
json_t *wm_json_mcdc_totals(const struct wm_story *story, const struct wm_report_options *options);
/* Adds up the functions that the options let pass. */
struct wm_mcdc_totals;
void wm_report_mcdc_total(
	const struct wm_story *story, const struct wm_report_options *options, struct wm_mcdc_totals *totals);

/* The same of --prime-paths; `steps` is working memory. */
struct wm_steps;
void wm_report_primes(const struct wm_story *story, const struct wm_report_options *options, FILE *out);
json_t *wm_json_primes(const struct wm_story_function *function, struct wm_steps *steps);
/* The same of a recording, in the formats that the options select. */
struct wm_wpp_view;
void wm_report_recorded_primes(const struct wm_wpp_view *view, const struct wm_report_options *options);

/* A function without its paths; and one path, without its lines and decisions.  `steps` is working memory everywhere. */
json_t *wm_json_function(const struct wm_story_function *function);
struct wm_steps;
struct wm_trail;
struct wm_decision;
/* Adds "condition", the text of which an outcome is told; nothing if it is that of the whole statement. */
void wm_json_condition(json_t *object, const struct wm_decision *decision);
/* The blocks that a trail enters. */
json_t *wm_json_blocks(const struct wm_trail *trail);
/* blocks, lines, start, end and decisions of a path of the function alone that need not have an id. */
json_t *wm_json_trail(const struct wm_story_function *function, const struct wm_trail *trail, struct wm_steps *steps);
json_t *wm_json_path(const struct wm_story_function *function, const struct wm_story_path *path);
/* Adds the lines and decisions of a path. */
void wm_json_expand(json_t *object, const struct wm_story_function *function, uint64_t id, struct wm_steps *steps);
/* Prints ,"block":[...], the table of the lines and decisions of the blocks of a function that ran; empty for others. */
void wm_json_print_blocks(const struct wm_story_function *function, struct wm_steps *steps, FILE *out);
/* The source lines of a path, and its decisions. */
json_t *wm_json_lines(const struct wm_steps *steps);
json_t *wm_json_decisions(const struct wm_steps *steps);
/* first_seen and pid of a path of a residual function; nothing for others. */
void wm_json_sighting(json_t *object, const struct wm_story_function *function, const struct wm_story_path *path);
json_t *wm_json_objects(const struct wm_story *story);
json_t *wm_json_refused(const struct wm_story_refusal *list, size_t count);
json_t *wm_json_notes(char *const *list, size_t count);
/* Adds "stopped_early" and, if there are reasons, "stopped_because".  Releases the reasons. */
void wm_json_stopped(json_t *document, struct wm_stops stops);
/* Adds "loops": the iterations or the context of each loop; nothing for schemes without them. */
void wm_json_loops(json_t *object, const struct wm_story_function *function);
/* The number, or the share as a percentage; null if it is not known. */
json_t *wm_json_count_if(bool known, uint64_t number);
json_t *wm_json_share_if(bool known, uint64_t part, uint64_t whole);
/* Adds paths_possible, or paths_possible_log10 when the number is not a 63-bit integer. */
void wm_json_possible(json_t *object, const struct wm_story_function *function);

#endif
