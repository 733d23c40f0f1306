/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The gates of `waymark untested`: how much may be untested.  They count what wm_gap_counted counts. */
#ifndef WM_CMD_UNTESTED_GATE_H
#define WM_CMD_UNTESTED_GATE_H

#include "analysis/change/change.h"
#include "analysis/untested/gaps.h"

/* A line of a budget: functions whose name matches may have this many gaps. */
struct wm_budget_line {
	char *name; /* or a glob */
	uint64_t most;
};

/* Must be initialised with zeros. */
struct wm_gate {
	bool fail; /* --fail: nothing may be untested */
	bool has_percent;
	double percent; /* --fail-under */
	size_t count;
	struct wm_budget_line *budget; /* --budget; the first that matches counts */
};

/* The WM_OPTION_CALLs of --budget, a number or the name of a file, and of --fail-under; the target is the gate. */
void wm_gate_take_budget(void *target, const char *value);
/* The same with a file relative to a directory. */
void wm_gate_take_budget_of(struct wm_gate *gate, const char *value, const char *directory);
void wm_gate_take_percent(void *target, const char *value);
/* Whether there is a gate. */
bool wm_gate_is_set(const struct wm_gate *gate);
/* False if there is a gate and it looks at a change which the binaries do not have: then it says so on stderr. */
bool wm_gate_sees(const struct wm_gate *gate, const struct wm_change *change);
/* Whether all gates hold; if not, says why on stderr. */
bool wm_gate_holds(const struct wm_gate *gate, const struct wm_gaps *gaps);
void wm_gate_release(struct wm_gate *gate);

#endif
