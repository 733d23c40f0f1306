/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plugin/extract/inline_bodies.h"
#include "plugin/pass/module_pass.h"
#include <string.h>

/* A path through calls that steps over a function which is not instrumented must know whether the function calls functions
 * that are. */
static enum wm_status list_unseen(struct wm_module_pass *p, struct wm_call_names *names)
{
	struct wm_unseen unseen = p->unseen; /* the array has room for all functions */
	for (size_t i = 0; i < p->subject_count; i++)
		if (!p->subject[i].in_unit || !wm_pass_is_mapped(p, p->subject[i].ir))
			unseen.function[unseen.count++] = p->subject[i].ir;
	return wm_call_names_add_unseen(names, &unseen, &p->map, &p->arena);
}

enum wm_status wm_pass_list_calls(struct wm_module_pass *p)
{
	const struct wm_subject *subject = p->subject;
	struct wm_call_names names = {0};
	enum wm_status status = WM_OK;
	if (wm_options_crosses(&p->options) || wm_options_inlines(&p->options))
		status = list_unseen(p, &names);
	for (size_t i = 0; i < p->subject_count && status == WM_OK; i++)
		if (subject[i].in_unit && wm_pass_is_mapped(p, subject[i].ir))
			status = wm_call_names_add(
				&names, subject[i].in_unit, &subject[i].calls, subject[i].function, &p->arena);
	if (status == WM_OK)
		status = wm_call_names_place(&names, &p->map, &p->arena);
	wm_call_names_release(&names);
	return status;
}

enum wm_status wm_pass_note_threads(struct wm_module_pass *p)
{
	for (size_t i = 0; i < p->unseen.count; i++)
		if (!wm_is_inline_body(p->unseen.function[i]) &&
			wm_files_in_system_header(&p->files, p->unseen.function[i]))
			wm_emit_thread_events_of_system(&p->emitter, p->unseen.function[i]);
	return WM_OK;
}

bool wm_pass_is_of_clang(const struct wm_module_pass *p, LLVMValueRef ir)
{
	return !p->options.system_headers && !LLVMIsDeclaration(ir) &&
	       !strcmp(wm_linkage_name(ir), "__clang_call_terminate");
}

const char *wm_pass_refuse(struct wm_module_pass *p, LLVMValueRef ir, const char *name)
{
	const char *reason = wm_uninstrumentable(p->module, ir);
	if (!reason)
		reason = wm_options_refuse(&p->options, name);
	return reason || !wm_files_in_system_header(&p->files, ir) ? reason : WM_SYSTEM_REASON;
}

bool wm_pass_refuses_any(struct wm_module_pass *p)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(p->module); f; f = LLVMGetNextFunction(f))
		if (!LLVMIsDeclaration(f) && wm_pass_refuse(p, f, wm_linkage_name(f)))
			return true;
	return false;
}
