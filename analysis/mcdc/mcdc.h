/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * MC/DC of the boolean expressions of a story, from the counts of its paths.  core/paths/diagram.h has the definitions.
 *
 * A path contains the outcome of every branch in order, so it tells the evaluations of every expression on it: one each time that
 * the first condition is evaluated.  Only evaluations that are observed as a whole are used.  Others are counted apart:
 *   - those that end with a condition whose value is not observed (WM_OPERAND_UNSEEN);
 *   - those that are begun on one path and finished on another one, as by a loop inside of the expression, or by a cut.
 * So a condition that is said to be shown was seen to be.
 */
#ifndef WM_ANALYSIS_MCDC_MCDC_H
#define WM_ANALYSIS_MCDC_MCDC_H

#include "analysis/mcdc/expressions.h"
#include "analysis/tell/trails.h"

/* All evaluations of an expression in which its conditions had these values. */
struct wm_evaluation {
	uint8_t *value; /* per condition: 0, 1 or WM_NOT_EVALUATED */
	bool outcome;
	uint64_t count; /* exact; saturates at UINT64_MAX */
	uint64_t path, path_count; /* the path that was executed most often among those with such an evaluation */
};

#define WM_NO_EVALUATION SIZE_MAX
struct wm_independence {
	bool shown;
	bool searched; /* `unique` is known: there were not too many evaluations */
	bool unique; /* the pair is also one of unique-cause MC/DC */
	size_t pair[2]; /* the evaluations in which the condition is false, and true; shown only */
};

struct wm_mcdc_expression {
	const struct wm_expression *expression;
	/* It is part of a check that is left out of the story (analysis/join/story_checks.h), and none of its evaluations failed
	 * where another one did not. */
	bool left_out;
	size_t count;
	struct wm_evaluation *evaluation; /* descending counts */
	uint64_t begun; /* how often the first condition was evaluated */
	uint64_t observed; /* evaluations that were observed as a whole: the sum of the counts */
	uint64_t unseen; /* evaluations that ended with a condition whose value is not observed */
	struct wm_independence *condition; /* per condition */
};

struct wm_mcdc_function {
	const struct wm_story_function *function;
	char *reason; /* why it is not analysed: a clause; or NULL */
	struct wm_expressions expressions;
	struct wm_mcdc_expression *expression; /* expressions.count */
	struct wm_arena arena;
};

struct wm_mcdc_totals {
	size_t functions, left_out; /* analysed and not */
	size_t expressions, obstructed;
	size_t of_checks; /* expressions that are left out of all other numbers */
	size_t conditions, shown, constant, unseen; /* unseen: of WM_OPERAND_UNSEEN */
};

/* Analyses a function.  What the story says of it may be anything.  The function is numbered if it was not. */
void wm_mcdc_analyse(struct wm_mcdc_function *mcdc, struct wm_story_function *function);
void wm_mcdc_release(struct wm_mcdc_function *mcdc);
void wm_mcdc_add(struct wm_mcdc_totals *totals, const struct wm_mcdc_function *mcdc);

/* Whether some evaluation could show the condition: it is observed and not a constant. */
bool wm_mcdc_can_show(const struct wm_operand *operand);

#endif
