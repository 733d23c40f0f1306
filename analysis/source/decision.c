/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/source/decision.h"
#include "analysis/source/condition.h"
#include "analysis/source/labels.h"
#include "analysis/source/last_operand.h"
#include "support/xalloc.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct wm_map_line *wm_block_place(const struct wm_story_function *function, uint32_t block)
{
	const struct wm_map_function *map = function->map;
	for (uint32_t hops = 0; hops < map->graph.block_count; hops++) {
		const struct wm_map_block *info = &map->block[block];
		for (uint32_t i = 0; i < info->line_count; i++)
			if (info->line[i].line)
				return &info->line[i];
		if (info->decision.line)
			return &info->decision;
		uint32_t first = map->graph.first_edge[block];
		if (map->graph.first_edge[block + 1] != first + 1)
			return NULL;
		block = map->graph.edge_to[first];
	}
	return NULL;
}

uint32_t wm_block_line(const struct wm_story_function *function, uint32_t block)
{
	const struct wm_map_line *place = wm_block_place(function, block);
	return place ? place->line : 0;
}

/* ---- Without the source ----------------------------------------------------------------------- */

/* Appends text; if there is no room, the text ends in an ellipsis. */
static void append_part(char text[WM_OUTCOME_MAX], size_t *used, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
static void append_part(char text[WM_OUTCOME_MAX], size_t *used, const char *format, ...)
{
	static const char more[] = " ...";
	char part[48];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(part, sizeof part, format, arguments);
	va_end(arguments);
	size_t length = strlen(part);
	if (*used + length + sizeof more > WM_OUTCOME_MAX) {
		if (*used + sizeof more <= WM_OUTCOME_MAX && (!*used || text[*used - 1] != more[sizeof more - 2]))
			memcpy(text + *used, more, sizeof more), *used += sizeof more - 1;
		return;
	}
	memcpy(text + *used, part, length + 1);
	*used += length;
}

static int by_value(const void *left, const void *right)
{
	int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
	return a < b ? -1 : a > b;
}

/* The cases of one edge, with consecutive values as a range: "case 1, 3..7, default". */
static void values_text(const struct wm_map_block *info, uint32_t ordinal, char text[WM_OUTCOME_MAX])
{
	size_t used = 0, count = 0;
	int64_t *value = wm_xmalloc((info->case_count + 1) * sizeof *value);
	for (uint32_t i = 0; i < info->case_count; i++)
		if (info->cases[i].edge_ordinal == ordinal)
			value[count++] = info->cases[i].value;
	if (count)
		qsort(value, count, sizeof *value, by_value);
	for (size_t i = 0; i < count;) {
		size_t last = i;
		while (last + 1 < count && value[last + 1] == value[last] + 1)
			last++;
		append_part(text, &used, "%s%" PRId64, i ? ", " : "case ", value[i]);
		if (last > i)
			append_part(text, &used, "%s%" PRId64, last > i + 1 ? ".." : ", ", value[last]);
		i = last + 1;
	}
	if (info->default_edge == ordinal || !count)
		append_part(text, &used, "%sdefault", count ? ", " : "");
	free(value);
}

static void target_text(
	const struct wm_story_function *function, uint32_t target, const char *how, char text[WM_OUTCOME_MAX])
{
	uint32_t line = wm_block_line(function, target);
	if (line)
		snprintf(text, WM_OUTCOME_MAX, "%s line %u", how, line);
	else
		snprintf(text, WM_OUTCOME_MAX, "%s block %u", how, target);
}

/* ---- With the source ---------------------------------------------------------------------------- */

/* An edge that is told. */
struct telling {
	const struct wm_story_function *function;
	const struct wm_map_block *info;
	uint32_t block, edge, ordinal;
	struct wm_sources *sources;
	const struct wm_tokens *tokens; /* of the file of the decision; NULL: not known */
	size_t at; /* its token */
	struct wm_decision *decision;
};

const struct wm_tokens *wm_place_tokens(const struct wm_story_function *function, const struct wm_map_line *place,
	struct wm_sources *sources, size_t *at)
{
	const struct wm_map_module *module = function->module;
	if (!sources || !place || !place->line || !place->column || place->file >= module->file_count)
		return NULL;
	const struct wm_source_origin origin = {function->object->path, module};
	return wm_source_tokens(sources, module->file[place->file], place, &origin, at);
}

static const struct wm_tokens *tokens_at(const struct telling *t, const struct wm_map_line *place, size_t *at)
{
	return wm_place_tokens(t->function, place, t->sources, at);
}

/* A token of the code to which an edge leads, in the file of the decision. */
static size_t target_token(const struct telling *t, uint32_t edge)
{
	size_t at = WM_NO_TOKEN;
	const struct wm_map_line *place = wm_block_place(t->function, t->function->map->graph.edge_to[edge]);
	return tokens_at(t, place, &at) == t->tokens ? at : WM_NO_TOKEN;
}

static uint32_t other_edge(const struct telling *t)
{
	return t->function->map->graph.first_edge[t->block] + !t->ordinal;
}

static void say_truth(struct wm_decision *decision, bool holds)
{
	snprintf(decision->outcome, sizeof decision->outcome, "%s", holds ? "true" : "false");
}

static void say_of(const struct telling *t, const struct wm_condition *condition, bool holds)
{
	char *text = condition->whole ? t->decision->statement : t->decision->condition;
	say_truth(t->decision, holds);
	wm_tokens_text(t->tokens, condition->first, condition->end, text, WM_CONDITION_MAX);
}

static bool same_place(const struct wm_map_line *a, const struct wm_map_line *b, bool columns)
{
	return a && b && a->line == b->line && (!columns || a->column == b->column);
}

/* Whether the place to which an edge leads tells the edge from the other edges out of its block. */
static bool is_distinct(const struct telling *t, const struct wm_map_line *place, bool columns)
{
	const struct wm_graph *graph = &t->function->map->graph;
	if (!place || (columns && !place->column))
		return false;
	for (uint32_t e = graph->first_edge[t->block]; e < graph->first_edge[t->block + 1]; e++)
		if (e != t->edge && same_place(place, wm_block_place(t->function, graph->edge_to[e]), columns))
			return false;
	return true;
}

/* Where control goes, if no condition is known. */
static void say_target(const struct telling *t)
{
	t->decision->vague = true;
	uint32_t target = t->function->map->graph.edge_to[t->edge];
	const struct wm_map_line *place = wm_block_place(t->function, target);
	if (is_distinct(t, place, false))
		snprintf(t->decision->outcome, WM_OUTCOME_MAX, "to line %u", place->line);
	else if (is_distinct(t, place, true))
		snprintf(t->decision->outcome, WM_OUTCOME_MAX, "to line %u:%u", place->line, place->column);
	else
		snprintf(t->decision->outcome, WM_OUTCOME_MAX, "to block %u", target);
}

/* Whether no other branch of the function is at this position, as several are in a macro with &&. */
static bool is_alone(const struct telling *t)
{
	const struct wm_map_function *map = t->function->map;
	const struct wm_map_line *at = &t->info->decision;
	for (uint32_t b = 0; b < map->graph.block_count; b++) {
		const struct wm_map_line *other = &map->block[b].decision;
		if (b != t->block && map->block[b].terminator == WM_TERM_BRANCH && other->line == at->line &&
			other->column == at->column && other->file == at->file)
			return false;
	}
	return true;
}

/* A macro that is the left operand of && or ||, or the condition of ?:, is true or false if the compiler goes on as it does
 * for a true or false operand. */
static bool tell_operand(const struct telling *t)
{
	static const struct {
		uint8_t side;
		const char *mark, *word;
		bool holds;
	} rules[] = {{WM_SIDE_NEXT_IF_TRUE, "&&", "and", true}, {WM_SIDE_NEXT_IF_FALSE, "||", "or", false},
		{WM_SIDE_CHOSEN, "?", "?", true}, {WM_SIDE_OTHER, "?", "?", false}};
	struct wm_condition condition;
	const uint8_t *side = t->info->condition.side;
	/* Both sides can go on: in !(MACRO && a) && b, to a and to b. */
	if (side[0] == side[1] || !wm_condition_operand(t->tokens, t->at, &condition) || !is_alone(t))
		return false;
	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
		if (!wm_token_is(t->tokens, condition.end, rules[i].mark) &&
			!wm_token_is(t->tokens, condition.end, rules[i].word))
			continue;
		if (side[t->ordinal] == rules[i].side || side[!t->ordinal] == rules[i].side) {
			say_of(t, &condition, rules[i].holds == (side[t->ordinal] == rules[i].side));
			return true;
		}
	}
	return false;
}

/* Whether the edge decides the whole condition of the statement: by the names of the compiler, or in optimised code by the
 * place of the code to which it leads. */
static enum wm_side whole_side(const struct telling *t)
{
	if (t->function->map->stage == WM_CFG_SOURCE)
		return t->info->condition.side[t->ordinal];
	enum wm_side here = wm_condition_side(t->tokens, t->at, target_token(t, t->edge));
	enum wm_side there = wm_condition_side(t->tokens, t->at, target_token(t, other_edge(t)));
	if (here == there)
		return WM_SIDE_UNKNOWN;
	if (here != WM_SIDE_UNKNOWN)
		return here;
	return there == WM_SIDE_HOLDS ? WM_SIDE_FAILS : WM_SIDE_HOLDS;
}

/* A macro in the condition may contain a statement with a condition of its own.  Control then stays in the macro. */
static bool leaves(const struct telling *t, const struct wm_condition *condition)
{
	size_t target = target_token(t, t->edge);
	return target != WM_NO_TOKEN && (target < condition->first || target >= condition->end);
}

static bool tell_whole(const struct telling *t)
{
	struct wm_condition condition;
	enum wm_side side = whole_side(t);
	if ((side != WM_SIDE_HOLDS && side != WM_SIDE_FAILS) || !wm_condition_statement(t->tokens, t->at, &condition) ||
		!leaves(t, &condition))
		return false;
	say_of(t, &condition, side == WM_SIDE_HOLDS);
	t->decision->of_statement = true;
	return true;
}

/* Whether a ?: at the position of a macro is inside of it: the macro is no operand of a condition that the text has. */
static bool has_own_choice(const struct telling *t)
{
	static const char *const next[] = {"&&", "||", "and", "or", "?", NULL};
	struct wm_condition condition;
	if (!wm_condition_operand(t->tokens, t->at, &condition))
		return false;
	while (wm_token_is(t->tokens, condition.end, ")"))
		condition.end++;
	while (condition.first > 0 && wm_token_is(t->tokens, condition.first - 1, "("))
		condition.first--;
	return !wm_token_in(t->tokens, condition.end, next) &&
	       (!condition.first || !wm_token_in(t->tokens, condition.first - 1, next));
}

/* The whole condition of a statement or of ?: that a macro contains: "in send_bits: true". */
static bool tell_hidden(const struct telling *t)
{
	uint8_t side = t->info->condition.side[t->ordinal];
	bool whole = side == WM_SIDE_HOLDS || side == WM_SIDE_FAILS,
	     choice = side == WM_SIDE_CHOSEN || side == WM_SIDE_OTHER;
	bool word = t->at != WM_NO_TOKEN && t->tokens->token[t->at].kind == WM_TOKEN_WORD;
	if (!word || !(whole || (choice && has_own_choice(t))))
		return false;
	char text[WM_CONDITION_MAX - 3];
	wm_tokens_text(t->tokens, t->at, t->at + 1, text, sizeof text);
	snprintf(t->decision->condition, WM_CONDITION_MAX, "in %s", text);
	say_truth(t->decision, side == WM_SIDE_HOLDS || side == WM_SIDE_CHOSEN);
	t->decision->of_statement = true;
	return true;
}

/* Where nothing more is said, an operand was evaluated, and the next one follows. */
static bool tell_next(const struct telling *t)
{
	uint8_t side = t->info->condition.side[t->ordinal];
	if (side != WM_SIDE_NEXT_IF_TRUE && side != WM_SIDE_NEXT_IF_FALSE)
		return false;
	snprintf(t->decision->outcome, WM_OUTCOME_MAX, "goes on");
	t->decision->vague = true;
	return true;
}

/* Without its text, a condition is told by the whole statement, or by its column. */
static void tell_untexted(const struct telling *t)
{
	const struct wm_map_condition *condition = &t->info->condition;
	uint8_t here = condition->side[t->ordinal], there = condition->side[!t->ordinal];
	bool whole =
		(here == WM_SIDE_HOLDS && there == WM_SIDE_FAILS) || (here == WM_SIDE_FAILS && there == WM_SIDE_HOLDS);
	if (condition->kind == WM_CONDITION_UNKNOWN) {
		say_target(t);
		return;
	}
	say_truth(t->decision, whole ? here == WM_SIDE_HOLDS : t->ordinal == t->info->true_edge);
	if (!whole && condition->kind == WM_CONDITION_EXPRESSION && t->info->decision.column)
		snprintf(t->decision->condition, WM_CONDITION_MAX, "column %u", t->info->decision.column);
}

static bool tell_texted(const struct telling *t)
{
	struct wm_condition condition;
	bool holds = t->ordinal == t->info->true_edge;
	switch ((enum wm_condition_kind)t->info->condition.kind) {
	case WM_CONDITION_EXPRESSION:
		if (!wm_condition_expression(t->tokens, t->at, t->info->condition.name, &condition))
			return tell_operand(t) || tell_whole(t) || tell_hidden(t) || tell_next(t);
		say_of(t, &condition, holds != condition.negated);
		return true;
	case WM_CONDITION_WHOLE:
		if (!wm_condition_statement(t->tokens, t->at, &condition))
			return tell_hidden(t);
		condition.whole = false; /* its operands are on the line, too */
		say_of(t, &condition, holds);
		return true;
	case WM_CONDITION_UNKNOWN:
		return t->function->map->stage == WM_CFG_OPTIMISED && tell_whole(t);
	case WM_CONDITION_UNSAID:
	case WM_CONDITION_CASES:
		break;
	}
	return false;
}

/* Whether an edge leads to the comparison with a range of case labels. */
static bool leads_to_range(const struct telling *t)
{
	const struct wm_map_block *target = &t->function->map->block[t->function->map->graph.edge_to[t->edge]];
	return target->terminator == WM_TERM_BRANCH && target->condition.kind == WM_CONDITION_CASES;
}

static void tell_range(const struct telling *t)
{
	size_t target = t->tokens ? target_token(t, t->edge) : WM_NO_TOKEN;
	if (leads_to_range(t))
		snprintf(t->decision->outcome, WM_OUTCOME_MAX, "other");
	else if (t->ordinal != t->info->true_edge)
		snprintf(t->decision->outcome, WM_OUTCOME_MAX, "default");
	else if (!t->tokens || !wm_labels_range(t->tokens, target, t->decision->outcome, WM_OUTCOME_MAX))
		say_target(t);
}

static void tell_branch(const struct telling *t)
{
	if (t->info->condition.kind == WM_CONDITION_UNSAID)
		say_truth(t->decision, t->ordinal == t->info->true_edge);
	else if (t->info->condition.kind == WM_CONDITION_CASES)
		tell_range(t);
	else if (!t->tokens)
		tell_untexted(t);
	else if (!tell_texted(t))
		say_target(t);
}

static void tell_switch(const struct telling *t)
{
	bool optimised = t->function->map->stage == WM_CFG_OPTIMISED;
	char *outcome = t->decision->outcome;
	if (leads_to_range(t) && t->info->default_edge == t->ordinal)
		snprintf(outcome, WM_OUTCOME_MAX, "other");
	else if (t->tokens && optimised &&
		 !wm_labels_before(
			 t->tokens, t->at, t->info, t->ordinal, target_token(t, t->edge), outcome, WM_OUTCOME_MAX))
		say_target(t);
	else if (!t->tokens ||
		 (!optimised && !wm_labels_in_order(t->tokens, t->at, t->info, t->ordinal, outcome, WM_OUTCOME_MAX)))
		outcome[0] = 0, values_text(t->info, t->ordinal, outcome);
}

void wm_decision_tell(struct wm_decision *decision, const struct wm_story_function *function, uint32_t block,
	uint32_t edge, struct wm_sources *sources)
{
	const struct wm_graph *graph = &function->map->graph;
	const struct wm_map_block *info = &function->map->block[block];
	struct telling t = {.function = function,
		.info = info,
		.block = block,
		.edge = edge,
		.ordinal = edge - graph->first_edge[block],
		.sources = sources,
		.decision = decision};
	*decision = (struct wm_decision){0};
	t.tokens = tokens_at(&t, &info->decision, &t.at);
	switch ((enum wm_terminator)info->terminator) {
	case WM_TERM_NONE:
		break;
	case WM_TERM_BRANCH:
		tell_branch(&t);
		break;
	case WM_TERM_SWITCH:
		tell_switch(&t);
		break;
	case WM_TERM_INDIRECT:
		target_text(function, graph->edge_to[edge], "goto", decision->outcome);
		break;
	case WM_TERM_INVOKE:
		snprintf(decision->outcome, WM_OUTCOME_MAX, "%s", t.ordinal == 0 ? "returned" : "threw");
		break;
	case WM_TERM_ASM_GOTO:
		if (t.ordinal == 0)
			snprintf(decision->outcome, WM_OUTCOME_MAX, "asm fell through");
		else
			target_text(function, graph->edge_to[edge], "asm goto", decision->outcome);
		break;
	case WM_TERM_INSTRUCTION:
		snprintf(decision->outcome, WM_OUTCOME_MAX, "%s", t.ordinal == 0 ? "not taken" : "taken");
		break;
	}
}

const struct wm_tokens *wm_value_tokens(const struct wm_story_function *function, const struct wm_map_value *value,
	struct wm_sources *sources, struct wm_condition *condition)
{
	size_t at;
	const struct wm_tokens *tokens = wm_place_tokens(function, &value->place, sources, &at);
	/* The place may be that of the operator. */
	if (!tokens || wm_condition_right(tokens, at, condition))
		return tokens;
	if (!wm_condition_expression(tokens, at, value->name, condition))
		return NULL;
	condition->negated ^= !value->truth;
	return tokens;
}

bool wm_decision_tell_operand(struct wm_decision *decision, const struct wm_story_function *function, uint32_t block,
	uint32_t edge, struct wm_sources *sources)
{
	struct wm_last_operand operand;
	struct wm_condition condition;
	*decision = (struct wm_decision){0};
	if (!wm_last_operand_find(&operand, function->map, block))
		return false;
	uint32_t ordinal = edge - function->map->graph.first_edge[block];
	bool result = ordinal == wm_last_operand_ordinal(&operand, function->map, block, true);
	const struct wm_tokens *tokens = wm_value_tokens(function, operand.value, sources, &condition);
	if (tokens) {
		bool computed = result == operand.value->truth;
		say_truth(decision, computed != condition.negated);
		wm_tokens_text(tokens, condition.first, condition.end, decision->condition, WM_CONDITION_MAX);
	} else {
		say_truth(decision, result);
		snprintf(decision->condition, WM_CONDITION_MAX, "column %u", operand.value->place.column);
	}
	return tokens;
}

const char *wm_decision_text(const struct wm_decision *decision, char text[WM_CONDITION_MAX + WM_OUTCOME_MAX])
{
	snprintf(text, WM_CONDITION_MAX + WM_OUTCOME_MAX, "%s%s%s", decision->condition,
		decision->condition[0] ? ": " : "", decision->outcome);
	return text;
}

const char *wm_decision_verb(const struct wm_decision *decision)
{
	static const char *const verbs[] = {"threw", "returned", "goes on", "asm fell through"};
	if (strncmp(decision->outcome, "to ", 3) == 0)
		return "goes ";
	for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
		if (!decision->condition[0] && strcmp(decision->outcome, verbs[i]) == 0)
			return "";
	return "has ";
}

void wm_outcome_text(const struct wm_story_function *function, uint32_t block, uint32_t edge, char text[WM_OUTCOME_MAX])
{
	struct wm_decision decision;
	wm_decision_tell(&decision, function, block, edge, NULL);
	memcpy(text, decision.outcome, WM_OUTCOME_MAX);
}
