/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A trend: what the tests of one commit after the other take, each with the binaries that wrote its profiles.
 *
 * An outcome or a path is the same in two commits if its function has the same name, file and graph in both.  A function without
 * these is other code: what is untested in it was *added*, or *removed*, with the code, and is neither new nor closed.
 * Outcomes are those of all functions, also of functions that no test enters.  Numbers of untested outcomes add up:
 *
 *     untested = untested of the commit before + fresh + added - closed - removed
 */
#ifndef WM_ANALYSIS_UNTESTED_TREND_H
#define WM_ANALYSIS_UNTESTED_TREND_H

#include "analysis/join/filter.h"
#include "analysis/join/operands.h"
#include <stdint.h>

/* Elements of one commit that the commit before did not have, and the other way round. */
struct wm_trend_change {
	uint64_t fresh, added; /* in code that both have; in code that only this one has */
	uint64_t closed, removed; /* the same of those that only the commit before has */
};

struct wm_trend_commit {
	char *name;
	int64_t first; /* when its first run began, seconds since 1970 */
	size_t tests;
	bool known; /* a binary of it was given; else the rest is 0 */
	size_t functions, entered, refused;
	struct wm_unscoped left_out; /* functions that are not of the project */
	uint64_t outcomes, untested; /* of decisions */
	uint64_t
		unknown; /* outcomes of which it is not known whether a test took them; they are not among `outcomes` */
	uint64_t paths; /* that tests take */
	bool compared; /* with the last known commit before; else the changes are 0 */
	struct wm_trend_change untested_change, path_change;
};

/* An outcome or a path of a function, or a function. */
struct wm_trend_element {
	uint64_t key, graph, item;
};
struct wm_trend_set {
	size_t count;
	struct wm_trend_element *element; /* ascending; several programs may have the same */
};
struct wm_trend_sets {
	struct wm_trend_set functions, untested, paths;
};

struct wm_trend {
	size_t count;
	struct wm_trend_commit *commit;
	int scope; /* enum wm_scope_mode; set before commits are added */
	/* while it is built */
	struct wm_trend_sets before; /* of the last known commit */
	bool has_before;
};

/* The trend must be initialised with zeros.  Appends a commit; `profiles` is an operand with its tests (analysis/suite/suite.h).
 * Ends in wm_fail if they cannot be read. */
void wm_trend_add(struct wm_trend *trend, const char *name, int64_t first, const char *profiles,
	const struct wm_binaries *binaries, const char *debug_dir);
void wm_trend_release(struct wm_trend *trend);

/* Which part of the outcomes is tested, from 0 to 1; 1 if there are none. */
double wm_trend_share(const struct wm_trend_commit *commit);
/* The last known commit; NULL: none is. */
const struct wm_trend_commit *wm_trend_last(const struct wm_trend *trend);

#endif
