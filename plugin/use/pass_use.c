/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A build that is optimised with a profile (-fwaymark-use).  Nothing is instrumented: where the graph of the profile was taken,
 * functions get the counts that their paths give, in the form that LLVM's own passes read.  A function of which the profile has
 * only another graph is named and left alone.
 */
#include "plugin/pass/module_pass.h"
#include "plugin/use/use_attach.h"
#include "plugin/use/use_superblocks.h"
#include <inttypes.h>
#include <stdio.h>

/* How many stale functions a message names. */
#define MOST_NAMES 5u

static bool is_optimised(LLVMValueRef ir)
{
	return !wm_shim_has(ir, "optnone");
}

static struct wm_use_request request_for(const struct wm_module_pass *p, const struct wm_subject *s)
{
	return (struct wm_use_request){.profile = &p->options.use,
		.module = &p->map,
		.function = s->function,
		.scheme = p->options.has_scheme ? s->function->scheme : NULL};
}

/* ---- The steps -------------------------------------------------------------------------- */

static void find(struct wm_module_pass *p, struct wm_subject *s)
{
	struct wm_scheme_choice choice;
	if (!is_optimised(s->ir))
		return;
	s->status = wm_pass_choose_loops(p, s->function, &choice);
	struct wm_use_request request = request_for(p, s);
	if (s->status == WM_OK)
		s->status = wm_use_find(&s->use, &request, &s->arena);
}

static void count(struct wm_module_pass *p, struct wm_subject *s)
{
	struct wm_use_request request = request_for(p, s);
	s->status = wm_use_count(&s->use, &request, &s->arena);
}

/* Without an optimised function, LLVM has nothing to compare counts with. */
static enum wm_status attach_summary(struct wm_module_pass *p)
{
	struct wm_use_summary summary;
	bool optimised = false;
	for (size_t i = 0; i < p->subject_count; i++)
		optimised |= is_optimised(p->subject[i].ir);
	enum wm_status status = wm_use_summary(&summary, &p->options.use, &p->arena);
	if (status != WM_OK)
		return status;
	p->executions = summary.executions;
	if (!summary.function_count)
		fprintf(stderr,
			"waymark: the profile of -fwaymark-use has no counts of functions, so %s is compiled without "
			"it\n",
			p->map.source);
	else if (optimised)
		wm_shim_set_summary(p->analyses, p->module, summary.count, summary.first, summary.function_count);
	return WM_OK;
}

static void form_superblocks(struct wm_module_pass *p, struct wm_subject *s)
{
	struct wm_use_request request = request_for(p, s);
	s->status = wm_use_superblocks(p, s, &request);
}

static void attach(struct wm_module_pass *p, struct wm_subject *s)
{
	const struct wm_use_shape *shape = s->shape;
	if (shape)
		s->status = wm_use_attach(s->ir, shape->graph, &shape->anchors, &shape->ran, p->analyses, &s->arena);
	else if (s->use.state == WM_USE_RAN || s->use.state == WM_USE_IDLE)
		s->status = wm_use_attach(s->ir, &s->function->graph, &s->anchors, &s->use.ran, p->analyses, &s->arena);
}

static LLVMValueRef first_instruction(LLVMValueRef ir)
{
	return LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(ir));
}

static void remark(struct wm_module_pass *p, struct wm_subject *s)
{
	char text[300];
	LLVMValueRef at = first_instruction(s->ir);
	(void)p;
	switch (s->use.state) {
	case WM_USE_UNKNOWN:
		break;
	case WM_USE_STALE:
		wm_shim_remark(at, true, "Stale",
			"the profile knows this function only with another graph or by another scheme, so it is not "
			"used");
		break;
	case WM_USE_IDLE:
		wm_shim_remark(at, false, "NeverRan", "the function never ran in the profile: it is cold");
		break;
	case WM_USE_RAN:
		snprintf(text, sizeof text,
			"%" PRIu64 " entr%s and the weights of branches, from %zu path%s (%s) that ran %" PRIu64
			" time%s",
			s->use.ran.entries, s->use.ran.entries == 1 ? "y" : "ies", s->use.path_count,
			s->use.path_count == 1 ? "" : "s", s->use.scheme, s->use.executions,
			s->use.executions == 1 ? "" : "s");
		wm_shim_remark(at, false, "Counts", text);
		break;
	}
}

static void print_stale(const struct wm_module_pass *p, size_t stale, size_t known)
{
	unsigned named = 0;
	fprintf(stderr,
		"waymark: %zu of %zu functions of %s that ran in the profile have another graph here, and are compiled "
		"without it:",
		stale, known, p->map.source);
	for (size_t i = 0; i < p->subject_count && named < MOST_NAMES; i++)
		if (p->subject[i].use.state == WM_USE_STALE)
			fprintf(stderr, "%s %s", named++ ? "," : "", p->subject[i].function->name);
	fprintf(stderr, "%s\n", stale > named ? ", ..." : "");
}

static enum wm_status name_stale(struct wm_module_pass *p)
{
	size_t stale = 0, known = 0;
	for (size_t i = 0; i < p->subject_count; i++) {
		stale += p->subject[i].use.state == WM_USE_STALE;
		known += p->subject[i].use.state == WM_USE_STALE || p->subject[i].use.state == WM_USE_RAN;
	}
	if (stale)
		print_stale(p, stale, known);
	return WM_OK;
}

static const struct wm_pass_step steps[] = {
	{"list", "list functions; those whose graph can be taken become subjects", .all = wm_pass_list},
	{"extract", "IR to graph and anchors", .each = wm_pass_extract},
	{"unit", "find call sites and their callees", wm_options_inlines, .all = wm_pass_make_unit},
	{"inline", "inline calls as the build did that made the profile", wm_options_inlines, .all = wm_pass_inline},
	{"sources", "say from which files functions are", .all = wm_pass_find_sources},
	{"find", "the plan by which the profile has counted the paths of a function", .each = find},
	{"count", "paths to executions of blocks and edges", .each = count},
	{"summary", "what is hot and what is cold", .all = attach_summary},
	{"remark", "say what is known of each function", .each = remark},
	{"superblocks", "copy blocks of paths whose decisions follow from the way to them", .each = form_superblocks},
	{"attach", "executions to weights of branches and entry counts", .each = attach},
	{"stale", "name functions that have changed", .all = name_stale, .finishes = true},
	{"release", "release what is known of subjects", .all = wm_pass_list_refused, .finishes = true},
};

void wm_pass_use(struct wm_module_pass *p)
{
	wm_pass_run_steps(p, steps, sizeof steps / sizeof *steps);
}
