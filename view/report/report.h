/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What `report` and `run` print, and what a recording's prime paths print in the same form: one report per question, each as a
 * document and as JSON.
 */
#ifndef WM_VIEW_REPORT_REPORT_H
#define WM_VIEW_REPORT_REPORT_H

#include "view/document/view_options.h"

/* Prints the report in the formats that the options select. */
void wm_report(const struct wm_story *story, const struct wm_report_options *options);
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

#endif
