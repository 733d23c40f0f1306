/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plugin/conditions/values.h"
#include "plugin/extract/failures.h"
#include "plugin/extract/value_facts.h"
#include "plugin/pass/module_pass.h"
#include <stdlib.h>
#include <string.h>

static bool has_landing_pads(const struct wm_anchors *anchors, const struct wm_map_function *function)
{
	for (uint32_t b = 0; b < function->graph.block_count; b++)
		if (anchors->terminator[b] && LLVMIsAInvokeInst(anchors->terminator[b]))
			return true;
	return false;
}

/* Entry counters tell how many activations were left by longjmp and the like, and how many were open when a program died.
 * In a build with a profile, where cost matters, only functions with a call that may really not return have one.
 * Where paths cross calls, a path may also be abandoned because a callee turns out not to be instrumented.
 * A landing pad of a crossed call begins a path, as a second return of setjmp does.
 * Residual builds have none; they count atomically, because untested paths are rare, so threads need no preparation.
 * Recordings count nothing; has_resumed says that activations are identified (abi/stream.h). */
static void describe(const struct wm_module_pass *p, const struct wm_anchors *anchors, struct wm_map_function *function)
{
	bool crosses = wm_options_crosses(&p->options);
	bool residual = p->options.purpose == WM_PURPOSE_RESIDUAL, records = wm_options_records(&p->options);
	bool may_not_return = wm_options_weights(&p->options) ? anchors->some_call_may_not_return
							      : anchors->some_block_may_not_return;
	function->has_entries = (may_not_return || crosses) && p->options.test.entries && !residual && !records;
	function->has_resumed =
		(anchors->resume_count > 0 || (crosses && has_landing_pads(anchors, function))) && !residual;
	if (residual || records)
		function->update = WM_UPDATE_ATOMIC;
}

bool wm_pass_ends_at_tail_calls(const struct wm_module_pass *p)
{
	return p->options.stage == WM_CFG_OPTIMISED && !wm_options_crosses(&p->options);
}

void wm_pass_extract(struct wm_module_pass *p, struct wm_subject *s)
{
	wm_shim_fold_indirect_targets(s->ir);
	if (p->options.conditions_of_values)
		wm_values_split(s->ir);
	s->status = wm_extract(s->ir, wm_pass_ends_at_tail_calls(p), s->function, &s->anchors, &p->files, &p->arena);
	if (s->status == WM_OK)
		s->status =
			wm_facts_extract(s->ir, s->function, &s->anchors, p->analyses, &s->function->facts, &p->arena);
	if (s->status == WM_OK)
		s->status = wm_failures_extract(s->function, &s->anchors, &p->arena);
	if (s->status == WM_OK)
		describe(p, &s->anchors, s->function);
	if (p->options.test.spoil && !strcmp(s->function->name, "spoilt"))
		s->function->facts.value_count = s->function->facts.count + 1;
}

static int by_ir(const void *a, const void *b)
{
	const struct wm_subject *x = *(struct wm_subject *const *)a, *y = *(struct wm_subject *const *)b;
	return (x->ir > y->ir) - (x->ir < y->ir);
}

/* The subjects by address, to find callees. */
struct callees {
	struct wm_subject **subject;
	size_t count;
	const struct wm_unit *unit;
};

/* A definition that the linker may replace does not count as the callee. */
static uint32_t find_callee(void *closure, LLVMValueRef ir)
{
	const struct callees *callees = closure;
	struct wm_subject key = {.ir = ir}, *wanted = &key;
	struct wm_subject **found = bsearch(&wanted, callees->subject, callees->count, sizeof *callees->subject, by_ir);
	if (!found || !(*found)->in_unit || wm_shim_is_interposable(ir))
		return WM_NONE;
	return (uint32_t)((*found)->in_unit - callees->unit->function);
}

/* The unit: all functions that were extracted, with their call sites. */
enum wm_status wm_pass_make_unit(struct wm_module_pass *p)
{
	struct wm_subject *subject = p->subject;
	size_t count = p->subject_count;
	struct callees callees = {WM_NEW(&p->arena, struct wm_subject *, count), count, &p->unit};
	p->unit = (struct wm_unit){.function = WM_NEW(&p->arena, struct wm_unit_function, count)};
	if (!callees.subject || !p->unit.function)
		return WM_NO_MEMORY;
	for (size_t i = 0; i < count; i++) {
		callees.subject[i] = &subject[i];
		subject[i].in_unit = NULL;
		if (subject[i].status != WM_OK)
			continue;
		subject[i].index = p->unit.function_count++;
		subject[i].in_unit = &p->unit.function[subject[i].index];
		*subject[i].in_unit = (struct wm_unit_function){
			.name = subject[i].function->name, .graph = &subject[i].function->graph};
	}
	qsort(callees.subject, count, sizeof *callees.subject, by_ir);
	enum wm_status status = WM_OK;
	for (size_t i = 0; i < count && status == WM_OK; i++)
		if (subject[i].in_unit)
			status = wm_extract_calls(subject[i].in_unit, &subject[i].calls, &subject[i].anchors,
				find_callee, &callees, &p->arena);
	for (size_t i = 0; i < count && status == WM_OK && wm_options_crosses(&p->options); i++)
		if (subject[i].in_unit)
			wm_unit_find_opaque(subject[i].in_unit, &subject[i].calls, p->analyses);
	return status;
}
