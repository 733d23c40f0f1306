/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/scheme/pieces.h"
#include "plugin/extract/weigh.h"
#include "plugin/inline/clone.h"
#include "plugin/pass/module_pass.h"
#include "policy/known.h"
#include "profile/map/identity.h"
#include <stdio.h>
#include <string.h>

enum wm_status wm_pass_choose_loops(
	struct wm_module_pass *p, struct wm_map_function *function, struct wm_scheme_choice *choice)
{
	const struct wm_loop_choice *missed;
	*choice = p->options.choice;
	if (!p->options.has_loops)
		return WM_OK;
	function->scheme =
		wm_loop_choices_scheme(&p->options.loops, p->options.scheme_text, function, &missed, &p->arena);
	if (!function->scheme)
		return WM_NO_MEMORY;
	if (missed)
		fprintf(stderr, "waymark: function %s has no loop whose line is known at or behind line %u%s\n",
			function->name, missed->line, function->line ? "" : "; lines need -g");
	return wm_scheme_parse(function->scheme, choice);
}

static enum wm_status number_paths(struct wm_module_pass *p, struct wm_subject *s)
{
	struct wm_plan *plan = &s->plan;
	struct wm_map_function *function = s->function;
	struct wm_arena *scratch = &s->arena;
	struct wm_scheme_choice choice;
	enum wm_status status = wm_pass_choose_loops(p, function, &choice);
	if (status == WM_OK)
		status =
			wm_plan_choose_for_build(plan, &function->graph, &choice, s->anchors.resume_count > 0, scratch);
	if (status == WM_OK && plan->choice.sequences && !choice.sequences) {
		size_t size = strlen(function->scheme) + sizeof WM_SEQUENCES;
		char *text = WM_NEW(&p->arena, char, size);
		if (!text)
			return WM_NO_MEMORY;
		snprintf(text, size, "%s" WM_SEQUENCES, function->scheme);
		function->scheme = text;
	}
	if (status == WM_OK && wm_plan_has_pieces(plan) && p->options.purpose == WM_PURPOSE_RESIDUAL) {
		function->reason =
			"has paths over too many iterations for a residual build: choose fewer with -fwaymark-k";
		return WM_BAD_GRAPH;
	}
	function->graph_hash = wm_map_has_origins(function) ? wm_map_inlined_hash(&p->map, function)
							    : wm_map_graph_hash(&function->graph, function->scheme);
	wm_map_set_source(&p->map, function);
	return status;
}

void wm_pass_number(struct wm_module_pass *p, struct wm_subject *s)
{
	s->status = number_paths(p, s);
}

void wm_pass_divide(struct wm_module_pass *p, struct wm_subject *s)
{
	s->status = wm_divide(&s->parts, s->in_unit, s->function, &s->anchors, &s->calls, &s->arena);
	if (s->status != WM_OK)
		return;
	s->plan = s->parts->plan;
	s->function->graph_hash = wm_map_graph_hash(s->plan.graph, s->function->scheme);
	wm_map_set_source(&p->map, s->function);
}

void wm_pass_weigh(struct wm_module_pass *p, struct wm_subject *s)
{
	struct wm_known known = {.profile = s->parts ? NULL : wm_options_weights(&p->options), .function = s->function};
	s->status = wm_weigh(
		&s->weights, &s->plan, known, s->parts ? &s->parts->anchors : &s->anchors, p->analyses, &s->arena);
}

void wm_pass_record(struct wm_module_pass *p, struct wm_subject *s)
{
	struct wm_probe_request request = {.plan = &s->plan,
		.weights = &s->weights,
		.placement = p->options.test.placement,
		.resumes = s->anchors.resume_count > 0,
		.parts = &s->parts->parts};
	wm_counting_stream(&s->choice.counting, &s->plan);
	s->choice.plan = &s->plan;
	s->status = wm_passes_run(&request, &s->choice.counting, NULL, &s->choice.program, &s->arena);
}

static enum wm_status find_known(const struct wm_module_pass *p, struct wm_subject *s, struct wm_store_request *request)
{
	enum wm_status status = wm_known_paths(&request->known, &p->options.paths, s->function, &s->plan, &s->arena);
	uint64_t *count = status == WM_OK ? WM_NEW(&s->arena, uint64_t, request->known.count) : NULL;
	if (!count)
		return WM_NO_MEMORY;
	wm_known_counts(count, &request->known, &p->options.paths, s->function);
	request->known_count = count;
	request->executions = p->executions;
	return WM_OK;
}

void wm_pass_choose_store(struct wm_module_pass *p, struct wm_subject *s)
{
	struct wm_store_request request = {.purpose = p->options.purpose,
		.stage = p->options.stage,
		.test = p->options.test,
		.may_copy = p->options.stage == WM_CFG_OPTIMISED && !p->options.crash && wm_may_clone(s->ir),
		.probes = {.plan = &s->plan,
			.weights = &s->weights,
			.may_not_return = s->anchors.may_not_return,
			.resumes = s->anchors.resume_count > 0}};
	if (wm_options_knows(&p->options) && !wm_plan_has_pieces(&s->plan))
		s->status = find_known(p, s, &request);
	if (s->status == WM_OK)
		s->status = wm_store_choose(&request, &s->choice, &s->arena);
	/* Where all paths are untested, they may be frequent. */
	if (s->status == WM_OK && s->choice.counting.residual && !wm_counting_checks(&s->choice.counting))
		s->function->update = (uint8_t)p->options.update;
}

static void take_across(const struct wm_module_pass *p, struct wm_subject *s)
{
	const struct wm_unit_subject *across = &p->across.subject[s->index];
	s->across = &across->across;
	s->choice = (struct wm_store_choice){.plan = &p->across.plan.function[s->index],
		.counting = wm_counting_across,
		.program = across->program.events};
	s->choice.counting.residual = p->options.purpose == WM_PURPOSE_RESIDUAL;
}

/* All functions together; without a unit plan, no function has one. */
enum wm_status wm_pass_plan_across(struct wm_module_pass *p)
{
	p->across = (struct wm_module_unit){.module = p->module,
		.unit = &p->unit,
		.options = &p->options,
		.scope = p->local_scope,
		.map = &p->map,
		.subject = WM_NEW(&p->arena, struct wm_unit_subject, p->unit.function_count)};
	if (!p->across.subject)
		return WM_NO_MEMORY;
	for (size_t i = 0; i < p->subject_count; i++) {
		struct wm_subject *s = &p->subject[i];
		if (s->in_unit)
			p->across.subject[s->index] = (struct wm_unit_subject){
				.ir = s->ir, .function = s->function, .calls = &s->calls, .weights = s->weights};
	}
	enum wm_status status = wm_module_unit_plan(&p->across, &p->arena);
	for (size_t i = 0; status == WM_OK && i < p->subject_count; i++)
		if (p->subject[i].in_unit)
			take_across(p, &p->subject[i]);
	return status;
}
