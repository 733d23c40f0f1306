/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Profiles and recordings in the formats of other programs.  export.c has the table of the formats; the files export_*.c
 * write them.  A writer prints to a stream that escapes nothing: each escapes names from files as its format demands.
 */
#ifndef WM_VIEW_EXPORT_EXPORT_H
#define WM_VIEW_EXPORT_EXPORT_H

#include "analysis/coverage/costs.h"
#include "analysis/coverage/coverage.h"
#include "analysis/replay/recording_view.h"
#include "analysis/source/source.h"
#include <stdio.h>

/* What a format is made from; what the format does not need is NULL. */
struct wm_export {
	struct wm_story *story;
	const struct wm_flows *flows;
	const struct wm_coverage *coverage;
	const struct wm_costs *costs;
	const struct wm_wpp_view *recording;
	const struct wm_function_filter *filter;
};

/* COSTS: of a profile or a recording; RECORDING: of a recording alone; the others: of a profile alone.  UNTESTED: `waymark
 * untested` writes it, and there is no writer; HARDWARE: of a profile of `waymark hw`, and cmd/cmd_export.c writes it. */
enum wm_export_need {
	WM_EXPORT_COVERAGE,
	WM_EXPORT_FLOW,
	WM_EXPORT_COSTS,
	WM_EXPORT_RECORDING,
	WM_EXPORT_UNTESTED,
	WM_EXPORT_HARDWARE,
};

struct wm_export_format {
	const char *name, *reader; /* for --help: what it is for */
	enum wm_export_need need;
	bool binary; /* it is not text, and is not written to standard output */
	void (*write)(const struct wm_export *export, FILE *out);
};
/* Ends with a format without a name. */
extern const struct wm_export_format wm_export_formats[];
/* NULL: there is no such format. */
const struct wm_export_format *wm_export_find(const char *name);

void wm_export_lcov(const struct wm_export *export, FILE *out);
void wm_export_cobertura(const struct wm_export *export, FILE *out);
void wm_export_callgrind(const struct wm_export *export, FILE *out);
void wm_export_pprof(const struct wm_export *export, FILE *out);
void wm_export_sample(const struct wm_export *export, FILE *out);
void wm_export_speedscope(const struct wm_export *export, FILE *out);
void wm_export_chrome(const struct wm_export *export, FILE *out);

#endif
