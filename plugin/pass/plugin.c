/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The pass over a module: a list of steps, each of which is done for all functions before the next one begins.  Nothing of a
 * function gets probes before all functions are planned.  A function that cannot be instrumented is not changed, and is listed in
 * the map with the reason.  Last, values share stack slots in functions that LLVM does not optimise (slots.h).
 */
#include "plugin/crash/frames.h"
#include "plugin/emit/messages.h"
#include "plugin/extract/inline_bodies.h"
#include "plugin/inline/slots.h"
#include "plugin/llvm/returns.h"
#include "plugin/llvm/scope.h"
#include "plugin/llvm/stack_maps.h"
#include "plugin/pass/module_pass.h"
#include "policy/known.h"
#include <stdio.h>
#include <string.h>

#define MARK "waymark.instrumented"

/* ---- The steps ------------------------------------------------------------------------- */

static bool has_crash(const struct wm_options *options)
{
	return options->crash;
}

static bool has_trace(const struct wm_options *options)
{
	return options->test.trace;
}

static const struct wm_pass_step steps[] = {
	{"list", "list functions; those that are to be instrumented become subjects", .all = wm_pass_list},
	{"code", "sum up what each function does", .each = wm_pass_sum_code},
	{"extract", "IR to graph, anchors and source lines", .each = wm_pass_extract},
	{"unit", "find call sites and their callees", .all = wm_pass_make_unit},
	{"inline", "inline calls, and extract functions again", wm_options_inlines, .all = wm_pass_inline},
	{"calls", "describe the call sites in the map", .all = wm_pass_list_calls},
	{"sources", "say from which files functions are", .all = wm_pass_find_sources},
	{"check", "refuse functions that the map cannot describe", .all = wm_pass_check_map},
	{"number", "scheme, DAG and numbering of each function", wm_options_counts, .each = wm_pass_number},
	{"divide", "the same for the parts of a function between calls", wm_options_records, .each = wm_pass_divide},
	{"weigh", "how often edges are executed", .each = wm_pass_weigh},
	{"store", "how paths are counted, the shape, and the probe program", wm_options_counts_inside,
		.each = wm_pass_choose_store},
	{"record", "the probe program of a recording", wm_options_records, .each = wm_pass_record},
	{"across", "number all functions together; their probe programs and tables", wm_options_crosses,
		.all = wm_pass_plan_across},
	{"crash", "note where each function is when it calls or faults", has_crash, .each = wm_pass_emit_crash,
		.in_turn = true},
	{"trace", "write the trace of blocks that tests compare with", has_trace, .each = wm_pass_trace,
		.in_turn = true},
	{"clone", "clone blocks as the shape says", .each = wm_pass_clone, .in_turn = true},
	{"emit", "write the probe program and the record", .each = wm_pass_emit, .in_turn = true},
	{"others", "describe the calls of functions without probes", wm_options_leaves, .all = wm_pass_describe_others},
	{"threads", "note threads that functions of system headers create", wm_options_records,
		.all = wm_pass_note_threads},
	{"refuse", "list functions that could not be instrumented", .all = wm_pass_list_refused, .finishes = true},
	{"warn", "say if the profile of the options is of other sources", wm_options_knows_inside,
		.all = wm_pass_warn_of_sources, .finishes = true},
	{"attributes", "callees may access counters", wm_options_changes_callees, .all = wm_pass_drop_attributes,
		.finishes = true},
	{"retain", "keep the records of functions in the program", .all = wm_pass_retain, .finishes = true},
	{"map", "write the map of the module", .all = wm_pass_write_map, .finishes = true},
};

static void refuse_all(struct wm_module_pass *p, enum wm_status status)
{
	for (size_t i = 0; i < p->subject_count; i++) {
		p->subject[i].status = status;
		p->subject[i].function->unit = NULL;
	}
}

static bool is_wanted(const struct wm_module_pass *p, const struct wm_pass_step *step)
{
	return !step->wanted || step->wanted(&p->options);
}

static size_t rows_in_turn(const struct wm_pass_step *step, size_t count)
{
	size_t rows = 1;
	while (step->in_turn && rows < count && step[rows].in_turn)
		rows++;
	return rows;
}

static void run_each(struct wm_module_pass *p, const struct wm_pass_step *step, size_t rows)
{
	for (size_t i = 0; i < p->subject_count; i++)
		for (size_t r = 0; r < rows; r++)
			if (step[r].each && p->subject[i].status == WM_OK && is_wanted(p, &step[r]))
				step[r].each(p, &p->subject[i]);
}

void wm_pass_run_steps(struct wm_module_pass *p, const struct wm_pass_step *list, size_t count)
{
	bool failed = false;
	for (size_t i = 0, rows; i < count; i += rows) {
		const struct wm_pass_step *step = &list[i];
		rows = rows_in_turn(step, count - i);
		if (failed && !step->finishes)
			continue;
		run_each(p, step, rows);
		enum wm_status status = step->all && is_wanted(p, step) ? step->all(p) : WM_OK;
		if (status == WM_OK)
			continue;
		failed = true;
		refuse_all(p, status);
	}
}

/* ---- The module ------------------------------------------------------------------------ */

/* Code of a kernel cannot be linked with the runtime, which needs a C library. */
static bool is_of_kernel(LLVMModuleRef module)
{
	enum { KERNEL = 2 }; /* llvm::CodeModel */
	static const char flag[] = "Code Model";
	LLVMMetadataRef found = LLVMGetModuleFlag(module, flag, sizeof flag - 1);
	LLVMValueRef value = found ? LLVMMetadataAsValue(LLVMGetModuleContext(module), found) : NULL;
	LLVMValueRef model = value ? LLVMGetOperand(value, 0) : NULL;
	return model && LLVMIsAConstantInt(model) && LLVMConstIntGetZExtValue(model) == KERNEL;
}

static bool is_native(const char *target)
{
	static const char *const formats[] = {"-coff", "-macho", "-goff", "-xcoff", "-wasm"};
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
		if (strstr(target, formats[i]))
			return false;
	return !strncmp(target, "x86_64-", 7) && strstr(target, "linux") && !strstr(target, "x32");
}

/* Says on stderr why nothing of the module is instrumented. */
static bool is_foreign(LLVMModuleRef module)
{
	size_t size;
	const char *target = LLVMGetTarget(module), *source = LLVMGetSourceFileName(module, &size);
	bool native = is_native(target);
	if (native && !is_of_kernel(module))
		return false;
	fprintf(stderr, "waymark: %s is not instrumented: it is compiled for %s, and Waymark knows only %s\n", source,
		native ? "a kernel (-mcmodel=kernel)" : target, native ? "programs" : "x86-64 Linux (ELF)");
	return true;
}

/* What inline functions are to the pass is decided before functions are listed. */
static void prepare_inline_functions(struct wm_module_pass *p)
{
	if (p->options.stage == WM_CFG_SOURCE)
		wm_inline_functions_keep(p->module, &p->files);
	if (wm_options_crosses(&p->options))
		wm_inline_bodies_delete(p->module, &p->files);
	else if (p->options.stage == WM_CFG_SOURCE)
		wm_inline_bodies_make_local(p->module, &p->files);
}

static bool prepare(struct wm_module_pass *p)
{
	size_t size, count = wm_pass_count_functions(p->module);
	p->map.source = LLVMGetSourceFileName(p->module, &size);
	p->map.crash_paths = p->options.crash_paths;
	p->map.has_values = p->options.stage == WM_CFG_SOURCE;
	p->local_scope = wm_local_scope(p->module, &p->arena);
	p->map.function = WM_NEW(&p->arena, struct wm_map_function, count);
	p->record = WM_NEW(&p->arena, LLVMValueRef, 3 * count + 4);
	p->unseen = (struct wm_unseen){p->module, WM_NEW(&p->arena, LLVMValueRef, count), 0};
	if (wm_options_instruments(&p->options) || wm_options_inlines(&p->options))
		prepare_inline_functions(p);
	return p->local_scope && p->map.function && p->record && p->unseen.function && wm_returns_find(p->module);
}

static void instrument_module(struct wm_module_pass *p)
{
	LLVMValueRef none = NULL;
	wm_emitter_init(&p->emitter, p->module, p->options.stage == WM_CFG_OPTIMISED);
	p->emitter.unchecked = wm_pass_refuses_any(p);
	p->executions = wm_options_knows(&p->options) ? wm_known_executions(&p->options.paths) : 0;
	wm_pass_run_steps(p, steps, sizeof steps / sizeof *steps);
	LLVMAddNamedMetadataOperand(p->module, MARK, LLVMMDNodeInContext(p->emitter.context, &none, 0));
	wm_emitter_release(&p->emitter);
	if (p->options.stage == WM_CFG_OPTIMISED)
		wm_frames_lower(p->module);
}

static bool run(struct wm_module_pass *p)
{
	wm_arena_init(&p->arena);
	wm_files_init(&p->files, p->module, p->options.system_headers);
	bool prepared = prepare(p);
	if (prepared && wm_options_uses(&p->options))
		wm_pass_use(p);
	else if (prepared && p->options.marks)
		wm_pass_mark(p);
	else if (prepared)
		instrument_module(p);
	wm_files_release(&p->files);
	wm_arena_release(&p->arena);
	return prepared;
}

/* `waymark cc` loads the plugin into the linker only if the compiler has left the graph as it is in the source: where calls
 * between files are inlined. */
static bool runs_at(const struct wm_options *options, enum wm_shim_hook hook)
{
	switch (hook) {
	case WM_HOOK_PIPELINE_START:
		return options->stage == WM_CFG_SOURCE;
	case WM_HOOK_OPTIMIZER_LAST:
		return options->stage == WM_CFG_OPTIMISED;
	case WM_HOOK_INLINED:
		return false;
	case WM_HOOK_LINK_START:
		return options->stage == WM_CFG_SOURCE && options->inlining.copies;
	}
	return false;
}

static bool instrument(LLVMModuleRef module, enum wm_shim_hook hook, struct wm_shim_analyses *analyses)
{
	struct wm_module_pass p = {.module = module, .analyses = analyses};
	char error[300];
	if (LLVMGetNamedMetadataNumOperands(module, MARK) || !wm_pass_count_functions(module))
		return false;
	if (!wm_options_init(&p.options, error)) {
		if (hook != WM_HOOK_OPTIMIZER_LAST)
			wm_shim_error(module, error);
		wm_options_release(&p.options);
		return false;
	}
	bool changed = runs_at(&p.options, hook) && !is_foreign(module) && run(&p);
	wm_options_release(&p.options);
	return changed;
}

bool wm_plugin_run(LLVMModuleRef module, enum wm_shim_hook hook, struct wm_shim_analyses *analyses)
{
	if (hook == WM_HOOK_INLINED) {
		bool frames = wm_frames_lower(module);
		return wm_messages_lower(module, analyses) || frames;
	}
	bool changed = instrument(module, hook, analyses);
	if (hook == WM_HOOK_OPTIMIZER_LAST)
		changed |= wm_shim_lower_resumes(module);
	if (hook == WM_HOOK_OPTIMIZER_LAST && LLVMGetNamedMetadataNumOperands(module, MARK))
		changed |= wm_share_slots(module);
	return changed;
}
