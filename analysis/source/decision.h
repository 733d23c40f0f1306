/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The decision at the end of a block in words: the outcome, and the condition of which it is the outcome.
 *
 * An outcome is told of text of the source only if that text is known to be the condition (analysis/source/condition.h).  Otherwise it is
 * told of the whole condition of the statement, if that is known; otherwise the words only say where control goes.
 */
#ifndef WM_ANALYSIS_SOURCE_DECISION_H
#define WM_ANALYSIS_SOURCE_DECISION_H

#include "analysis/join/story.h"
#include "analysis/source/condition.h"
#include "analysis/source/source.h"

/* A longer outcome is shortened by decision.c, a longer condition by wm_tokens_text (tokens.h). */
#define WM_OUTCOME_MAX 72
#define WM_CONDITION_MAX 96

struct wm_decision {
	/* The text whose outcome it is, such as "c == 3", or "column 7" if the source is not known.  "": the whole condition of
	 * the line, or there is no condition. */
	char condition[WM_CONDITION_MAX];
	/* The text of the whole condition, if it is what the outcome is of and is known. */
	char statement[WM_CONDITION_MAX];
	/* "": nothing is decided; "true", "case RED", "threw", "to line 12", "to line 12:9", … */
	char outcome[WM_OUTCOME_MAX];
	/* It is the outcome of the whole condition of a statement, of which the branch may test only the last operand. */
	bool of_statement;
	/* The outcome only says where control goes: neither the source nor the compiler knows of what it is the outcome. */
	bool vague;
};

/* `edge` is an edge out of `block`.  `sources` may be NULL. */
void wm_decision_tell(struct wm_decision *decision, const struct wm_story_function *function, uint32_t block,
	uint32_t edge, struct wm_sources *sources);
/* The tokens of a condition that is computed as a value (WM_VALUE_OPERAND, WM_VALUE_SPLIT); condition->negated: it is true if the
 * value is false.  NULL: its extent is not known. */
const struct wm_tokens *wm_value_tokens(const struct wm_story_function *function, const struct wm_map_value *value,
	struct wm_sources *sources, struct wm_condition *condition);
/* The same as wm_decision_tell of the last operand of the condition, which was evaluated (analysis/source/last_operand.h).  False:
 * there is none, or its text is not known: it is then told by its column. */
bool wm_decision_tell_operand(struct wm_decision *decision, const struct wm_story_function *function, uint32_t block,
	uint32_t edge, struct wm_sources *sources);
/* "c == 3: false", or only the outcome. */
const char *wm_decision_text(const struct wm_decision *decision, char text[WM_CONDITION_MAX + WM_OUTCOME_MAX]);
/* What stands between the subject of a sentence and the text: "has " true, "goes " to line 12, "" returned. */
const char *wm_decision_verb(const struct wm_decision *decision);
/* The outcome without the source. */
void wm_outcome_text(
	const struct wm_story_function *function, uint32_t block, uint32_t edge, char text[WM_OUTCOME_MAX]);

/* The tokens of the file of a place in a function, and in *at the token there.  NULL: not known. */
const struct wm_tokens *wm_place_tokens(const struct wm_story_function *function, const struct wm_map_line *place,
	struct wm_sources *sources, size_t *at);

/* The first known position in a block; if it has none, that of the first block with a known one that follows it without a
 * decision; NULL if unknown.  And its line, or 0. */
const struct wm_map_line *wm_block_place(const struct wm_story_function *function, uint32_t block);
uint32_t wm_block_line(const struct wm_story_function *function, uint32_t block);

#endif
