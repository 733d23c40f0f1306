/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Correlated decisions.  Text: per function its strongest correlations.  HTML: an index of functions, and a page for each that has
 * one.
 */
#include "analysis/source/decision.h"
#include "analysis/tell/correlations.h"
#include "support/xalloc.h"
#include "view/document/document.h"
#include "view/report/report.h"
#include <math.h>
#include <stdlib.h>

enum { SHOWN = 10, SHOWN_HTML = 500 };

/* A decision with its outcome in words: "12  n > 0: true", or "block 3: to line 5"; heap. */
static char *outcome_words(const struct wm_story_function *function, uint32_t edge, struct wm_sources *sources)
{
	uint32_t block = function->map->graph.edge_from[edge];
	uint32_t line = function->map->block ? function->map->block[block].decision.line : 0;
	struct wm_decision decision;
	char text[WM_CONDITION_MAX + WM_OUTCOME_MAX];
	wm_decision_tell(&decision, function, block, edge, sources);
	if (!line)
		line = wm_block_line(function, block);
	const char *words = wm_decision_text(&decision, text);
	return line ? wm_xprintf("line %u: %s", line, words) : wm_xprintf("block %u: %s", block, words);
}

static void tell(struct wm_document *d, const struct wm_story_function *function, const struct wm_correlation *c)
{
	char *cause = outcome_words(function, c->edge, &d->sources);
	char *effect = outcome_words(function, c->determined, &d->sources);
	char *sentence = wm_xprintf("%s => %s, %s time%s (otherwise %s of %s; %s bits)", cause, effect,
		wm_thousands(c->count), wm_plural(c->count), wm_thousands(c->outcomes - c->count),
		wm_thousands(c->decisions - c->count), wm_thousands((uint64_t)llround(c->bits)));
	wm_document_take(d, "    ", sentence);
	free(cause);
	free(effect);
}

static void tell_function(struct wm_document *d, const struct wm_story_function *function, size_t number)
{
	struct wm_correlations correlations;
	size_t most = wm_document_limit(d, SHOWN, SHOWN_HTML);
	wm_correlations_analyse(&correlations, function);
	if (correlations.count)
		d->form->function(d, function, number);
	for (size_t i = 0; i < correlations.count && i < most; i++)
		tell(d, function, &correlations.correlation[i]);
	if (correlations.count > most)
		wm_document_say(d, "    ", "%s more (--correlations --all prints them)",
			wm_thousands(correlations.count - most));
	wm_correlations_release(&correlations);
}

struct totals {
	size_t functions, correlations;
};

static struct totals count_all(const struct wm_story *story, const struct wm_report_options *options)
{
	struct totals totals = {0};
	for (size_t i = 0; i < story->function_count; i++) {
		struct wm_correlations correlations;
		if (!wm_filter_passes(&options->filter, &story->function[i]))
			continue;
		wm_correlations_analyse(&correlations, &story->function[i]);
		totals.functions += correlations.count > 0;
		totals.correlations += correlations.count;
		wm_correlations_release(&correlations);
	}
	return totals;
}

static void say_totals(struct wm_document *d, const void *of)
{
	const struct totals *totals = of;
	wm_document_say(d, "",
		"%s outcome%s of a decision %s determined by an earlier decision on every path that ran, in %s "
		"function%s",
		wm_thousands(totals->correlations), wm_plural(totals->correlations),
		totals->correlations == 1 ? "is" : "are", wm_thousands(totals->functions),
		wm_plural(totals->functions));
}

/* Functions that ran and were not analysed. */
static void say_left_out(struct wm_document *d, const struct wm_story *story)
{
	for (size_t i = 0; i < story->function_count; i++) {
		const struct wm_story_function *function = &story->function[i];
		struct wm_correlations correlations;
		if (!wm_filter_passes(&d->options->filter, function) || function->state != WM_STORY_RAN)
			continue;
		wm_correlations_analyse(&correlations, function);
		if (correlations.reason)
			wm_document_say(d, "  ", "%s is not analysed: %s", function->brief, correlations.reason);
		wm_correlations_release(&correlations);
	}
}

static void tell_row(struct wm_document *d, struct wm_story_function *function, size_t number)
{
	struct wm_correlations correlations;
	wm_correlations_analyse(&correlations, function);
	if (d->form->row(d, correlations.count)) {
		double bits = correlations.count ? correlations.correlation[0].bits : 0;
		wm_document_number(d, correlations.count, !correlations.reason);
		wm_document_number(d, (uint64_t)llround(bits), !correlations.reason);
		wm_document_number(d, function->executions, true);
		d->form->cell_function(d, function, number, correlations.count > 0);
		d->form->row_end(d);
	}
	wm_correlations_release(&correlations);
}

/* A function, by its strongest correlation. */
struct place {
	size_t function;
	double bits; /* negative: it has none, or is not listed */
};

static int by_bits(const void *left, const void *right)
{
	const struct place *a = left, *b = right;
	if (a->bits != b->bits)
		return a->bits > b->bits ? -1 : 1;
	return (a->function > b->function) - (a->function < b->function);
}

static double strongest(const struct wm_document *d, const struct wm_story_function *function)
{
	struct wm_correlations correlations;
	if (!wm_filter_passes(&d->options->filter, function))
		return -1;
	wm_correlations_analyse(&correlations, function);
	double bits = correlations.count ? correlations.correlation[0].bits : -1;
	wm_correlations_release(&correlations);
	return bits;
}

static void tell_functions(struct wm_document *d, const struct wm_story *story)
{
	struct place *place = wm_xmalloc((story->function_count + 1) * sizeof *place);
	for (size_t i = 0; i < story->function_count; i++)
		place[i] = (struct place){i, strongest(d, &story->function[i])};
	qsort(place, story->function_count, sizeof *place, by_bits);
	for (size_t i = 0; i < story->function_count && place[i].bits >= 0; i++)
		tell_function(d, &story->function[place[i].function], place[i].function);
	free(place);
}

void wm_report_correlations(const struct wm_story *story, const struct wm_report_options *options, FILE *out)
{
	static const struct wm_column columns[] = {{"Correlations", true, 0, NULL},
		{"Bits of the strongest", true, 0, NULL}, {"Executions", true, 0, NULL}, {"Function", false, 0, NULL}};
	static const struct wm_function_report report = {
		.title = {.title = "Waymark correlations", .heading = "Decisions that determine later decisions"},
		.table = {columns, sizeof columns / sizeof *columns, "also functions without a correlation", 0, 2,
			false},
		.say_totals = say_totals,
		.tell_row = tell_row,
		.tell_functions = tell_functions,
		.say_left_out = say_left_out};
	struct totals totals = count_all(story, options);
	wm_function_report_write(&report, &totals, story, options, out);
}

/* JSON */

static json_t *outcome_object(const struct wm_story_function *function, uint32_t edge, struct wm_sources *sources)
{
	uint32_t block = function->map->graph.edge_from[edge];
	const struct wm_map_line *place = function->map->block ? &function->map->block[block].decision : NULL;
	bool known = place && place->line && place->file < function->module->file_count;
	struct wm_decision decision;
	wm_decision_tell(&decision, function, block, edge, sources);
	return wm_json_checked(json_pack("{s:I, s:I, s:o, s:o, s:o, s:o}", "block", (json_int_t)block, "to",
		(json_int_t)function->map->graph.edge_to[edge], "file",
		wm_json_optional(known ? function->module->file[place->file] : NULL), "line",
		known ? json_integer(place->line) : json_null(), "condition", wm_json_text(decision.condition),
		"outcome", wm_json_text(decision.outcome)));
}

json_t *wm_json_correlations(const struct wm_story_function *function, struct wm_sources *sources)
{
	json_t *list = wm_json_checked(json_array());
	struct wm_correlations correlations;
	wm_correlations_analyse(&correlations, function);
	for (size_t i = 0; i < correlations.count; i++) {
		const struct wm_correlation *c = &correlations.correlation[i];
		json_array_append_new(list, wm_json_checked(json_pack("{s:o, s:o, s:o, s:o, s:o, s:f}", "if",
						    outcome_object(function, c->edge, sources), "then",
						    outcome_object(function, c->determined, sources), "count",
						    wm_json_count(c->count), "outcomes", wm_json_count(c->outcomes),
						    "decisions", wm_json_count(c->decisions), "bits", c->bits)));
	}
	json_t *object = wm_json_checked(
		json_pack("{s:o, s:o}", "not_analysed", wm_json_optional(correlations.reason), "found", list));
	wm_correlations_release(&correlations);
	return object;
}
