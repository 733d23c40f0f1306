/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The pass over a module.  Each step is done for all functions before the next step begins:
 *
 *     chain     indirect calls become chains of direct calls, if that is wanted (indirect.h)
 *     extract   IR → graph, anchors, source lines (extract.h)
 *     inline    if the options say so, calls are inlined, and functions are extracted again (pass_inline.c)
 *     plan      scheme → DAG → numbering (core/scheme/scheme.h); weights (weigh.h); how paths are
 *               counted, the shape, and the probe program (policy/store.h)
 *               schemes of paths across calls plan all functions together (unit.h)
 *     emit      shape → IR (clone.h), if blocks are copied; probe program → IR (emit.h)
 *
 * Finally the map of the module is written.  A function that cannot be instrumented is not changed, and is listed in
 * the map with the reason.  Last, values share stack slots in functions that LLVM does not optimise (slots.h).
 */
#include "plugin/clone.h"
#include "plugin/crash.h"
#include "plugin/frames.h"
#include "plugin/inline_bodies.h"
#include "plugin/map_section.h"
#include "plugin/messages.h"
#include "plugin/pass.h"
#include "plugin/returns.h"
#include "plugin/scope.h"
#include "plugin/slots.h"
#include "plugin/trace.h"
#include "plugin/weigh.h"
#include "policy/known.h"
#include "profile/identity.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MARK "waymark.instrumented"

static void warn(const char *text)
{
	fprintf(stderr, "waymark: %s\n", text);
}

static void identify(struct wm_pass *p, LLVMValueRef ir, struct wm_map_function *function)
{
	function->name = wm_linkage_name(ir);
	function->scheme = p->options.scheme_text;
	function->reason = "";
	function->stage = (uint8_t)p->options.stage;
	function->update = (uint8_t)p->options.update;
	function->local = wm_is_local(ir) && !wm_is_local_inline_body(ir);
	function->key = wm_function_key(function->name, function->local ? p->local_scope : NULL);
	wm_extract_definition(ir, function, &p->files);
}

/* Declarations too, because the definition in another module may be instrumented. */
static void drop_declared_memory_attributes(struct wm_pass *p)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(p->module); f; f = LLVMGetNextFunction(f))
		if (LLVMIsDeclaration(f) && !LLVMGetIntrinsicID(f) && !wm_shim_is_library_function(p->analyses, f))
			wm_drop_memory_attributes(f);
}

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
static void describe(const struct wm_pass *p, const struct wm_anchors *anchors, struct wm_map_function *function)
{
	bool residual = p->options.purpose == WM_PURPOSE_RESIDUAL, records = p->options.choice.scheme->at_calls;
	bool may_not_return = wm_options_weights(&p->options) ? anchors->some_call_may_not_return
							      : anchors->some_block_may_not_return;
	function->has_entries =
		(may_not_return || p->options.across) && p->options.test.entries && !residual && !records;
	function->has_resumed =
		(anchors->resume_count > 0 || (p->options.across && has_landing_pads(anchors, function))) && !residual;
	if (residual || records)
		function->update = WM_UPDATE_ATOMIC;
}

/* Adds to the scheme of the function the loops that -fwaymark-k names. */
static enum wm_status choose_loops(struct wm_pass *p, struct wm_map_function *function, struct wm_scheme_choice *choice)
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

/*
 * If there are too many paths for ids, paths are named by their pieces.  In functions in which setjmp may return twice,
 * loops have only as many iterations as fit instead: pieces are in memory, and longjmp does not restore them.
 */
static enum wm_status make_plan(struct wm_pass *p, struct wm_plan *plan, struct wm_map_function *function,
	const struct wm_anchors *anchors, struct wm_arena *scratch)
{
	struct wm_scheme_choice choice;
	enum wm_status status = choose_loops(p, function, &choice);
	if (status == WM_OK)
		status = wm_plan_choose(plan, &function->graph, &choice, 0, scratch);
	if (status == WM_OK && plan->most_iterations && !anchors->resume_count) {
		size_t size = strlen(function->scheme) + sizeof WM_SEQUENCES;
		char *text = WM_NEW(&p->arena, char, size);
		if (!text)
			return WM_NO_MEMORY;
		snprintf(text, size, "%s" WM_SEQUENCES, function->scheme);
		function->scheme = text;
		status = wm_scheme_parse(text, &choice);
		if (status == WM_OK)
			status = wm_plan_choose(plan, &function->graph, &choice, 0, scratch);
	}
	if (status == WM_OK && plan->sequences && p->options.purpose == WM_PURPOSE_RESIDUAL) {
		function->reason =
			"has paths over too many iterations for a residual build: choose fewer with -fwaymark-k";
		return WM_BAD_GRAPH;
	}
	function->graph_hash = wm_map_has_origins(function) ? wm_map_inlined_hash(&p->map, function)
							    : wm_map_graph_hash(&function->graph, function->scheme);
	wm_map_set_source(&p->map, function);
	return status;
}

/* A function that was numbered with others stays in their unit, although none of its paths will be counted. */
static void skip(struct wm_map_function *function, const char *reason)
{
	function->status = WM_SKIPPED;
	function->reason = reason;
	function->has_entries = function->has_resumed = false;
	if (function->unit)
		return;
	function->graph = (struct wm_graph){0};
	function->block = NULL;
	function->call_count = 0;
	function->inlined = NULL;
}

/* Paths that cross calls cross tail calls too, which then are ordinary calls. */
static bool ends_at_tail_calls(const struct wm_pass *p)
{
	return p->options.stage == WM_CFG_OPTIMISED && !p->options.across;
}

void wm_pass_extract(struct wm_pass *p, struct wm_subject *s)
{
	wm_shim_fold_indirect_targets(s->ir);
	s->status = wm_indirect_chain(&p->targets, s->ir, p->analyses, &s->arena);
	if (s->status == WM_OK)
		s->status = wm_extract(s->ir, ends_at_tail_calls(p), s->function, &s->anchors, &p->files, &p->arena);
	if (s->status == WM_OK)
		describe(p, &s->anchors, s->function);
}

static enum wm_status know(const struct wm_pass *p, struct wm_subject *s, struct wm_store_request *request)
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

/* Recording instead of counting. */
static void plan_recording(struct wm_pass *p, struct wm_subject *s)
{
	struct wm_probe_request request = {.plan = &s->plan,
		.weights = &s->weights,
		.placement = p->options.test.placement,
		.resumes = s->anchors.resume_count > 0};
	s->status = wm_divide(&s->parts, s->in_unit, s->function, &s->anchors, &s->calls, &s->arena);
	if (s->status != WM_OK)
		return;
	s->plan = s->parts->plan;
	request.parts = &s->parts->parts;
	s->function->graph_hash = wm_map_graph_hash(s->plan.graph, s->function->scheme);
	wm_map_set_source(&p->map, s->function);
	s->status = wm_weigh(&s->weights, &s->plan, (struct wm_known){.function = s->function}, &s->parts->anchors,
		p->analyses, &s->arena);
	wm_counting_stream(&s->choice.counting, &s->plan);
	s->choice.plan = &s->plan;
	if (s->status == WM_OK)
		s->status = wm_passes_run(&request, &s->choice.counting, NULL, &s->choice.program, &s->arena);
}

static void plan(struct wm_pass *p, struct wm_subject *s)
{
	if (p->options.choice.scheme->at_calls) {
		plan_recording(p, s);
		return;
	}
	struct wm_store_request request = {.purpose = p->options.purpose,
		.stage = p->options.stage,
		.test = p->options.test,
		.may_copy = p->options.stage == WM_CFG_OPTIMISED && !p->options.crash && wm_may_clone(s->ir),
		.probes = {.plan = &s->plan,
			.weights = &s->weights,
			.may_not_return = s->anchors.may_not_return,
			.resumes = s->anchors.resume_count > 0}};
	struct wm_known known = {.profile = wm_options_weights(&p->options), .function = s->function};
	s->status = make_plan(p, &s->plan, s->function, &s->anchors, &s->arena);
	if (s->status == WM_OK)
		s->status = wm_weigh(&s->weights, &s->plan, known, &s->anchors, p->analyses, &s->arena);
	if (s->status == WM_OK && p->options.purpose != WM_PURPOSE_ALL && !s->plan.sequences && !p->options.across)
		s->status = know(p, s, &request);
	if (s->status == WM_OK && !p->options.across)
		s->status = wm_store_choose(&request, &s->choice, &s->arena);
}

/* All functions together; without a unit plan, no function has one. */
static enum wm_status plan_across(struct wm_pass *p, struct wm_subject *subject, size_t count)
{
	p->across = (struct wm_module_unit){.module = p->module,
		.unit = &p->unit,
		.options = &p->options,
		.scope = p->local_scope,
		.map = &p->map,
		.subject = WM_NEW(&p->arena, struct wm_unit_subject, p->unit.function_count)};
	if (!p->across.subject)
		return WM_NO_MEMORY;
	for (size_t i = 0; i < count; i++) {
		struct wm_subject *s = &subject[i];
		if (!s->in_unit)
			continue;
		p->across.subject[s->in_unit - p->unit.function] = (struct wm_unit_subject){
			.ir = s->ir, .function = s->function, .calls = &s->calls, .weights = s->weights};
	}
	return wm_module_unit_plan(&p->across, &p->arena);
}

static void use_across(struct wm_pass *p, struct wm_subject *s, uint32_t index, struct wm_emit_request *request)
{
	request->across = &p->across.subject[index].across;
	request->plan = &p->across.plan.function[index].plan;
	request->program = &p->across.subject[index].program.events;
	s->choice.counting = (struct wm_counting){.store = WM_COUNT_HASH,
		.residual = p->options.purpose == WM_PURPOSE_RESIDUAL,
		.width = 64,
		.id_mask = UINT64_MAX};
}

static void emit(struct wm_pass *p, struct wm_subject *s)
{
	struct wm_emit_request request = {s->choice.plan, &s->choice.counting, &s->choice.program,
		s->parts ? &s->parts->anchors : &s->anchors, s->function, NULL};
	struct wm_anchors shaped;
	struct wm_emitted emitted;
	uint32_t index = (uint32_t)(s->in_unit - p->unit.function);
	struct wm_crash_request crash = {&s->function->graph, s->parts ? NULL : &s->plan, &s->anchors, &s->calls,
		s->parts ? NULL : &s->weights, s->in_unit->call_count, s->function->key, p->options.crash_paths};
	if (p->options.crash)
		s->status = wm_crash_emit(&p->emitter, s->ir, &crash, &s->arena);
	if (s->status == WM_OK && p->options.test.trace)
		s->status = wm_trace(p->module, s->ir, ends_at_tail_calls(p), &s->arena);
	if (p->options.across)
		use_across(p, s, index, &request);
	wm_follow_twin(&p->followers, index, s->ir, s->function);
	if (s->status == WM_OK && s->choice.shape) {
		s->status = wm_clone_shape(s->ir, s->choice.shape, s->choice.plan, &s->anchors, &shaped, &s->arena);
		request.anchors = &shaped;
	}
	if (s->status == WM_OK)
		s->status = wm_emit(&p->emitter, s->ir, &request, &emitted, &s->arena);
	if (s->status != WM_OK)
		return;
	if (s->parts)
		wm_emit_thread_events(&p->emitter, s->in_unit, &s->calls);
	wm_follow_emit(&p->followers, index, &p->emitter, &emitted);
	p->record[p->record_count++] = emitted.record;
	for (size_t i = 0; i < 2; i++)
		if (emitted.link[i])
			p->record[p->record_count++] = emitted.link[i];
	s->function->status = request.plan->cut_count ? WM_SPLIT : WM_EXACT;
	if (request.program->probe_count || s->function->has_entries)
		wm_drop_memory_attributes(s->ir);
}

static bool is_ours(LLVMValueRef ir)
{
	size_t size;
	return !strncmp(LLVMGetValueName2(ir, &size), "__wm_", 5);
}

static size_t count_functions(LLVMModuleRef module)
{
	size_t count = 0;
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		count += !LLVMIsDeclaration(f);
	return count;
}

/* Functions that are not in the source: those of Waymark, twins, inline bodies that LLVM may drop, and one of clang. */
static bool is_subject(const struct wm_pass *p, LLVMValueRef ir)
{
	return !LLVMIsDeclaration(ir) && !is_ours(ir) && !wm_is_twin(ir) && !wm_is_inline_body(ir) &&
	       !wm_pass_is_of_clang(p, ir);
}

/* Local inline bodies are instrumented, but have no place in the map, because they are counted with the definition.  In a
 * recording they are functions like all others. */
bool wm_pass_is_mapped(const struct wm_pass *p, LLVMValueRef ir)
{
	return p->options.choice.scheme->at_calls || !wm_is_local_inline_body(ir);
}

static struct wm_map_function *list(struct wm_pass *p, LLVMValueRef ir)
{
	return !wm_pass_is_mapped(p, ir) ? WM_NEW(&p->arena, struct wm_map_function, 1)
					 : &p->map.function[p->map.function_count++];
}

/* Lists the functions of the module in the map; those that are to be instrumented become subjects. */
static size_t list_subjects(struct wm_pass *p, struct wm_subject *subject)
{
	size_t count = 0;
	for (LLVMValueRef f = LLVMGetFirstFunction(p->module); f; f = LLVMGetNextFunction(f)) {
		struct wm_map_function *function = is_subject(p, f) ? list(p, f) : NULL;
		const char *reason = NULL;
		if (function) {
			identify(p, f, function);
			reason = wm_pass_refuse(p, f, function->name);
		}
		if (reason)
			skip(function, reason);
		if (reason || (!LLVMIsDeclaration(f) && (wm_is_inline_body(f) || wm_pass_is_of_clang(p, f))))
			p->unseen.function[p->unseen.count++] = f;
		else if (function)
			subject[count++] = (struct wm_subject){.ir = f, .function = function};
	}
	return count;
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
enum wm_status wm_pass_make_unit(struct wm_pass *p, struct wm_subject *subject, size_t count)
{
	struct callees callees = {WM_NEW(&p->arena, struct wm_subject *, count), count, &p->unit};
	p->unit = (struct wm_unit){.function = WM_NEW(&p->arena, struct wm_unit_function, count)};
	if (!callees.subject || !p->unit.function)
		return WM_NO_MEMORY;
	for (size_t i = 0; i < count; i++) {
		callees.subject[i] = &subject[i];
		subject[i].in_unit = NULL;
		if (subject[i].status != WM_OK)
			continue;
		subject[i].in_unit = &p->unit.function[p->unit.function_count++];
		*subject[i].in_unit = (struct wm_unit_function){
			.name = subject[i].function->name, .graph = &subject[i].function->graph};
	}
	qsort(callees.subject, count, sizeof *callees.subject, by_ir);
	enum wm_status status = WM_OK;
	for (size_t i = 0; i < count && status == WM_OK; i++)
		if (subject[i].in_unit)
			status = wm_extract_calls(subject[i].in_unit, &subject[i].calls, &subject[i].anchors,
				find_callee, &callees, &p->arena);
	for (size_t i = 0; i < count && status == WM_OK && p->options.across; i++)
		if (subject[i].in_unit)
			wm_unit_find_opaque(subject[i].in_unit, &subject[i].calls, p->analyses);
	return status;
}

/* On the graph `optimised` nothing is inlined any more.  Where the pass inlines calls, nothing follows.  Without memory no function follows. */
static void choose_followers(struct wm_pass *p, struct wm_subject *subject, size_t count)
{
	const struct wm_profile *weights = wm_options_weights(&p->options);
	if (!weights || p->options.across || p->options.inlining.copies || p->options.stage != WM_CFG_SOURCE ||
		p->options.purpose == WM_PURPOSE_RESIDUAL ||
		wm_follow_init(&p->followers, &p->unit, &p->arena) != WM_OK)
		return;
	for (size_t i = 0; i < count; i++) {
		struct wm_subject *s = &subject[i];
		if (s->status != WM_OK)
			continue;
		uint32_t index = (uint32_t)(s->in_unit - p->unit.function);
		if (wm_follow_extract(&p->followers, index, s->ir, &s->anchors, &s->calls, &p->arena) != WM_OK)
			return;
		p->followers.fact[index].plan = &s->plan;
		p->followers.fact[index].counting = &s->choice.counting;
		p->followers.fact[index].weights = &s->weights;
	}
	wm_follow_decide(&p->followers, wm_follow_least(weights), &p->arena);
}

/* Nothing of a function is changed before all functions are planned. */
static void instrument_all(struct wm_pass *p, struct wm_subject *subject, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		wm_arena_init(&subject[i].arena);
		wm_pass_extract(p, &subject[i]);
	}
	enum wm_status status = wm_pass_make_unit(p, subject, count);
	if (status == WM_OK && p->options.inlining.copies)
		status = wm_pass_inline(p, subject, count);
	if (status == WM_OK)
		status = wm_pass_list_calls(p, subject, count);
	wm_pass_find_sources(p, subject, count);
	for (size_t i = 0; i < count; i++)
		if (status == WM_OK && subject[i].status == WM_OK)
			plan(p, &subject[i]);
	if (status == WM_OK && p->options.across)
		status = plan_across(p, subject, count);
	for (size_t i = 0; i < count && status != WM_OK; i++) {
		subject[i].status = status;
		subject[i].function->unit = NULL;
	}
	choose_followers(p, subject, count);
	for (size_t i = 0; i < count; i++) {
		struct wm_subject *s = &subject[i];
		if (s->status == WM_OK)
			emit(p, s);
		if (s->status != WM_OK)
			skip(s->function, *s->function->reason ? s->function->reason : wm_status_text(s->status));
		wm_arena_release(&s->arena);
	}
}

static bool visit_all(struct wm_pass *p)
{
	struct wm_subject *subject = calloc(count_functions(p->module) + 1, sizeof *subject);
	if (!subject)
		return false;
	size_t count = list_subjects(p, subject);
	bool found =
		wm_indirect_find(&p->targets, p->module, &p->options, p->local_scope, p->analyses, &p->arena) == WM_OK;
	if (found) {
		instrument_all(p, subject, count);
		wm_pass_note_threads(p);
	}
	free(subject);
	return found;
}

static void write_map(struct wm_pass *p)
{
	p->map.directory = p->files.directory;
	if (!wm_write_map(p->module, &p->map))
		warn("out of memory: the map of this module is missing");
}

static void finish_module(struct wm_pass *p)
{
	if (p->record_count) {
		LLVMValueRef follows = wm_follow_finish(&p->followers, &p->emitter);
		if (follows)
			p->record[p->record_count++] = follows;
		/* Functions that make no calls need nothing else of this part of the runtime, but may fault. */
		if (p->options.crash)
			p->record[p->record_count++] = wm_runtime_reference(&p->emitter, WM_CRASH_SYMBOL);
		p->record[p->record_count] = wm_runtime_reference(&p->emitter, WM_RUNTIME_SYMBOL);
		wm_shim_retain(p->module, p->record, p->record_count + 1);
	}
	write_map(p);
	LLVMValueRef none = NULL;
	LLVMAddNamedMetadataOperand(p->module, MARK, LLVMMDNodeInContext(p->emitter.context, &none, 0));
}

static bool wanted(LLVMModuleRef module)
{
	const char *target = LLVMGetTarget(module);
	bool native = !strncmp(target, "x86_64-", 7) && strstr(target, "linux") && !strstr(target, "x32");
	return native && !LLVMGetNamedMetadataNumOperands(module, MARK) && count_functions(module);
}

static bool run(struct wm_pass *p)
{
	size_t size, count = count_functions(p->module);
	wm_arena_init(&p->arena);
	p->map.source = LLVMGetSourceFileName(p->module, &size);
	p->map.crash_paths = p->options.crash_paths;
	p->local_scope = wm_local_scope(p->module, &p->arena);
	p->map.function = WM_NEW(&p->arena, struct wm_map_function, count);
	p->record = WM_NEW(&p->arena, LLVMValueRef, 3 * count + 3);
	p->unseen = (struct wm_unseen){p->module, WM_NEW(&p->arena, LLVMValueRef, count), 0};
	wm_files_init(&p->files, p->module, p->options.system_headers);
	if (p->options.stage == WM_CFG_SOURCE)
		wm_inline_functions_keep(p->module, &p->files);
	if (p->options.across)
		wm_inline_bodies_delete(p->module, &p->files);
	else if (p->options.stage == WM_CFG_SOURCE)
		wm_inline_bodies_make_local(p->module, &p->files);
	bool changed =
		p->local_scope && p->map.function && p->record && p->unseen.function && wm_returns_find(p->module);
	if (changed) {
		wm_emitter_init(&p->emitter, p->module, p->options.stage == WM_CFG_OPTIMISED);
		p->emitter.unchecked = wm_pass_refuses_any(p);
		p->executions = p->options.purpose == WM_PURPOSE_ALL ? 0 : wm_known_executions(&p->options.paths);
		changed = visit_all(p);
		if (p->options.purpose != WM_PURPOSE_ALL && !p->options.across)
			wm_pass_warn_of_sources(p);
		if (p->options.stage == WM_CFG_SOURCE || p->options.across)
			drop_declared_memory_attributes(p);
		finish_module(p);
		wm_emitter_release(&p->emitter);
		if (p->options.stage == WM_CFG_OPTIMISED)
			wm_frames_lower(p->module);
	}
	wm_files_release(&p->files);
	wm_arena_release(&p->arena);
	return changed;
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
	struct wm_pass p = {.module = module, .analyses = analyses};
	char error[300];
	if (!wanted(module))
		return false;
	if (!wm_options_init(&p.options, error)) {
		if (hook != WM_HOOK_OPTIMIZER_LAST)
			wm_shim_error(module, error);
		wm_options_release(&p.options);
		return false;
	}
	bool changed = runs_at(&p.options, hook) && run(&p);
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
	if (hook == WM_HOOK_OPTIMIZER_LAST && LLVMGetNamedMetadataNumOperands(module, MARK))
		changed |= wm_share_slots(module);
	return changed;
}
