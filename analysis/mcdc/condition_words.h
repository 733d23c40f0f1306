/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Boolean expressions and their conditions as the source writes them. */
#ifndef WM_ANALYSIS_MCDC_CONDITION_WORDS_H
#define WM_ANALYSIS_MCDC_CONDITION_WORDS_H

#include "analysis/mcdc/expressions.h"
#include "analysis/source/decision.h"

#define WM_EXPRESSION_MAX 240

struct wm_operand_words {
	/* The condition with the negations around it, "column 7" if its text is not known, or "block 3". */
	char text[WM_CONDITION_MAX];
	bool known; /* it is the text of the source */
	bool negated; /* the text is true if the tested value is false */
};
/* Of the condition with this index. */
void wm_operand_tell(struct wm_operand_words *words, const struct wm_story_function *function,
	const struct wm_expression *expression, uint32_t index, struct wm_sources *sources);

/* The text of the whole expression; "" if it is not known. */
void wm_expression_tell(char text[WM_EXPRESSION_MAX], const struct wm_story_function *function,
	const struct wm_expression *expression, struct wm_sources *sources);

#endif
