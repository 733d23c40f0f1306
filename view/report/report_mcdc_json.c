/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/mcdc/condition_words.h"
#include "analysis/mcdc/missing.h"
#include "support/xalloc.h"
#include "view/document/json_elements.h"
#include "view/report/report.h"

void wm_report_mcdc_total(
	const struct wm_story *story, const struct wm_report_options *options, struct wm_mcdc_totals *totals)
{
	for (size_t i = 0; i < story->function_count; i++) {
		struct wm_mcdc_function mcdc;
		if (!wm_filter_passes(&options->filter, &story->function[i]))
			continue;
		wm_mcdc_analyse(&mcdc, &story->function[i]);
		wm_mcdc_add(totals, &mcdc);
		wm_mcdc_release(&mcdc);
	}
}

json_t *wm_json_mcdc_totals(const struct wm_story *story, const struct wm_report_options *options)
{
	struct wm_mcdc_totals totals = {0};
	wm_report_mcdc_total(story, options, &totals);
	return wm_json_checked(json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "functions",
		wm_json_count(totals.functions), "functions_left_out", wm_json_count(totals.left_out), "expressions",
		wm_json_count(totals.expressions), "expressions_not_analysed", wm_json_count(totals.obstructed),
		"conditions", wm_json_count(totals.conditions), "conditions_shown", wm_json_count(totals.shown),
		"conditions_constant", wm_json_count(totals.constant), "conditions_not_observed",
		wm_json_count(totals.unseen), "left_out_expressions", wm_json_count(totals.of_checks)));
}

/* ---- Expressions ------------------------------------------------------------------------------ */

struct telling {
	struct wm_mcdc_function *mcdc;
	const struct wm_mcdc_expression *e;
	struct wm_operand_words *words; /* per condition */
	struct wm_sources *sources;
};

static json_t *value_json(const struct telling *t, uint32_t c, uint8_t value)
{
	return value == WM_NOT_EVALUATED ? json_null() : json_boolean(value != t->words[c].negated);
}

static json_t *values_json(const struct telling *t, const uint8_t *value)
{
	json_t *list = wm_json_checked(json_array());
	for (uint32_t c = 0; c < t->e->expression->count; c++)
		json_array_append_new(list, value_json(t, c, value[c]));
	return list;
}

static json_t *evaluations_json(const struct telling *t)
{
	json_t *list = wm_json_checked(json_array());
	for (size_t i = 0; i < t->e->count; i++) {
		const struct wm_evaluation *evaluation = &t->e->evaluation[i];
		json_array_append_new(
			list, wm_json_checked(json_pack("{s:o, s:b, s:o, s:o, s:o}", "values",
				      values_json(t, evaluation->value), "outcome", evaluation->outcome, "count",
				      wm_json_count(evaluation->count), "path", wm_json_count(evaluation->path),
				      "path_count", wm_json_count(evaluation->path_count))));
	}
	return list;
}

static const char *kind_text(enum wm_operand_kind kind)
{
	switch (kind) {
	case WM_OPERAND_BRANCH:
		return "branch";
	case WM_OPERAND_TOLD:
		return "value";
	case WM_OPERAND_UNSEEN:
		return "not observed";
	case WM_OPERAND_CONSTANT:
		return "constant";
	}
	return "";
}

static json_t *pair_json(const struct telling *t, uint32_t c)
{
	const struct wm_independence *condition = &t->e->condition[c];
	bool negated = t->words[c].negated;
	if (!condition->shown)
		return json_null();
	return wm_json_checked(
		json_pack("[o, o]", wm_json_count(condition->pair[negated]), wm_json_count(condition->pair[!negated])));
}

/* The path that would show a condition; null: not known. */
static json_t *missing_json(const struct telling *t, uint32_t c)
{
	struct wm_missing missing;
	if (t->e->condition[c].shown || !wm_mcdc_can_show(&t->e->expression->operand[c]))
		return json_null();
	wm_mcdc_find_missing(t->mcdc, (uint32_t)(t->e - t->mcdc->expression), c, &missing);
	if (!missing.found)
		return json_null();
	char *contradiction = wm_story_contradiction_text(t->mcdc->function, missing.path);
	json_t *object = wm_json_checked(json_pack("{s:o, s:o, s:o, s:i, s:o, s:b, s:o}", "values",
		values_json(t, missing.value), "path", wm_json_count(missing.path), "nearest_path",
		wm_json_count(missing.nearest), "distance", (int)missing.distance, "pair_with",
		wm_json_count_if(missing.partner != WM_NO_EVALUATION, missing.partner), "likely_infeasible",
		missing.infeasible, "contradiction", wm_json_optional(contradiction)));
	free(contradiction);
	return object;
}

static json_t *condition_json(const struct telling *t, uint32_t c)
{
	const struct wm_operand *operand = &t->e->expression->operand[c];
	const struct wm_independence *condition = &t->e->condition[c];
	return wm_json_checked(json_pack("{s:o, s:b, s:i, s:i, s:i, s:s, s:b, s:o, s:o, s:o}", "text",
		wm_json_text(t->words[c].text), "source_text", t->words[c].known, "block", (int)operand->block, "line",
		(int)operand->place.line, "column", (int)operand->place.column, "kind", kind_text(operand->kind),
		"shown", condition->shown, "unique_cause",
		condition->searched ? json_boolean(condition->unique) : json_null(), "pair", pair_json(t, c), "missing",
		missing_json(t, c)));
}

static json_t *expression_json(struct telling *t)
{
	const struct wm_expression *expression = t->e->expression;
	const struct wm_map_line *place = &expression->operand[0].place;
	const struct wm_story_function *function = t->mcdc->function;
	bool has_file = place->line && place->file < function->module->file_count;
	char text[WM_EXPRESSION_MAX];
	json_t *conditions = wm_json_checked(json_array());
	t->words = wm_xmalloc(expression->count * sizeof *t->words);
	for (uint32_t c = 0; c < expression->count; c++)
		wm_operand_tell(&t->words[c], function, expression, c, t->sources);
	for (uint32_t c = 0; c < expression->count; c++)
		json_array_append_new(conditions, condition_json(t, c));
	wm_expression_tell(text, function, expression, t->sources);
	json_t *object = wm_json_checked(json_pack("{s:o, s:i, s:i, s:o, s:o, s:b, s:o, s:o, s:o, s:o, s:o}", "file",
		wm_json_optional(has_file ? function->module->file[place->file] : NULL), "line", (int)place->line,
		"column", (int)place->column, "text", wm_json_optional(text[0] ? text : NULL), "not_analysed_because",
		wm_json_optional(expression->obstacle), "used_as_value", expression->used_as_value, "begun",
		wm_json_count(t->e->begun), "observed", wm_json_count(t->e->observed), "not_observed",
		wm_json_count(t->e->begun - t->e->observed), "conditions", conditions, "evaluations",
		evaluations_json(t)));
	free(t->words);
	return object;
}

json_t *wm_json_mcdc(struct wm_story_function *function, struct wm_sources *sources)
{
	struct wm_mcdc_function mcdc;
	json_t *list = wm_json_checked(json_array());
	wm_mcdc_analyse(&mcdc, function);
	for (uint32_t i = 0; !mcdc.reason && i < mcdc.expressions.count; i++) {
		struct telling t = {&mcdc, &mcdc.expression[i], NULL, sources};
		if (!t.e->left_out)
			json_array_append_new(list, expression_json(&t));
	}
	json_t *object = wm_json_checked(
		json_pack("{s:o, s:o}", "left_out_because", wm_json_optional(mcdc.reason), "expressions", list));
	wm_mcdc_release(&mcdc);
	return object;
}
