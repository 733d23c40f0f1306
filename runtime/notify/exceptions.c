/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The personality routine of a language calls _Unwind_SetIP exactly when control is about to continue at a landing pad: then, and
 * not before, the activations inside that one have been left.  After a cleanup, the exception goes on, and those outside follow.
 */
#include "runtime/notify/leave_functions.h"

struct _Unwind_Context;

#ifdef WM_STATIC
/* Programs without exceptions need no unwinder. */
__attribute__((weak)) uint64_t _Unwind_GetCFA(struct _Unwind_Context *context);
__attribute__((weak)) void __real__Unwind_SetIP(struct _Unwind_Context *context, uint64_t address);
#define STACK_POINTER(context) (_Unwind_GetCFA ? _Unwind_GetCFA(context) : 0)
#else
static uint64_t (*get_cfa)(struct _Unwind_Context *context);
static void find_get_cfa(void)
{
	get_cfa = (uint64_t (*)(struct _Unwind_Context *))wm_elf_library("_Unwind_GetCFA");
}
__attribute__((section(".preinit_array"), used)) static void (*const finds_get_cfa)(void) = find_get_cfa;
#define STACK_POINTER(context) (get_cfa ? get_cfa(context) : 0)
#endif

WM_REPLACE(void, _Unwind_SetIP, struct _Unwind_Context *context, uint64_t address)
{
#ifndef WM_STATIC
	/* A library that needs the unwinder has been opened since; the unwinder itself searches the list of objects now. */
	if (!WM_REAL(_Unwind_SetIP)) {
		find_get_cfa();
		find__Unwind_SetIP();
	}
#endif
	if (__wm_leave_below && STACK_POINTER(context))
		__wm_leave_below(STACK_POINTER(context));
	WM_REAL(_Unwind_SetIP)(context, address);
}
