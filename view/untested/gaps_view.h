/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What no test took: text and HTML (gaps_document.c), JSON (gaps_json.c), SARIF and annotations (gaps_findings.c). */
#ifndef WM_VIEW_UNTESTED_GAPS_VIEW_H
#define WM_VIEW_UNTESTED_GAPS_VIEW_H

#include "analysis/untested/gaps.h"
#include "view/document/view_options.h"

/* Prints text or JSON to standard output and writes pages, as the options select. */
void wm_gaps_print(const struct wm_gaps *gaps, const struct wm_report_options *options);
/* SARIF, as a file or to standard output for "-"; and workflow commands of GitHub, one for each gap. */
void wm_gaps_sarif(const struct wm_gaps *gaps, const struct wm_report_options *options, const char *file);
void wm_gaps_annotate(const struct wm_gaps *gaps, const struct wm_report_options *options, FILE *out);
void wm_gaps_json(const struct wm_gaps *gaps, const struct wm_report_options *options, FILE *out);

#endif
