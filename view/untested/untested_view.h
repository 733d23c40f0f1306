/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is untested: text, Markdown and pages (untested_document.c, untested_summary.c), JSON (untested_json.c), SARIF and annotations
 * (untested_findings.c). */
#ifndef WM_VIEW_UNTESTED_UNTESTED_VIEW_H
#define WM_VIEW_UNTESTED_UNTESTED_VIEW_H

#include "analysis/untested/gaps.h"
#include "view/document/view_options.h"

/* The answer to one of the two questions of `waymark untested`; the other member is NULL. */
struct wm_untested_answer {
	const struct wm_gaps *gaps; /* what no test took at all */
	const struct wm_untested *field; /* which paths of the field no test took */
	const struct wm_story *story; /* of the tests, or of the field */
	size_t count; /* of functions */
	char *const *note;
	size_t note_count;
	const struct wm_story_refusal *refused;
	size_t refused_count;
};

static inline struct wm_untested_answer wm_untested_of_gaps(const struct wm_gaps *gaps)
{
	const struct wm_story *story = &gaps->suite->story;
	return (struct wm_untested_answer){
		gaps, NULL, story, gaps->count, story->note, story->note_count, gaps->refused, gaps->refused_count};
}

static inline struct wm_untested_answer wm_untested_of_field(const struct wm_untested *field)
{
	return (struct wm_untested_answer){NULL, field, field->field, field->function_count, field->note,
		field->note_count, field->refused, field->refused_count};
}

static inline const struct wm_untested_function *wm_untested_at(
	const struct wm_untested_answer *answer, size_t function)
{
	return answer->gaps ? &answer->gaps->function[function].base : &answer->field->function[function];
}

/* How findings are written for programs that show what is wrong with a line. */
struct wm_untested_forms {
	const char *sarif; /* the name of a file, "-" for standard output, or NULL */
	bool github; /* workflow commands of GitHub, one for each finding */
};
/* Prints findings, text, Markdown or JSON and writes pages, as the options select; text is printed if nothing else is asked for. */
void wm_untested_print(const struct wm_untested_answer *answer, const struct wm_report_options *options,
	const struct wm_untested_forms *forms);
void wm_untested_json(const struct wm_untested_answer *answer, const struct wm_report_options *options, FILE *out);
void wm_untested_sarif(
	const struct wm_untested_answer *answer, const struct wm_report_options *options, const char *file);
void wm_untested_annotate(const struct wm_untested_answer *answer, const struct wm_report_options *options, FILE *out);

#endif
