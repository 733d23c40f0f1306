/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The question of `waymark untested` about the field: which of its paths no test took.  `waymark store --html` asks it, too. */
#ifndef WM_CMD_UNTESTED_FIELD_H
#define WM_CMD_UNTESTED_FIELD_H

#include "analysis/join/operands.h"
#include "cmd/report_options.h"
#include "view/untested/untested_view.h"

/* The status of a gate that does not hold, in addition to 1, a mistake of the user, and 2, a defect of Waymark. */
enum { WM_EXIT_UNTESTED = 3 };

struct wm_field_options {
	struct wm_report_options report;
	struct wm_untested_forms forms;
	struct wm_operands operands; /* profiles of the field, and binaries */
	char **tested; /* profiles of the tests */
	size_t tested_count;
	bool gate; /* --fail-if-untested */
	double percent;
	char **triage; /* the ids of paths that are triaged instead of reported */
	size_t triage_count;
	const char *note; /* why they are; NULL: not given */
};

/* The WM_OPTION_MAYBE of --fail-if-untested; the target is the options. */
void wm_field_take_gate(void *target, const char *value);
/* Compares the field with the tests and prints the result.  Returns the exit status. */
int wm_field_compare(struct wm_field_options *options);

#endif
