/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plugin/extract/inline_bodies.h"
#include "plugin/llvm/scope.h"
#include "plugin/pass/module_pass.h"
#include <stdio.h>
#include <string.h>

static void identify(struct wm_module_pass *p, LLVMValueRef ir, struct wm_map_function *function)
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

/* A function that was numbered with others stays in their unit, although none of its paths will be counted.  Of others nothing
 * stays that names a block: the map must not tell of blocks that it does not have. */
static void skip_function(struct wm_map_function *function, const char *reason)
{
	function->status = WM_SKIPPED;
	function->reason = reason;
	function->has_entries = function->has_resumed = false;
	if (function->unit)
		return;
	function->graph = (struct wm_graph){0};
	function->block = NULL;
	function->call_count = function->value_count = 0;
	function->inlined = NULL;
	function->facts = (struct wm_facts){0};
}

static bool is_ours(LLVMValueRef ir)
{
	size_t size;
	return !strncmp(LLVMGetValueName2(ir, &size), "__wm_", 5);
}

size_t wm_pass_count_functions(LLVMModuleRef module)
{
	size_t count = 0;
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		count += !LLVMIsDeclaration(f);
	return count;
}

/* Functions that are not in the source: those of Waymark, inline bodies that LLVM may drop, and one of clang.  An inline
 * body is optimised with a profile as its function is. */
static bool is_subject(const struct wm_module_pass *p, LLVMValueRef ir)
{
	return !LLVMIsDeclaration(ir) && !is_ours(ir) &&
	       ((wm_options_uses(&p->options) && !wm_options_inlines(&p->options)) || !wm_is_inline_body(ir)) &&
	       !wm_pass_is_of_clang(p, ir);
}

/* Local inline bodies are instrumented, but have no place in the map, because they are counted with the definition.  In a
 * recording they are functions like all others. */
bool wm_pass_is_mapped(const struct wm_module_pass *p, LLVMValueRef ir)
{
	return p->options.choice.scheme->at_calls || !wm_is_local_inline_body(ir);
}

static struct wm_map_function *list_in_map(struct wm_module_pass *p, LLVMValueRef ir)
{
	return !wm_pass_is_mapped(p, ir) ? WM_NEW(&p->arena, struct wm_map_function, 1)
					 : &p->map.function[p->map.function_count++];
}

/* A function that is not instrumented may call functions that are. */
static bool is_unseen(const struct wm_module_pass *p, LLVMValueRef ir)
{
	return !LLVMIsDeclaration(ir) && (wm_is_inline_body(ir) || wm_pass_is_of_clang(p, ir));
}

enum wm_status wm_pass_list(struct wm_module_pass *p)
{
	p->subject = WM_NEW(&p->arena, struct wm_subject, wm_pass_count_functions(p->module));
	if (!p->subject)
		return WM_NO_MEMORY;
	for (LLVMValueRef f = LLVMGetFirstFunction(p->module); f; f = LLVMGetNextFunction(f)) {
		struct wm_map_function *function = is_subject(p, f) ? list_in_map(p, f) : NULL;
		const char *reason = NULL;
		if (function) {
			identify(p, f, function);
			reason = wm_pass_refuse(p, f, function->name);
		}
		if (reason)
			skip_function(function, reason);
		if (reason || is_unseen(p, f)) {
			p->unseen.function[p->unseen.count++] = f;
		} else if (function) {
			p->subject[p->subject_count] = (struct wm_subject){.ir = f, .function = function};
			wm_arena_init(&p->subject[p->subject_count++].arena);
		}
	}
	return WM_OK;
}

static struct wm_subject *find_subject(struct wm_module_pass *p, const struct wm_map_function *function)
{
	for (size_t i = 0; i < p->subject_count; i++)
		if (p->subject[i].function == function && p->subject[i].status == WM_OK)
			return &p->subject[i];
	return NULL;
}

/* The unit without functions that were refused after it had been made. */
static enum wm_status make_unit_again(struct wm_module_pass *p)
{
	enum wm_status status = wm_pass_make_unit(p);
	for (size_t i = 0; i < p->subject_count && status == WM_OK; i++)
		if (p->subject[i].in_unit)
			wm_pass_apply_reasons(&p->subject[i]);
	return status == WM_OK ? wm_pass_list_calls(p) : status;
}

/* Before anything is numbered, so that the function whose description is wrong is only one of those that are not instrumented. */
enum wm_status wm_pass_check_map(struct wm_module_pass *p)
{
	struct wm_map_fault fault;
	enum wm_status status;
	while ((status = wm_map_find_fault(&p->map, &fault)) == WM_BAD_GRAPH && fault.function != WM_NONE) {
		struct wm_map_function *function = &p->map.function[fault.function];
		struct wm_subject *subject = find_subject(p, function);
		if (!subject)
			break;
		subject->status = WM_BAD_GRAPH;
		skip_function(function, "cannot be described in the map");
		fprintf(stderr, "waymark: function %s is not instrumented: the map cannot hold its %s\n",
			function->name, fault.part);
		status = make_unit_again(p);
		if (status != WM_OK)
			break;
	}
	return status;
}

enum wm_status wm_pass_list_refused(struct wm_module_pass *p)
{
	for (size_t i = 0; i < p->subject_count; i++) {
		struct wm_subject *s = &p->subject[i];
		if (s->status != WM_OK)
			skip_function(
				s->function, *s->function->reason ? s->function->reason : wm_status_text(s->status));
		wm_arena_release(&s->arena);
	}
	return WM_OK;
}
