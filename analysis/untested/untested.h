/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which paths ran in the field and are not tested, for `waymark untested` with profiles of the field; gaps.h serves it without
 * them.  Compares two stories of the same binaries path by path, and edge
 * by edge (thesis07 table 3.1).  If the field ran a residual build, its story contains only untested paths, and the
 * number of tested paths that ran is not known.  Such a comparison needs no story of the tests; without one, untested
 * edges and nearest tested paths are not known.
 *
 * Only functions whose paths are known exactly in both stories are compared; the others are refused by name.  A path
 * is tested if a test completed it in the same graph; an unfinished path, if a test came to the same call in the same way
 * (tested_prefixes.h), which a residual build does not know: without a story of the tests, these are left out.  An edge is a control-flow edge, back edges included, or the
 * entry of the function.  An edge is tested if a tested path takes it, and untested if only untested paths of the
 * field take it.
 */
#ifndef WM_ANALYSIS_UNTESTED_UNTESTED_H
#define WM_ANALYSIS_UNTESTED_UNTESTED_H

#include "analysis/join/filter.h"
#include "analysis/untested/taken_edges.h"
#include "core/paths/nearest.h"
#include "profile/profile_triage.h"
#include <stdio.h>

struct wm_untested_path {
	const struct wm_story_path *path;	  /* in the field; perhaps unfinished */
	uint64_t
		triage_id; /* by which people name it: profile/profile_triage.h; an unfinished path cannot be triaged */
	const struct wm_story_path
		*nearest; /* the nearest tested path; NULL: no test completes a path, or `path` is unfinished */
	uint32_t common, distance; /* blocks, see core/paths/nearest.h */
	const struct wm_story_function *function; /* in which they part; NULL: in the one that they begin in */
	uint32_t block; /* whose decision parts them; WM_NONE: they start at, or return to, different places */
	uint32_t position; /* of that block on both paths, or WM_NONE */
	uint32_t edge, nearest_edge; /* the control-flow edges that the two paths take there */
	bool edge_tested; /* some test takes `edge` */
	bool edge_unknown; /* not known, because activations were left inside calls */
	bool beginning_tested; /* … after the same beginning, too; then the nearest path is nearest in another sense (gaps.h) */
};

enum wm_tested {
	WM_TESTED, /* tests complete paths of it */
	WM_TESTED_ENTERED, /* tests enter it and complete no path */
	WM_TESTED_NEVER, /* no test runs it */
	WM_TESTED_UNKNOWN, /* there is no story of the tests */
};

struct wm_sources;
struct wm_sightings;
struct wm_untested_function {
	const struct wm_story_function *field, *tests;
	enum wm_tested tested;
	uint64_t executions; /* of untested paths */
	uint64_t unfinished_executions; /* of those, how many were left in calls */
	size_t unfinished_count; /* how many of the untested paths are unfinished */
	size_t path_count;
	struct wm_untested_path *path; /* descending count, then ascending id */
	size_t edge_count;
	uint32_t *edge; /* untested; WM_NONE: the entry */
	size_t hidden_count; /* untested paths that go only through functions without an untested edge */
};

struct wm_untested {
	struct wm_story *field, *tests; /* tests: NULL when unknown */
	bool triaging; /* the triaged paths are known, and their ids are shown so that others can be triaged */
	const struct wm_sightings
		*sightings; /* NULL, or what a store knows of the paths; set by the caller, for documents */
	bool residual; /* `paths` and `executions` are of untested paths only */
	size_t function_count; /* functions that were executed in the field and were compared */
	struct wm_untested_function *function; /* descending untested executions, paths; then as in the field */
	size_t refused_count, note_count;
	struct wm_story_refusal *refused;
	char **note;
	/* the summary */
	uint64_t paths, executions; /* of the field */
	uint64_t untested_paths, untested_executions, untested_edges;
	uint64_t untested_unfinished; /* how many of the untested paths are unfinished */
	size_t functions_with_paths, functions_with_edges;
	uint64_t hidden_paths; /* the sum of hidden_count */
	uint64_t known_paths; /* paths that a residual build counted as untested although tests take them */
	uint64_t triaged_paths; /* left out */
};

/* Both stories must outlive the result.  `tests` may be NULL if the story of the field is residual.  A function of the
 * field that cannot be compared is refused in the story of the field.  Only functions that the filter selects are
 * compared.  Paths that are triaged are left out.  The time is O(paths · length) plus that of core/paths/nearest.h. */
void wm_untested_build(struct wm_untested *untested, struct wm_story *field, struct wm_story *tests,
	const struct wm_function_filter *filter, const struct wm_triages *triages_or_null);
void wm_untested_release(struct wm_untested *untested);

/* The function in which the path parts from the nearest. */
const struct wm_story_function *wm_untested_parting(
	const struct wm_untested_function *function, const struct wm_untested_path *path);

/* Fills in where a path, of a function whose paths do not cross calls, parts from the nearest tested path. */
void wm_untested_part(struct wm_untested_path *path, const struct wm_plan *plan, const struct wm_nearest *found,
	const struct wm_taken_edges *tested);

/* The rest is in untested_text.c. */

/* Whether it was left in a call. */
bool wm_untested_is_unfinished(const struct wm_untested_path *path);
/* What ran in the field, completed or known up to a call: paths, and how often they ran. */
size_t wm_untested_ran_paths(const struct wm_untested_function *function);
uint64_t wm_untested_ran(const struct wm_untested_function *function);

/* What shares of its untested paths are of: all executions, or those of untested paths
 * where the others are not known. */
uint64_t wm_untested_whole(const struct wm_untested_function *function);
/* One clause, or "" for WM_TESTED and WM_TESTED_UNKNOWN. */
const char *wm_tested_text(enum wm_tested tested);
/*
 * A sentence that says where the path and the nearest tested path part; heap.  `sources` is for the text of conditions,
 * here and below, or NULL:
 *   "line 40 true, where the nearest tested path (path 8, 99 times in the tests) has
 *   false; no test goes this way"
 */
char *wm_untested_news(
	const struct wm_untested_function *function, const struct wm_untested_path *path, struct wm_sources *sources);
/* "3 untested edges: line 40 false, line 41 to line 44 and 1 more", with at most `most` of the edges; heap. */
char *wm_untested_edges_text(const struct wm_untested_function *function, size_t most, struct wm_sources *sources);

#endif
