/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "abi/thread.h"
#include "plugin/crash/crash_emit.h"
#include "plugin/emit/map_section.h"
#include "plugin/inline/clone.h"
#include "plugin/llvm/returns.h"
#include "plugin/pass/module_pass.h"
#include "plugin/pass/trace.h"
#include "plugin/sites/described_calls.h"
#include <stdio.h>

void wm_pass_emit_crash(struct wm_module_pass *p, struct wm_subject *s)
{
	struct wm_crash_request crash = {&s->function->graph, s->parts ? NULL : &s->plan, &s->anchors, &s->calls,
		s->parts ? NULL : &s->weights, s->in_unit->call_count, s->function->key, p->options.crash_paths};
	s->status = wm_crash_emit(&p->emitter, s->ir, &crash, &s->arena);
}

void wm_pass_trace(struct wm_module_pass *p, struct wm_subject *s)
{
	s->status = wm_trace(p->module, s->ir, wm_pass_ends_at_tail_calls(p), &s->arena);
}

void wm_pass_clone(struct wm_module_pass *p, struct wm_subject *s)
{
	(void)p;
	s->probed = s->parts ? &s->parts->anchors : &s->anchors;
	if (!s->choice.shape)
		return;
	s->status = wm_clone_shape(s->ir, s->choice.shape, &s->choice.plan->dfs, &s->anchors, &s->shaped, &s->arena);
	s->probed = &s->shaped;
}

void wm_pass_emit(struct wm_module_pass *p, struct wm_subject *s)
{
	struct wm_emit_request request = {s->choice.plan, &s->choice.counting, &s->choice.program, s->probed,
		s->function, s->across, .unfinished = wm_options_leaves(&p->options),
		.origin = s->choice.shape ? s->choice.shape->origin : NULL,
		.weights = s->choice.shape || s->choice.counting.residual ? NULL : &s->weights};
	struct wm_emitted emitted;
	s->status = wm_emit(&p->emitter, s->ir, &request, &emitted, &s->arena);
	if (s->status != WM_OK)
		return;
	if (s->parts)
		wm_emit_thread_events(&p->emitter, s->in_unit, &s->calls);
	p->record[p->record_count++] = emitted.record;
	for (size_t i = 0; i < 2; i++)
		if (emitted.link[i])
			p->record[p->record_count++] = emitted.link[i];
	s->function->status = request.plan->cut_count ? WM_SPLIT : WM_EXACT;
	if (request.program->probe_count || s->function->has_entries)
		wm_drop_memory_attributes(s->ir);
}

enum wm_status wm_pass_describe_others(struct wm_module_pass *p)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(p->module); f; f = LLVMGetNextFunction(f))
		if (!LLVMIsDeclaration(f) && !LLVMGetGC(f))
			wm_sites_attach_none(&p->emitter, f);
	return WM_OK;
}

/* Declarations too, because the definition in another module may be instrumented. */
enum wm_status wm_pass_drop_attributes(struct wm_module_pass *p)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(p->module); f; f = LLVMGetNextFunction(f))
		if (LLVMIsDeclaration(f) && !LLVMGetIntrinsicID(f) && !wm_shim_is_library_function(p->analyses, f))
			wm_drop_memory_attributes(f);
	return WM_OK;
}

enum wm_status wm_pass_retain(struct wm_module_pass *p)
{
	if (!p->record_count)
		return WM_OK;
	/* Functions that make no calls need nothing else of this part of the runtime, but may fault. */
	if (p->options.crash)
		p->record[p->record_count++] = wm_runtime_reference(&p->emitter, WM_CRASH_SYMBOL);
	if (!wm_may_be_shared(p->module))
		p->record[p->record_count++] = wm_runtime_reference(&p->emitter, WM_UNCHECKED_SYMBOL);
	p->record[p->record_count] = wm_runtime_reference(&p->emitter, WM_RUNTIME_SYMBOL);
	wm_shim_retain(p->module, p->record, p->record_count + 1);
	return WM_OK;
}

static void say_missing(const struct wm_module_pass *p, enum wm_status status)
{
	struct wm_map_fault fault = {WM_NONE, NULL};
	fprintf(stderr, "waymark: the map of %s is missing: ", p->map.source);
	if (status == WM_BAD_GRAPH && wm_map_find_fault(&p->map, &fault) == WM_BAD_GRAPH)
		fprintf(stderr, "it cannot hold the %s%s%s\n", fault.part, fault.function == WM_NONE ? "" : " of ",
			fault.function == WM_NONE ? "" : p->map.function[fault.function].name);
	else
		fprintf(stderr, "%s\n", wm_status_text(status));
}

enum wm_status wm_pass_write_map(struct wm_module_pass *p)
{
	p->map.directory = p->files.directory;
	enum wm_status status = wm_write_map(p->module, &p->map);
	if (status != WM_OK)
		say_missing(p, status);
	return WM_OK;
}
