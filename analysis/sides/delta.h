/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What changed between two sets of runs, the old and the new side: which paths appeared, vanished, became hotter or colder.
 *
 * Each side has its own runs, which are the tests of a suite (analysis/suite/suite.h), and its own binaries, so that the
 * sides may be of different builds.  Functions of the two sides are paired by their keys, then by name and base name of the
 * file.  If the graphs of a pair are equal, paths are compared by id.  Otherwise blocks are matched by their source text
 * (analysis/sides/match.h), and paths are compared by *ways*: a way is the sequence of matched blocks and outcomes that a path
 * goes through.  Paths of one side with the same way cannot be told apart on the other side and are one line of the
 * comparison.  A path of an unchanged graph is a way of its own.
 *
 * The share of a way in a run is its number of executions divided by the number of executions of all paths in the run.  A
 * function of which a side has counts that are refused, or that are of a graph which no binary of the side has, or whose graph has
 * changed and whose source is not at hand, cannot be compared: it is left out of everything, also of that number.
 */
#ifndef WM_ANALYSIS_SIDES_DELTA_H
#define WM_ANALYSIS_SIDES_DELTA_H

#include "analysis/join/operands.h"
#include "analysis/sides/match.h"
#include "analysis/suite/suite.h"

enum { WM_OLD, WM_NEW, WM_SIDES };

struct wm_delta_side {
	struct wm_suite suite;
	struct wm_binaries binaries;
	uint64_t *total; /* per run: executions of all paths of functions that can be compared */
	uint64_t executions; /* their sum */
	/* The executions of each path, per run: those of path p are from first[p] to first[p + 1]. */
	size_t *first;
	struct wm_delta_count {
		uint32_t run;
		uint64_t count;
	} *count;
};

enum wm_delta_change {
	WM_DELTA_NONE,
	WM_DELTA_APPEARED,
	WM_DELTA_VANISHED,
	WM_DELTA_HOTTER,
	WM_DELTA_COLDER,
	WM_DELTA_CHANGES
};

/* What a way is on one side. */
struct wm_delta_part {
	size_t path_count; /* 0: no run of the side takes the way */
	const uint32_t *path; /* of the suite; the hottest first */
	uint64_t executions;
	size_t runs; /* that take it */
	double share; /* the mean of the shares of all runs, from 0 to 1 */
	uint32_t unmatched; /* blocks on the first path that the other side does not have */
};

struct wm_delta_way {
	size_t function; /* in wm_delta.function */
	enum wm_delta_change change;
	struct wm_delta_part part[WM_SIDES];
	/* The other side cannot have the path as it is: it goes through blocks that only one side has. */
	bool code_changed;
	double p, q; /* analysis/sides/statistics.h; NAN: there is no test */
};

enum wm_delta_graph { WM_DELTA_SAME, WM_DELTA_CHANGED, WM_DELTA_ONLY_OLD, WM_DELTA_ONLY_NEW };

struct wm_delta_function {
	const struct wm_story_function *function[WM_SIDES]; /* NULL: the binaries of the side do not have it */
	enum wm_delta_graph graph;
	bool same_ids; /* its paths have the same ids on both sides; if its paths cross calls, other functions matter too */
	struct wm_match match; /* of the blocks, where ids are not the same */
	uint64_t executions[WM_SIDES];
	double share[WM_SIDES]; /* the means over all runs */
	size_t changes[WM_DELTA_CHANGES]; /* ways that differ, by kind */
	double weight; /* the largest difference of shares of a way that differs */
};

/* All pairs of functions of the two sides, also those that are not compared. */
struct wm_delta_pairs {
	size_t count;
	struct wm_delta_function *pair; /* of each only `function`, `graph`, `same_ids` and `match` */
	bool *refused; /* per pair: it cannot be compared */
	size_t *of[WM_SIDES]; /* per function of the story of a side that is not skipped: the number of its pair */
};

/* What is worth telling. */
struct wm_delta_limits {
	double change; /* a way that became hotter or colder must have changed its share by at least this */
	uint64_t count; /* and every way must have this many executions on a side */
	double q; /* if there are tests: ways that became hotter or colder need a q-value of at most this */
};

struct wm_delta {
	struct wm_delta_side side[WM_SIDES];
	const char *name[WM_SIDES]; /* how messages name the sides, as in "old" */
	const char *source_option[WM_SIDES]; /* which option names directories with their source files */
	struct wm_delta_limits limits;
	struct wm_sources *sources[WM_SIDES];
	bool tested; /* both sides have at least two runs */
	struct wm_delta_pairs pairs;
	size_t function_count;
	struct wm_delta_function *function; /* functions of which a path ran, descending weight */
	size_t way_count;
	struct wm_delta_way *way; /* those that differ first, then descending difference of shares */
	size_t different; /* how many ways differ */
	size_t changes[WM_DELTA_CHANGES]; /* ways that differ, by kind */
	size_t quiet; /* ways that became hotter or colder and do not differ, because of the limits */
	size_t graphs[WM_DELTA_ONLY_NEW + 1]; /* functions that ran, by graph */
	size_t refused_count, note_count;
	struct wm_story_refusal *refused;
	char **note;
	struct wm_arena arena;
};

/*
 * The suites must have their runs (wm_suite_add), and names, options, limits and sources must be set; everything else must be zero.
 * `operands` names the binaries of both sides: a binary belongs to the sides whose profiles have its build-id; a side with
 * counts of an object that none of the binaries is gets those with the name of the object, and all binaries if that gives
 * none.
 */
void wm_delta_build(struct wm_delta *delta, const struct wm_operands *operands, const char *debug_dir, bool any_program,
	const struct wm_function_filter *filter);
void wm_delta_release(struct wm_delta *delta);

/* Whether the way differs, within the limits. */
bool wm_delta_differs(const struct wm_delta *delta, const struct wm_delta_way *way);
/* The side on which a path of the way is shown: the new one, if it has the path. */
int wm_delta_shown(const struct wm_delta_way *way);
/* The path of a side that was executed most. */
const struct wm_suite_path *wm_delta_path(const struct wm_delta *delta, const struct wm_delta_way *way, int side);
/* The function that is shown. */
const struct wm_story_function *wm_delta_function(const struct wm_delta_function *function);
const char *wm_delta_change_text(enum wm_delta_change change); /* "same", "appeared", … */
/* "unchanged graph", "changed, 3 of 9 blocks matched", "only in old", "only in new"; heap */
char *wm_delta_graph_text(const struct wm_delta_function *function);

/* The block of the other side that a block of a function of `side` is; and the same of an edge, which is the same outcome only if it
 * leads to the same block.  WM_NONE: the other side does not have it. */
uint32_t wm_delta_other_block(
	struct wm_delta *delta, struct wm_delta_function *function, uint32_t side, uint32_t block);
uint32_t wm_delta_other_edge(struct wm_delta *delta, struct wm_delta_function *function, uint32_t side, uint32_t edge);

/* For options whose values are runs (struct wm_option_many): adds a run, or the runs of a directory, to a suite; and whether an
 * argument is a run, and no binary. */
void wm_take_run(void *suite, const char *value);
bool wm_is_run(const char *argument);

/* ---- What the files of analysis/sides share -------------------------------------------------- */

/* sides.c */

/* Reads the runs of both sides, opens their binaries and joins them.  Ends in wm_fail if a side has no counts of the binaries. */
void wm_delta_load(struct wm_delta *delta, const struct wm_operands *operands, const char *debug_dir, bool any_program);
void wm_delta_unload(struct wm_delta *delta);

/* The sum, or UINT64_MAX if it does not fit. */
uint64_t wm_sum(uint64_t a, uint64_t b);

/* pairs.c */

/*
 * Fills delta->function with a pair for each function of the stories that is not skipped, and pair[SIDE][i] with the number of
 * the pair of function i of the story of that side.  Functions are paired with the same key, graph and program; then with the
 * same key and graph; the same key and program; the same key; and, if only one function of each side has them, the same name
 * and base name of the file.
 */
void wm_delta_pair(struct wm_delta *delta, size_t *pair[WM_SIDES]);

/* ways.c */

/* A path of a side and its way, as words: paths of a pair of functions with the same words have the same way. */
struct wm_delta_item {
	size_t pair; /* in wm_delta.function */
	uint32_t side, path;
	uint64_t executions;
	uint32_t word_count;
	const uint32_t *word;
	uint32_t unmatched; /* blocks that the other side does not have */
	bool code_changed; /* the other side does not have a block or an edge of the path */
};

/* Fills in word, unmatched and code_changed; memory is in delta->arena. */
void wm_delta_find_way(struct wm_delta *delta, struct wm_delta_item *item, size_t *pair[WM_SIDES]);

#endif
