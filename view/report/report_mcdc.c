/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * MC/DC.  Text: per function its expressions, each with the evaluations that were observed and what shows, or would show, that a
 * condition is independent.  HTML: an index of functions, and a page for each that has an expression.
 */
#include "analysis/mcdc/condition_words.h"
#include "analysis/mcdc/missing.h"
#include "support/string_builder.h"
#include "support/xalloc.h"
#include "view/document/document.h"
#include "view/report/report.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct telling {
	struct wm_document *d;
	struct wm_mcdc_function *mcdc;
	const struct wm_mcdc_expression *e;
	struct wm_operand_words *words; /* per condition */
	const char *text; /* of the expression */
};

/* ---- Words ------------------------------------------------------------------------------------ */

/* "T F -": heap. */
static char *values_text(const struct telling *t, const uint8_t *value)
{
	uint32_t count = t->e->expression->count;
	char *text = wm_xmalloc(2 * (size_t)count + 1);
	for (uint32_t c = 0; c < count; c++) {
		bool holds = value[c] != t->words[c].negated;
		text[2 * c] = value[c] == WM_NOT_EVALUATED ? '-' : holds ? 'T' : 'F';
		text[2 * c + 1] = ' ';
	}
	text[2 * (size_t)count - 1] = 0;
	return text;
}

/* The lines of a path, each once in a row, as "7, 9, 11"; of a long path the text leaves out those in the middle.  Heap. */
static char *lines_text(struct wm_document *d, const struct wm_story_function *function, uint64_t id)
{
	enum { FIRST = 6, LAST = 3 };
	struct wm_string text = {0};
	uint32_t before = 0, told = 0, all = 0;
	bool whole = d->options->full || d->form->whole;
	wm_steps_tell(&d->steps, function, id, &d->ends);
	for (size_t i = 0; i < d->steps.count; i++) {
		uint32_t line = d->steps.step[i].line;
		all += line && line != before;
		before = line ? line : before;
	}
	before = 0;
	for (size_t i = 0; i < d->steps.count; i++) {
		uint32_t line = d->steps.step[i].line;
		if (!line || line == before)
			continue;
		bool hidden = !whole && all > FIRST + LAST + 1 && told >= FIRST && told < all - LAST;
		if (!hidden)
			wm_string_add(&text, "%s%u", told ? ", " : "", line);
		else if (told == FIRST)
			wm_string_add(&text, ", ...");
		before = line;
		told++;
	}
	return wm_string_text(&text);
}

static size_t shown_count(const struct wm_mcdc_expression *e)
{
	size_t count = 0;
	for (uint32_t c = 0; c < e->expression->count; c++)
		count += e->condition[c].shown;
	return count;
}

/* What is said of a condition; heap. */
static char *verdict(const struct telling *t, uint32_t c)
{
	const struct wm_independence *condition = &t->e->condition[c];
	bool negated = t->words[c].negated;
	switch (t->e->expression->operand[c].kind) {
	case WM_OPERAND_CONSTANT:
		return wm_xstrdup("cannot be shown: it is a constant");
	case WM_OPERAND_UNSEEN:
		return wm_xstrdup(
			"not observed: no branch depends on it; -fwaymark-conditions=values makes it a branch");
	case WM_OPERAND_BRANCH:
	case WM_OPERAND_TOLD:
		break;
	}
	if (!condition->shown)
		return wm_xstrdup("not shown");
	return wm_xprintf("shown by evaluations %zu and %zu%s", condition->pair[negated] + 1,
		condition->pair[!negated] + 1,
		condition->searched && !condition->unique ? " (masking: another condition differs, too)" : "");
}

/* ---- Expressions ------------------------------------------------------------------------------ */

static void say_head(const struct telling *t)
{
	const struct wm_expression *expression = t->e->expression;
	const struct wm_map_line *place = &expression->operand[0].place;
	char at[32] = "";
	if (place->line)
		snprintf(at, sizeof at, "line %u: ", place->line);
	size_t shown = shown_count(t->e);
	t->d->form->heading(t->d, t->text);
	wm_document_say(t->d, "\n  ", "%s%s: %zu of %u condition%s %s shown", at, t->text, shown, expression->count,
		wm_plural(expression->count), expression->count == 1 ? "is" : "are");
}

static void say_losses(const struct telling *t)
{
	uint64_t split = t->e->begun - t->e->observed - t->e->unseen;
	if (t->e->unseen)
		wm_document_say(t->d, "    ", "%s evaluation%s ended with a condition that is not observed",
			wm_thousands(t->e->unseen), wm_plural(t->e->unseen));
	if (split)
		wm_document_say(t->d, "    ",
			"%s evaluation%s began on one path and did not end on it: left by a call that did not return, "
			"or "
			"divided between paths",
			wm_thousands(split), wm_plural(split));
}

enum { MOST_EVALUATIONS = 16 };

static void say_evaluations(const struct telling *t)
{
	size_t most = wm_document_limit(t->d, MOST_EVALUATIONS, SIZE_MAX);
	for (size_t i = 0; i < t->e->count && i < most; i++) {
		const struct wm_evaluation *evaluation = &t->e->evaluation[i];
		char *values = values_text(t, evaluation->value);
		char *lines = lines_text(t->d, t->mcdc->function, evaluation->path);
		wm_document_say(t->d, "    ", "%3zu  %s -> %s  %s time%s, %s on path %" PRIu64 " (line%s %s)", i + 1,
			values, evaluation->outcome ? "true " : "false", wm_thousands(evaluation->count),
			wm_plural(evaluation->count), wm_thousands(evaluation->path_count), evaluation->path,
			strchr(lines, ',') ? "s" : "", lines);
		free(values);
		free(lines);
	}
	if (t->e->count > most)
		wm_document_say(t->d, "    ", "and %zu further combinations (--all prints them)", t->e->count - most);
}

/* What would show a condition. */
static void say_missing(const struct telling *t, uint32_t c)
{
	struct wm_missing missing;
	if (t->e->condition[c].shown || !wm_mcdc_can_show(&t->e->expression->operand[c]))
		return;
	wm_mcdc_find_missing(t->mcdc, (uint32_t)(t->e - t->mcdc->expression), c, &missing);
	if (!missing.found)
		return;
	char *values = values_text(t, missing.value), *lines = lines_text(t->d, t->mcdc->function, missing.path);
	char partner[48] = "be the first half of a pair";
	if (missing.partner != WM_NO_EVALUATION)
		snprintf(partner, sizeof partner, "show it together with evaluation %zu", missing.partner + 1);
	wm_document_say(t->d, "        ", "%s would %s: path %" PRIu64 " (line%s %s), %u decision%s from path %" PRIu64,
		values, partner, missing.path, strchr(lines, ',') ? "s" : "", lines, missing.distance,
		wm_plural(missing.distance), missing.nearest);
	char *contradiction = wm_story_contradiction_text(t->mcdc->function, missing.path);
	if (contradiction)
		wm_document_say(t->d, "        ", "likely infeasible: %s", contradiction);
	free(contradiction);
	free(values);
	free(lines);
}

static void say_conditions(const struct telling *t)
{
	for (uint32_t c = 0; c < t->e->expression->count; c++) {
		char *text = verdict(t, c);
		wm_document_say(t->d, "      ", "%s: %s", t->words[c].text, text);
		free(text);
		say_missing(t, c);
	}
}

static void tell_expression(struct telling *t)
{
	const struct wm_expression *expression = t->e->expression;
	const struct wm_story_function *function = t->mcdc->function;
	char text[WM_EXPRESSION_MAX];
	t->words = wm_xmalloc(expression->count * sizeof *t->words);
	for (uint32_t c = 0; c < expression->count; c++)
		wm_operand_tell(&t->words[c], function, expression, c, &t->d->sources);
	wm_expression_tell(text, function, expression, &t->d->sources);
	t->text = text[0] ? text : expression->count == 1 ? t->words[0].text : "an expression";
	say_head(t);
	if (expression->obstacle)
		wm_document_say(t->d, "    ", "not analysed: %s", expression->obstacle);
	say_losses(t);
	say_evaluations(t);
	say_conditions(t);
	free(t->words);
}

/* ---- Functions -------------------------------------------------------------------------------- */

static void tell_function(struct wm_document *d, struct wm_story_function *function, size_t number)
{
	struct wm_mcdc_function mcdc;
	struct wm_mcdc_totals own = {0};
	wm_mcdc_analyse(&mcdc, function);
	wm_mcdc_add(&own, &mcdc);
	if (own.expressions) {
		d->form->function(d, function, number);
		for (uint32_t i = 0; i < mcdc.expressions.count; i++) {
			struct telling t = {.d = d, .mcdc = &mcdc, .e = &mcdc.expression[i]};
			if (!t.e->left_out)
				tell_expression(&t);
		}
	}
	wm_mcdc_release(&mcdc);
}

static void say_left_out(struct wm_document *d, const struct wm_story *story)
{
	for (size_t i = 0; i < story->function_count; i++) {
		struct wm_mcdc_function mcdc;
		if (!wm_filter_passes(&d->options->filter, &story->function[i]))
			continue;
		wm_mcdc_analyse(&mcdc, &story->function[i]);
		if (mcdc.reason)
			wm_document_say(d, "  ", "%s is not analysed: %s", story->function[i].brief, mcdc.reason);
		wm_mcdc_release(&mcdc);
	}
}

static void say_totals(struct wm_document *d, const void *of)
{
	const struct wm_mcdc_totals *totals = of;
	wm_document_say(d, "", "%s of %s condition%s in %s boolean expression%s of %s function%s %s shown (%.2f%%)",
		wm_thousands(totals->shown), wm_thousands(totals->conditions), wm_plural(totals->conditions),
		wm_thousands(totals->expressions), wm_plural(totals->expressions), wm_thousands(totals->functions),
		wm_plural(totals->functions), totals->conditions == 1 ? "is" : "are",
		wm_share(totals->shown, totals->conditions));
	if (totals->unseen)
		wm_document_say(d, "", "%s condition%s not observed: compile with -fwaymark-conditions=values",
			wm_thousands(totals->unseen), totals->unseen == 1 ? " is" : "s are");
	if (totals->constant)
		wm_document_say(d, "", "%s condition%s", wm_thousands(totals->constant),
			totals->constant == 1 ? " is a constant" : "s are constants");
	if (totals->of_checks)
		wm_document_say(d, "", "%s expression%s of asserts and other checks %s left out (--checks lists %s)",
			wm_thousands(totals->of_checks), wm_plural(totals->of_checks),
			totals->of_checks == 1 ? "is" : "are", totals->of_checks == 1 ? "it" : "them");
	if (totals->obstructed)
		wm_document_say(d, "", "%s expression%s not analysed", wm_thousands(totals->obstructed),
			totals->obstructed == 1 ? " is" : "s are");
}

/* ---- The index -------------------------------------------------------------------------------- */

static void tell_row(struct wm_document *d, struct wm_story_function *function, size_t number)
{
	struct wm_mcdc_function mcdc;
	struct wm_mcdc_totals own = {0};
	if (!d->form->row(d, function->state == WM_STORY_RAN))
		return;
	wm_mcdc_analyse(&mcdc, function);
	wm_mcdc_add(&own, &mcdc);
	d->form->cell_share(d, wm_share(own.shown, own.conditions), own.conditions ? NULL : "");
	wm_document_number(d, own.shown, !mcdc.reason);
	wm_document_number(d, own.conditions, !mcdc.reason);
	wm_document_number(d, own.expressions, !mcdc.reason);
	wm_document_number(d, own.unseen, !mcdc.reason);
	d->form->cell_function(d, function, number, own.expressions > 0);
	d->form->row_end(d);
	wm_mcdc_release(&mcdc);
}

/* ---- The report ------------------------------------------------------------------------------- */

static void tell_functions(struct wm_document *d, const struct wm_story *story)
{
	for (size_t i = 0; i < story->function_count; i++)
		if (wm_filter_passes(&d->options->filter, &story->function[i]) &&
			wm_document_takes(d, true, d->options->filter.function))
			tell_function(d, &story->function[i], i);
	if (d->untold)
		wm_document_say(d, "\n", "%s more function%s not shown (--functions N or --all shows them)",
			wm_thousands(d->untold), d->untold == 1 ? " is" : "s are");
}

void wm_report_mcdc(const struct wm_story *story, const struct wm_report_options *options, FILE *out)
{
	static const struct wm_column columns[] = {{"Shown", false, 0, NULL}, {"Conditions shown", true, 0, NULL},
		{"Conditions", true, 0, NULL}, {"Expressions", true, 0, NULL}, {"Not observed", true, 0, NULL},
		{"Function", false, 0, NULL}};
	static const struct wm_function_report report = {
		.title = {.title = "Waymark MC/DC", .heading = "Which conditions are shown to be independent"},
		.table = {columns, sizeof columns / sizeof *columns, "also functions that never ran", 0, WM_COLUMN_NONE,
			false},
		.say_totals = say_totals,
		.tell_row = tell_row,
		.tell_functions = tell_functions,
		.say_left_out = say_left_out};
	struct wm_mcdc_totals totals = {0};
	wm_report_mcdc_total(story, options, &totals);
	wm_function_report_write(&report, &totals, story, options, out);
}
