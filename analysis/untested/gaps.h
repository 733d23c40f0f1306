/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Gaps of a test suite: what no test took, from the profiles of the tests alone (`waymark untested`; untested.h serves --field).
 *
 * A gap is a path of a function that no test completed (core/paths/neighbours.h finds the nearest), or an outcome of a decision,
 * which is an edge out of a block with several out-edges, that no test took.  Gaps are sought in functions that tests
 * enter; a function that no test enters is one gap as a whole.
 *
 * Where activations were left inside calls, it may not be known whether a test took an outcome (analysis/tell/abandoned.h).  A path
 * is not known if tests took all of it up to such an outcome, or up to an end that no test came to.
 *
 * Paths across calls and paths that are named by pieces are not sought.  For functions with such paths the outcomes are gaps at
 * all levels.
 *
 * A person who writes tests begins with outcomes: each of them is a test that is missing, and a path over an untested outcome
 * says the same again.  So at the level of both, the paths that are listed take only outcomes that are tested, in a new
 * combination.
 */
#ifndef WM_ANALYSIS_UNTESTED_GAPS_H
#define WM_ANALYSIS_UNTESTED_GAPS_H

#include "analysis/suite/suite.h"
#include "analysis/tell/abandoned.h"
#include "analysis/untested/baseline.h"
#include "analysis/untested/untested.h"
#include "core/paths/neighbours.h"

enum wm_gap_level { WM_GAP_BOTH, WM_GAP_PATH, WM_GAP_EDGE };

struct wm_gap {
	enum wm_gap_level kind; /* PATH or EDGE */
	/* Decisions that differ from the nearest tested path; of an outcome: untested outcomes from a tested block to it,
	 * itself included. */
	uint32_t distance;
	uint32_t behind; /* EDGE: untested outcomes in blocks that no test comes to and to which this outcome leads */
	struct wm_story_path own; /* PATH: id, start and end; the count is 0 */
	struct wm_untested_path path; /* PATH: of `own`; EDGE: only `block` and `edge` */
	bool infeasible; /* PATH: likely; decisions contradict each other (core/trail/feasible.h) */
	uint32_t earlier, later; /* … after this block, the decision of that block cannot be as the path has it */
	bool lost; /* a test of the baseline took it */
	bool throws; /* a call throws an exception in it */
	size_t test_count; /* that come closest: take the nearest path, or come to the block */
	uint32_t *test; /* ascending indices in the suite */
};

/* Untested outcomes, or paths, of a function. */
struct wm_gap_list {
	uint64_t known; /* gaps that are in the baseline */
	/* Gaps that are neither in the baseline nor, as far as is known, likely infeasible; also those that are not listed. */
	uint64_t total;
	size_t infeasible; /* of the gaps; they are the last */
	size_t count;
	struct wm_gap *gap;
};

struct wm_gap_function {
	struct wm_untested_function base; /* `field` and `tests` are the function of the story */
	bool lists_outcomes, seeks_paths;
	const char *
		unsearched; /* NULL, or why its paths are not sought although the question asks for paths: one clause */
	uint64_t sought, outside; /* PATH: paths that match the question, and how many of them no test took */
	uint64_t decisions, untaken; /* outcomes of decisions that match the question, and how many no test took */
	uint64_t left_out, left_out_taken; /* failures of checks that match the question, and how many a test took */
	/* Activations that were left inside calls, and the outcomes and paths of which it is therefore not known whether a test took
	 * them.  They are no gaps and are not among the other numbers. */
	uint64_t left, unknown_outcomes, unknown_paths;
	bool stopped; /* the search for paths ended early */
	bool changed; /* the baseline has another graph of the function */
	/* Paths, neither in the baseline nor likely infeasible, that differ in one decision from a tested path; at most as many
	 * as were sought. */
	size_t near;
	struct wm_gap_list outcomes, paths;
};

/* What is asked for. */
struct wm_gap_question {
	enum wm_gap_level level;
	size_t most; /* paths per function that are listed; and as many that are likely infeasible */
	size_t search; /* paths per function that are sought, so that those that are likely infeasible are known */
	bool no_throw; /* leave out paths and outcomes in which a call throws */
	const struct wm_function_filter *filter;
	/* NULL, or only paths through such a block, and outcomes of decisions at its end or, if no test comes to it, that lead to
	 * it. */
	bool (*touches)(const void *closure, const struct wm_story_function *function, uint32_t block);
	const void *closure;
	const struct wm_baseline *baseline; /* NULL, or gaps in it are not listed */
	struct wm_sources *sources; /* for labels of the baseline */
	bool stale; /* what `touches` asks for is not what was compiled */
	const char *scope; /* NULL, or what `touches` means: one clause */
};

struct wm_gaps {
	struct wm_suite *suite; /* with a story */
	struct wm_gap_question question;
	struct wm_arena arena;
	size_t count;
	struct wm_gap_function *function; /* that tests enter and the question selects, in the order of the story */
	size_t never_count;
	const struct wm_story_function **never; /* that no test enters and the question selects */
	size_t refused_count;
	struct wm_story_refusal *refused; /* of functions that the question selects; the texts belong to the story */
	/* sums over `function` */
	size_t with_gaps;
	double sought, outside;
	uint64_t tested_paths;
	uint64_t decisions, untaken;
	uint64_t left_out, left_out_taken;
	uint64_t left, unknown_outcomes; /* `left`: of functions of which something is not known */
	double unknown_paths;
	size_t unknown; /* functions of which something is not known */
	size_t infeasible;
	double known; /* gaps in the baseline, of the kind that gates count */
	size_t throws; /* listed gaps in which a call throws */
	size_t known_never; /* functions that no test enters, now and in the baseline */
	size_t changed; /* functions of which the baseline has another graph */
};

/* The suite must outlive the gaps.  Takes O(paths of the tests · length), and a limited effort per function for the search. */
void wm_gaps_find(struct wm_gaps *gaps, struct wm_suite *suite, const struct wm_gap_question *question);
void wm_gaps_release(struct wm_gaps *gaps);

/* The functions that are instrumented and that the question selects. */
struct wm_gap_scope {
	size_t functions, refused;
	size_t templates, instances; /* functions that are several instances of a template, and how many these are */
	size_t shared; /* they are in several binaries, where a report counts them in each */
};
struct wm_gap_scope wm_gaps_scope(const struct wm_gaps *gaps);

/* "both", "path" or "edge" */
const char *wm_gap_level_name(enum wm_gap_level level);
/* Whether gates count paths, instead of outcomes; and the gaps of the function that are of this kind. */
bool wm_gaps_count_paths(const struct wm_gaps *gaps);
const struct wm_gap_list *wm_gap_list(const struct wm_gaps *gaps, const struct wm_gap_function *function);
/* How many of them gates count: all outcomes, but only paths that are near.  A path far from all tested paths is no test that
 * somebody forgot. */
uint64_t wm_gap_counted(const struct wm_gaps *gaps, const struct wm_gap_function *function);
/* How many outcomes or paths of the function are tested. */
uint64_t wm_gap_tested(const struct wm_gaps *gaps, const struct wm_gap_function *function);
/* Whether there is something to tell of the function. */
bool wm_gap_function_has(const struct wm_gap_function *function);
/* Whether something of the function is not known. */
bool wm_gap_function_unknown(const struct wm_gap_function *function);
/* How many outcomes the function gaps->never[i] has, at least 1; 1 if gates count paths, because no tested path is near. */
uint64_t wm_gaps_never_total(const struct wm_gaps *gaps, size_t i);

/* The rest is in gaps_text.c. */

/* Where the path parts from the nearest tested path, as wm_untested_news; or the outcome, as wm_edge_text. */
char *wm_gap_text(const struct wm_gap_function *function, const struct wm_gap *gap, struct wm_sources *sources);
/* "likely infeasible: …", with the lines that contradict each other, or NULL; heap. */
char *wm_gap_infeasible_text(const struct wm_gap_function *function, const struct wm_gap *gap);
/* "a, b and 3 more", or "all 9", or NULL if no tests are named, because there is only one; heap. */
char *wm_gap_tests_text(const struct wm_gaps *gaps, const struct wm_gap *gap, size_t most);
/* A number of paths: "1,234" or "10^17.3". */
const char *wm_paths_print(double paths, char text[32]);
/* The same in the block of the caller, until its end. */
#define wm_paths_text(paths) wm_paths_print((paths), (char[32]){0})

/* What the files gaps*.c share: a function while its gaps are sought. */
struct wm_gap_work {
	struct wm_gaps *gaps;
	struct wm_gap_function *f;
	const struct wm_story_function *function;
	const struct wm_graph *graph;
	size_t owner; /* of its paths in the suite */
	const bool *taken; /* per control-flow edge; the last one is the entry */
	/* Per block: a test comes to it, or may have come to it before it left a call.  NULL: no test enters the function. */
	bool *visited;
	size_t tested_count;
	const uint64_t
		*id; /* PATH: of the tested paths, ascending; also without reports of sanitizers that were left out */
	const struct wm_story_path **tested; /* per id: the path that ran */
	struct wm_abandoned abandoned;
	/* PATH, if activations were abandoned: per edge of the DAG, no test took it, and it is not known whether abandoned paths
	 * did; no test took it at all. */
	bool *doubtful, *untaken;
	const struct wm_baseline_function *before; /* NULL: the function is not in the baseline, or there is none */
	char **label; /* if there is `before` */
	struct wm_arena arena;
};

/* Memory that must not be NULL. */
void *wm_gap_need(void *memory);
/* Whether the question is about paths through the block, and whether it leaves out this edge, which may be WM_NONE. */
bool wm_gap_touches(const struct wm_gap_work *work, uint32_t block);
bool wm_gap_is_left_out(const struct wm_gap_work *work, uint32_t edge);
/* Whether the edge, which may be WM_NONE, leads from a call to where control goes when the call throws. */
bool wm_gap_throws(const struct wm_gap_work *work, uint32_t edge);
/* Whether the baseline lacks this outcome. */
bool wm_gap_is_new(const struct wm_gap_work *work, uint32_t edge);
/* Whether the outcome is one that the question is about. */
bool wm_gap_asks_outcome(const struct wm_gap_work *work, uint32_t edge);
/* Fills in which tests take the path; nothing in a suite of one test. */
void wm_gap_name_tests(const struct wm_gap_work *work, struct wm_gap *gap, uint64_t id);

/* gaps_behind.c: finds the blocks that tests come to; fills in `behind` of the listed outcomes.  O(outcomes · edges that no test comes to). */
void wm_gap_find_visited(struct wm_gap_work *work);
void wm_gap_count_behind(struct wm_gap_work *work);

/* gaps_paths.c: finds the untested paths. */
void wm_gap_find_paths(struct wm_gap_work *work);

#endif
