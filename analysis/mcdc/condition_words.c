/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/mcdc/condition_words.h"
#include "analysis/source/condition.h"
#include <stdio.h>
#include <string.h>

/* Whether the value that is tested is the negation of the expression at the place. */
static bool is_negation(const struct wm_operand *operand)
{
	return operand->value && !operand->value->truth;
}

/* The tokens of a condition, with its negations: condition->negated says whether it is true if the value that is tested is false.
 * NULL: the extent is not known. */
static const struct wm_tokens *find_text(const struct wm_story_function *function, const struct wm_operand *operand,
	struct wm_sources *sources, struct wm_condition *condition)
{
	size_t at;
	if (operand->kind == WM_OPERAND_CONSTANT)
		return NULL;
	if (operand->value)
		return wm_value_tokens(function, operand->value, sources, condition);
	const struct wm_tokens *tokens = wm_place_tokens(function, &operand->place, sources, &at);
	return tokens && wm_condition_expression(tokens, at, operand->name, condition) ? tokens : NULL;
}

/* The whole condition of the statement at the place. */
static bool tell_statement(struct wm_operand_words *words, const struct wm_story_function *function,
	const struct wm_operand *operand, struct wm_sources *sources)
{
	size_t at;
	struct wm_condition condition;
	const struct wm_tokens *tokens = wm_place_tokens(function, &operand->place, sources, &at);
	if (!tokens || !wm_condition_statement(tokens, at, &condition))
		return false;
	wm_tokens_text(tokens, condition.first, condition.end, words->text, sizeof words->text);
	return true;
}

/* A macro whose outcome the compiler's blocks tell (analysis/source/decision.h).  What is told of a statement is told of the
 * condition only if there is no other one. */
static bool tell_macro(struct wm_operand_words *words, const struct wm_story_function *function,
	const struct wm_expression *expression, const struct wm_operand *operand, struct wm_sources *sources)
{
	struct wm_decision decision;
	const struct wm_graph *graph = &function->map->graph;
	if (operand->kind != WM_OPERAND_BRANCH)
		return false;
	wm_decision_tell(
		&decision, function, operand->block, graph->first_edge[operand->block] + operand->true_edge, sources);
	if (decision.of_statement && expression->count > 1)
		return false;
	bool holds = !strcmp(decision.outcome, "true"), fails = !strcmp(decision.outcome, "false");
	if (!(holds || fails) || (!decision.condition[0] && !tell_statement(words, function, operand, sources)))
		return false;
	if (decision.condition[0])
		snprintf(words->text, sizeof words->text, "%s", decision.condition);
	words->negated = fails;
	return true;
}

static void tell_place(struct wm_operand_words *words, const struct wm_operand *operand)
{
	if (operand->kind == WM_OPERAND_CONSTANT)
		snprintf(words->text, sizeof words->text, "constant %s", operand->truth ? "true" : "false");
	else if (operand->place.line && operand->place.column)
		snprintf(words->text, sizeof words->text, "column %u", operand->place.column);
	else
		snprintf(words->text, sizeof words->text, "block %u", operand->block);
	words->negated = is_negation(operand);
}

void wm_operand_tell(struct wm_operand_words *words, const struct wm_story_function *function,
	const struct wm_expression *expression, uint32_t index, struct wm_sources *sources)
{
	const struct wm_operand *operand = &expression->operand[index];
	struct wm_condition condition;
	const struct wm_tokens *tokens = find_text(function, operand, sources, &condition);
	*words = (struct wm_operand_words){.known = tokens};
	if (tokens) {
		wm_tokens_text(tokens, condition.first, condition.end, words->text, sizeof words->text);
		words->negated = condition.negated;
	} else if (!tell_macro(words, function, expression, operand, sources)) {
		tell_place(words, operand);
	}
}

/* The range of tokens of all conditions; a condition whose extent is not known counts with the token at its place. */
static const struct wm_tokens *find_range(const struct wm_story_function *function,
	const struct wm_expression *expression, struct wm_sources *sources, size_t *first, size_t *end)
{
	const struct wm_tokens *of_all = NULL;
	*first = WM_NO_TOKEN;
	*end = 0;
	for (uint32_t c = 0; c < expression->count; c++) {
		struct wm_condition condition;
		size_t at;
		const struct wm_operand *operand = &expression->operand[c];
		const struct wm_tokens *tokens = wm_place_tokens(function, &operand->place, sources, &at);
		if (operand->kind == WM_OPERAND_CONSTANT)
			continue;
		if (!tokens || (of_all && tokens != of_all) || at == WM_NO_TOKEN)
			return NULL;
		of_all = tokens;
		if (!wm_condition_expression(tokens, at, operand->name, &condition) &&
			!wm_condition_operand(tokens, at, &condition))
			return NULL;
		*first = condition.first < *first ? condition.first : *first;
		*end = condition.end > *end ? condition.end : *end;
	}
	return of_all;
}

void wm_expression_tell(char text[WM_EXPRESSION_MAX], const struct wm_story_function *function,
	const struct wm_expression *expression, struct wm_sources *sources)
{
	struct wm_condition range = {0};
	const struct wm_tokens *tokens = find_range(function, expression, sources, &range.first, &range.end);
	text[0] = 0;
	if (!tokens || !wm_condition_balance(tokens, &range.first, &range.end))
		return;
	if (!expression->used_as_value)
		wm_condition_enlarge(tokens, &range);
	wm_tokens_text(tokens, range.first, range.end, text, WM_EXPRESSION_MAX);
}
