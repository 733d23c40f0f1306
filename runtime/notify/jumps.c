/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* longjmp and its relatives leave the activations up to the one that called setjmp, and the path of that one. */
#include "runtime/notify/leave_functions.h"

#include <setjmp.h>

#undef longjmp
#undef siglongjmp

/* glibc: rsp is the seventh word, and disguised with a secret of the thread. */
static uint64_t stack_pointer_of(const struct __jmp_buf_tag *buffer)
{
	uint64_t value = (uint64_t)buffer->__jmpbuf[6];
	__asm__("rorq $17, %0\n\txorq %%fs:0x30, %0" : "+r"(value));
	return value;
}

static void leave(const struct __jmp_buf_tag *buffer)
{
	if (__wm_leave_to)
		__wm_leave_to(stack_pointer_of(buffer));
}

#define JUMP(name) \
	WM_SANITIZED(void, name, struct __jmp_buf_tag *buffer, int value) \
	WM_REPLACE(void, name, struct __jmp_buf_tag *buffer, int value) \
	{ \
		leave(buffer); \
		WM_BEYOND(name)(buffer, value); \
		__builtin_trap(); /* it does not return */ \
	}

JUMP(longjmp)
JUMP(_longjmp)
JUMP(siglongjmp)
JUMP(__longjmp_chk)
