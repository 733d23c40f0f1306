/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plugin/across/waiting_calls.h"
#include "abi/thread.h"
#include "plugin/actions/path_ends.h"
#include "plugin/actions/this_thread.h"
#include "plugin/extract/inline_bodies.h"
#include "plugin/llvm/returns.h"
#include <string.h>

static void call(struct wm_emission *e, const char *name, LLVMValueRef *arguments, unsigned count)
{
	wm_call_runtime(e, name, LLVMVoidTypeInContext(e->emitter->context), arguments, count);
}

static LLVMValueRef place(struct wm_emission *e)
{
	return wm_load(e, e->emitter->i64, e->unit.reg[WM_REGISTER_WAITING]);
}

void wm_waiting_enter(struct wm_emission *e)
{
	LLVMTypeRef i64 = e->emitter->i64;
	LLVMValueRef count = wm_load(e, i64, wm_thread_field(e, offsetof(struct wm_thread, waiting_count)));
	LLVMSetVolatile(count, true);
	LLVMBuildStore(e->builder, count, e->unit.reg[WM_REGISTER_WAITING]);
}

void wm_waiting_wait(struct wm_emission *e, LLVMValueRef id)
{
	LLVMValueRef arguments[] = {place(e), e->global.record, wm_head_address(e), id};
	call(e, "__wm_waiting_add", arguments, 4);
}

void wm_waiting_waited(struct wm_emission *e)
{
	call(e, "__wm_waiting_remove", &(LLVMValueRef){place(e)}, 1);
}

void wm_waiting_left(struct wm_emission *e)
{
	call(e, "__wm_waiting_left", &(LLVMValueRef){place(e)}, 1);
}

bool wm_ends_thread(LLVMValueRef callee)
{
	static const char *const ending[] = {
		"_Exit", "__assert_fail", "_exit", "abort", "pthread_exit", "quick_exit", "thrd_exit"};
	for (size_t i = 0; LLVMIsAFunction(callee) && i < sizeof ending / sizeof *ending; i++)
		if (!strcmp(wm_linkage_name(callee), ending[i]))
			return true;
	return false;
}

void wm_waiting_end(struct wm_emission *e, LLVMValueRef instruction)
{
	if (wm_is_call(instruction) && wm_ends_thread(LLVMGetCalledValue(instruction)))
		call(e, "__wm_waiting_end", NULL, 0);
}
