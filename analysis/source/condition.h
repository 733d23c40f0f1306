/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Conditions in source text.  The compiler says at which token a condition is: at its operator, or where it begins.  From
 * there, the extent of the condition is found by the precedence of operators.
 *
 * Nothing is claimed about text that is not understood: the functions then return false, or the side is unknown.
 */
#ifndef WM_ANALYSIS_SOURCE_CONDITION_H
#define WM_ANALYSIS_SOURCE_CONDITION_H

#include "analysis/source/tokens.h"
#include "profile/map/map.h"

struct wm_condition {
	size_t first, end; /* tokens */
	bool negated; /* it contains an odd number of ! around the expression that was asked for */
	/* It is the whole condition of the statement with which its line begins, and which has its condition on that line: a
	 * reader who sees the line need not be told what is true or false. */
	bool whole;
};

/*
 * The expression at token `at`, with the ! and parentheses around it.  `name` is wm_map_condition.name.  False if the token may
 * be a macro, or if the extent is not clear.
 */
bool wm_condition_expression(
	const struct wm_tokens *tokens, size_t at, const char *name, struct wm_condition *condition);

/* A word that may be a macro, with its arguments and the ! and parentheses around it, if it is an operand of && or || or the
 * condition of ?: as a whole. */
bool wm_condition_operand(const struct wm_tokens *tokens, size_t at, struct wm_condition *condition);

/* The right operand of the && or || at a token.  False: the token is another one, or the extent is not clear. */
bool wm_condition_right(const struct wm_tokens *tokens, size_t at, struct wm_condition *condition);

/* Enlarges a range of tokens until it contains the partner of every bracket in it, and by the ! before a bracket with which the
 * range then begins, unless that bracket contains all of it.  False: a bracket has no partner. */
bool wm_condition_balance(const struct wm_tokens *tokens, size_t *first, size_t *end);
/* Adds the ! and parentheses around the condition. */
void wm_condition_enlarge(const struct wm_tokens *tokens, struct wm_condition *condition);

/* The whole condition of the if, while, for or do whose condition contains the token, or whose first token it is. */
bool wm_condition_statement(const struct wm_tokens *tokens, size_t at, struct wm_condition *condition);

/* Whether the code at token `target` is executed only if the condition of the statement that contains token `at`
 * holds, or only if it does not hold: WM_SIDE_HOLDS, WM_SIDE_FAILS or WM_SIDE_UNKNOWN. */
enum wm_side wm_condition_side(const struct wm_tokens *tokens, size_t at, size_t target);

/* Whether the end of a statement is between two lines, first < last. */
bool wm_condition_statement_ends(const struct wm_tokens *tokens, uint32_t first, uint32_t last);

#endif
