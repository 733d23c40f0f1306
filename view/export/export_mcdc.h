/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The MC/DC records of a tracefile of LCOV; export_mcdc.c describes them. */
#ifndef WM_VIEW_EXPORT_EXPORT_MCDC_H
#define WM_VIEW_EXPORT_EXPORT_MCDC_H

#include "analysis/coverage/coverage.h"
#include <stdio.h>

struct wm_mcdc_record;
struct wm_mcdc_records {
	size_t count;
	struct wm_mcdc_record *record; /* by file, line and number of conditions */
	size_t next; /* the first that was not printed */
};

/* Of the functions that pass the filter.  Functions that did not run are numbered. */
void wm_mcdc_records_build(
	struct wm_mcdc_records *records, struct wm_story *story, const struct wm_function_filter *filter);
/* Those of a file; the files must be printed in ascending order of their names. */
void wm_mcdc_records_print(struct wm_mcdc_records *records, const char *file, FILE *out);
void wm_mcdc_records_release(struct wm_mcdc_records *records);

#endif
