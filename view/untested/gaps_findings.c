/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Gaps as findings, for programs that show what is wrong with a line: SARIF, and annotations of GitHub. */
#include "analysis/tell/steps.h"
#include "support/output.h"
#include "support/xalloc.h"
#include "view/untested/annotation.h"
#include "view/untested/sarif.h"
#include "view/untested/untested_view.h"
#include <stdlib.h>
#include <string.h>

enum { RULE_PATH, RULE_OUTCOME, RULE_FUNCTION, RULES };
static const struct wm_sarif_rule rules[RULES] = {
	[RULE_PATH] = {"untested-path", "UntestedPath", "No test executes this path."},
	[RULE_OUTCOME] = {"untested-outcome", "UntestedOutcome", "No test takes this outcome of the decision."},
	[RULE_FUNCTION] = {"untested-function", "UntestedFunction", "No test enters this function."},
};

/* A gap, or a function that no test enters, in words. */
struct finding {
	struct wm_sarif_result result;
	char *message;
	size_t part_count;
	struct wm_sarif_place related[2], *flow;
	char **text; /* messages of the flow, or NULL */
};

struct findings {
	const struct wm_gaps *gaps;
	struct wm_sources sources;
	struct wm_steps steps;
	char **label; /* of the function at work */
};

static struct wm_sarif_place place_of(const struct wm_story_function *function, const struct wm_map_line *at)
{
	struct wm_sarif_place place = {0};
	if (at && at->line && at->file < function->module->file_count)
		place = (struct wm_sarif_place){function->module->file[at->file], at->line, at->column, NULL};
	return place;
}

static struct wm_sarif_place start_of(const struct wm_story_function *function)
{
	return (struct wm_sarif_place){wm_story_file(function), function->map->line, 0, NULL};
}

/* Where the decision of a block is; or the block; or the function. */
static struct wm_sarif_place decision_place(const struct wm_story_function *function, uint32_t block)
{
	struct wm_sarif_place place = {0};
	if (block != WM_NONE)
		place = place_of(function, &function->map->block[block].decision);
	if (!place.file && block != WM_NONE)
		place = place_of(function, wm_block_place(function, block));
	return place.file ? place : start_of(function);
}

static void tell_flow(
	struct findings *s, struct finding *finding, const struct wm_story_function *function, uint64_t id)
{
	struct wm_path_ends ends;
	wm_steps_tell(&s->steps, function, id, &ends);
	finding->flow = wm_xmalloc((s->steps.count + 1) * sizeof *finding->flow);
	finding->text = wm_xmalloc((s->steps.count + 1) * sizeof *finding->text);
	finding->part_count = s->steps.count;
	for (size_t i = 0; i < s->steps.count; i++) {
		const struct wm_source_step *step = &s->steps.step[i];
		char text[WM_CONDITION_MAX + WM_OUTCOME_MAX];
		finding->text[i] = NULL;
		if (step->decision.outcome[0])
			finding->text[i] = wm_xstrdup(wm_decision_text(&step->decision, text));
		finding->flow[i] = (struct wm_sarif_place){
			step->line ? step->file : NULL, step->line, step->column, finding->text[i]};
	}
	finding->result.flow = finding->flow;
	finding->result.flow_count = finding->part_count;
}

/* Where the nearest tested path goes instead; and what contradicts the path. */
static void tell_related(struct finding *finding, const struct wm_gap_function *f, const struct wm_gap *gap)
{
	const struct wm_story_function *function = wm_untested_parting(&f->base, &gap->path);
	struct wm_sarif_result *result = &finding->result;
	if (gap->path.block != WM_NONE && gap->path.nearest_edge != WM_NONE) {
		uint32_t to = function->map->graph.edge_to[gap->path.nearest_edge];
		finding->related[result->related_count] = decision_place(function, to);
		finding->related[result->related_count++].message = "the nearest tested path goes here";
	}
	if (gap->infeasible) {
		finding->related[result->related_count] = decision_place(f->base.field, gap->earlier);
		finding->related[result->related_count++].message =
			"what the path does here contradicts a later decision";
	}
	result->related = finding->related;
}

static char *tests_clause(const struct wm_gaps *gaps, const struct wm_gap *gap)
{
	char *tests = wm_gap_tests_text(gaps, gap, 3), *clause;
	clause = tests ? wm_xprintf("; nearest test%s: %s", gap->test_count == 1 ? "" : "s", tests) : wm_xstrdup("");
	free(tests);
	return clause;
}

static void find_gap(
	struct findings *s, struct finding *finding, const struct wm_gap_function *f, const struct wm_gap *gap)
{
	bool path = gap->kind == WM_GAP_PATH;
	char *text = wm_gap_text(f, gap, &s->sources), *tests = tests_clause(s->gaps, gap);
	char *doubt = wm_gap_infeasible_text(f, gap);
	*finding = (struct finding){
		.message = wm_xprintf("%s of %s: %s%s%s%s", path ? "Untested path" : "Untested outcome",
			f->base.field->brief, text, tests, doubt ? "; " : "", doubt ? doubt : "")};
	finding->result = (struct wm_sarif_result){.rule = path ? RULE_PATH : RULE_OUTCOME,
		.level = gap->infeasible ? WM_SARIF_NOTE : WM_SARIF_WARNING,
		.message = finding->message,
		.place = decision_place(wm_untested_parting(&f->base, &gap->path), gap->path.block),
		.function = f->base.field->display,
		.fingerprint = wm_labels_hash(s->label, f->base.field, gap->own.id, path ? WM_NONE : gap->path.edge)};
	if (path) {
		tell_flow(s, finding, f->base.field, gap->own.id);
		tell_related(finding, f, gap);
	}
	free(text);
	free(tests);
	free(doubt);
}

static void find_never(struct finding *finding, const struct wm_story_function *function)
{
	*finding = (struct finding){.message = wm_xprintf("No test enters %s.", function->brief)};
	finding->result = (struct wm_sarif_result){.rule = RULE_FUNCTION,
		.level = WM_SARIF_WARNING,
		.message = finding->message,
		.place = start_of(function),
		.function = function->display};
}

static void release(struct finding *finding)
{
	for (size_t i = 0; i < finding->part_count; i++)
		free(finding->text[i]);
	free(finding->text);
	free(finding->flow);
	free(finding->message);
}

/* Calls `take` for each gap of the kind that gates count. */
static void each_finding(const struct wm_gaps *gaps, const struct wm_report_options *options,
	void (*take)(void *closure, const struct wm_sarif_result *result), void *closure)
{
	struct findings s = {
		.gaps = gaps, .sources = {.directories = &options->source_dirs, .off = options->no_source}};
	struct finding finding;
	s.steps.sources = &s.sources;
	for (size_t i = 0; i < gaps->count; i++) {
		const struct wm_gap_function *f = &gaps->function[i];
		s.label = wm_labels_make(f->base.field, &s.sources);
		for (size_t j = 0; j < wm_gap_list(gaps, f)->count; j++) {
			find_gap(&s, &finding, f, &wm_gap_list(gaps, f)->gap[j]);
			take(closure, &finding.result);
			release(&finding);
		}
		wm_labels_release(s.label, f->base.field);
	}
	for (size_t i = 0; i < gaps->never_count; i++) {
		find_never(&finding, gaps->never[i]);
		take(closure, &finding.result);
		release(&finding);
	}
	wm_steps_release(&s.steps);
	wm_sources_release(&s.sources);
}

static void add_result(void *closure, const struct wm_sarif_result *result)
{
	wm_sarif_add(closure, result);
}

static void print_sarif(const struct wm_gaps *gaps, const struct wm_report_options *options, FILE *out)
{
	struct wm_sarif sarif;
	wm_sarif_begin(&sarif, out, rules, RULES);
	each_finding(gaps, options, add_result, &sarif);
	wm_sarif_end(&sarif);
}

void wm_gaps_sarif(const struct wm_gaps *gaps, const struct wm_report_options *options, const char *file)
{
	struct wm_output output;
	if (strcmp(file, "-") == 0) {
		print_sarif(gaps, options, stdout);
		return;
	}
	wm_output_open(&output, file);
	print_sarif(gaps, options, output.file);
	wm_output_close(&output);
}

static void print_annotation(void *closure, const struct wm_sarif_result *result)
{
	const struct wm_annotation annotation = {.level = result->level == WM_SARIF_NOTE ? "notice" : "warning",
		.file = result->place.file,
		.line = result->place.line,
		.column = result->place.column,
		.title = rules[result->rule].summary,
		.message = result->message};
	wm_annotation_print(&annotation, closure);
}

void wm_gaps_annotate(const struct wm_gaps *gaps, const struct wm_report_options *options, FILE *out)
{
	each_finding(gaps, options, print_annotation, out);
}
