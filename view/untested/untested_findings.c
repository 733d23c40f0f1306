/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is untested as findings, for programs that show what is wrong with a line: SARIF, and annotations of GitHub. */
#include "analysis/tell/steps.h"
#include "support/output.h"
#include "support/xalloc.h"
#include "view/untested/annotation.h"
#include "view/untested/sarif.h"
#include "view/untested/untested_view.h"
#include <stdlib.h>
#include <string.h>

enum { RULE_PATH, RULE_OUTCOME, RULE_FUNCTION, RULE_FIELD, RULES };
static const struct wm_sarif_rule rules[RULES] = {
	[RULE_PATH] = {"untested-path", "UntestedPath", "No test executes this path."},
	[RULE_OUTCOME] = {"untested-outcome", "UntestedOutcome", "No test takes this outcome of the decision."},
	[RULE_FUNCTION] = {"untested-function", "UntestedFunction", "No test enters this function."},
	[RULE_FIELD] = {"untested-in-field", "UntestedInField", "This path ran in the field, and no test executes it."},
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
	const struct wm_untested_answer *answer;
	const struct wm_report_options *options;
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

/* Where the nearest tested path goes instead. */
static void tell_nearest(
	struct finding *finding, const struct wm_untested_function *f, const struct wm_untested_path *path)
{
	const struct wm_story_function *function = wm_untested_parting(f, path);
	struct wm_sarif_result *result = &finding->result;
	if (path->block == WM_NONE || path->nearest_edge == WM_NONE)
		return;
	finding->related[0] = decision_place(function, function->map->graph.edge_to[path->nearest_edge]);
	finding->related[0].message = "the nearest tested path goes here";
	result->related = finding->related;
	result->related_count = 1;
}

static void tell_contradiction(
	struct finding *finding, const struct wm_story_function *function, const struct wm_gap *gap)
{
	struct wm_sarif_result *result = &finding->result;
	finding->related[result->related_count] = decision_place(function, gap->earlier);
	finding->related[result->related_count++].message = "what the path does here contradicts a later decision";
	result->related = finding->related;
}

/* The members that outcomes and all paths have; the message is taken. */
static void begin_finding(struct finding *finding, int rule, const struct wm_untested_function *f,
	const struct wm_untested_path *path, char *message)
{
	*finding = (struct finding){.message = message};
	finding->result = (struct wm_sarif_result){.rule = rule,
		.level = WM_SARIF_WARNING,
		.message = message,
		.place = decision_place(wm_untested_parting(f, path), path->block),
		.function = f->field->display};
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
	char *text = wm_gap_text(f, gap, &s->sources), *tests = tests_clause(s->answer->gaps, gap);
	char *doubt = wm_gap_infeasible_text(f, gap);
	begin_finding(finding, path ? RULE_PATH : RULE_OUTCOME, &f->base, &gap->path,
		wm_xprintf("%s of %s: %s%s%s%s", path ? "Untested path" : "Untested outcome", f->base.field->brief,
			text, tests, doubt ? "; " : "", doubt ? doubt : ""));
	finding->result.fingerprint =
		wm_labels_hash(s->label, f->base.field, gap->own.id, path ? WM_NONE : gap->path.edge);
	if (path) {
		tell_flow(s, finding, f->base.field, gap->own.id);
		tell_nearest(finding, &f->base, &gap->path);
	}
	if (gap->infeasible) {
		finding->result.level = WM_SARIF_NOTE;
		tell_contradiction(finding, f->base.field, gap);
	}
	free(text);
	free(tests);
	free(doubt);
}

/* A path of the field. */
static void find_path(struct findings *s, struct finding *finding, const struct wm_untested_function *f,
	const struct wm_untested_path *path)
{
	char *text = wm_untested_news(f, path, &s->sources);
	begin_finding(finding, RULE_FIELD, f, path,
		wm_xprintf("Untested path of %s, which ran %s time%s in the field%s%s", f->field->brief,
			wm_thousands(path->path->count), path->path->count == 1 ? "" : "s", *text ? ": " : "", text));
	finding->result.fingerprint = path->triage_id;
	tell_flow(s, finding, f->field, path->path->id);
	tell_nearest(finding, f, path);
	free(text);
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

typedef void take_result(void *closure, const struct wm_sarif_result *result);

/* Of the kind that gates count. */
static void each_gap(struct findings *s, take_result *take, void *closure)
{
	const struct wm_gaps *gaps = s->answer->gaps;
	struct finding finding;
	for (size_t i = 0; i < gaps->count; i++) {
		const struct wm_gap_function *f = &gaps->function[i];
		s->label = wm_labels_make(f->base.field, &s->sources);
		for (size_t j = 0; j < wm_gap_list(gaps, f)->count; j++) {
			find_gap(s, &finding, f, &wm_gap_list(gaps, f)->gap[j]);
			take(closure, &finding.result);
			release(&finding);
		}
		wm_labels_release(s->label, f->base.field);
	}
	for (size_t i = 0; i < gaps->never_count; i++) {
		find_never(&finding, gaps->never[i]);
		take(closure, &finding.result);
		release(&finding);
	}
}

static void each_path(struct findings *s, take_result *take, void *closure)
{
	const struct wm_untested *field = s->answer->field;
	size_t most = s->options->all ? SIZE_MAX : s->options->paths;
	struct finding finding;
	for (size_t i = 0; i < field->functions_with_paths; i++)
		for (size_t j = 0; j < field->function[i].path_count && j < most; j++) {
			find_path(s, &finding, &field->function[i], &field->function[i].path[j]);
			take(closure, &finding.result);
			release(&finding);
		}
}

/* Calls `take` for each finding. */
static void each_finding(const struct wm_untested_answer *answer, const struct wm_report_options *options,
	take_result *take, void *closure)
{
	struct findings s = {.answer = answer,
		.options = options,
		.sources = {.directories = &options->source_dirs, .off = options->no_source}};
	s.steps.sources = &s.sources;
	(answer->gaps ? each_gap : each_path)(&s, take, closure);
	wm_steps_release(&s.steps);
	wm_sources_release(&s.sources);
}

static void add_result(void *closure, const struct wm_sarif_result *result)
{
	wm_sarif_add(closure, result);
}

static void print_sarif(const struct wm_untested_answer *answer, const struct wm_report_options *options, FILE *out)
{
	struct wm_sarif sarif;
	wm_sarif_begin(&sarif, out, rules, RULES);
	each_finding(answer, options, add_result, &sarif);
	wm_sarif_end(&sarif);
}

void wm_untested_sarif(
	const struct wm_untested_answer *answer, const struct wm_report_options *options, const char *file)
{
	struct wm_output output;
	if (strcmp(file, "-") == 0) {
		print_sarif(answer, options, stdout);
		return;
	}
	wm_output_open(&output, file);
	print_sarif(answer, options, output.file);
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

void wm_untested_annotate(const struct wm_untested_answer *answer, const struct wm_report_options *options, FILE *out)
{
	each_finding(answer, options, print_annotation, out);
}
