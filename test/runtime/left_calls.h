/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Functions with sites (abi/unfinished.h), by hand: `call_PLACE(callee, argument, sum)` calls callee(argument) while its path has the
 * sum in that place.  All are functions of the profile with the keys 101 … + KEYS.
 */
#ifndef WM_TEST_LEFT_CALLS_H
#define WM_TEST_LEFT_CALLS_H

#include "test/runtime/emulate.h"

#ifndef KEYS
#define KEYS 0
#endif

#ifdef __cplusplus
extern "C" {
#endif
typedef void left_call(void (*callee)(void *), void *argument, uint64_t sum);
#ifdef __cplusplus
}
#endif

/* Before the call, the sum is in rbx, at 8(%rsp) and, its lower half, at 4(%rsp) and -24(%rbp). */
#define CODE(name) \
	"	.text\n" \
	"	.hidden " #name "\n	.globl " #name "\n	.type " #name ",@function\n" #name \
	":	.cfi_startproc\n" \
	"	pushq %rbp\n	.cfi_adjust_cfa_offset 8\n	.cfi_rel_offset %rbp, 0\n" \
	"	movq %rsp, %rbp\n" \
	"	pushq %rbx\n	.cfi_adjust_cfa_offset 8\n	.cfi_rel_offset %rbx, 0\n" \
	"	subq $24, %rsp\n	.cfi_adjust_cfa_offset 24\n" \
	"	movq %rdx, %rbx\n	movq %rdx, 8(%rsp)\n	movl %edx, 4(%rsp)\n	movl %edx, -24(%rbp)\n" \
	"	movq %rdi, %rax\n	movq %rsi, %rdi\n	callq *%rax\n"
#define CODE_END(name) \
	"	addq $24, %rsp\n	.cfi_adjust_cfa_offset -24\n" \
	"	popq %rbx\n	.cfi_adjust_cfa_offset -8\n" \
	"	popq %rbp\n	.cfi_adjust_cfa_offset -8\n" \
	"	retq\n	.cfi_endproc\n	.size " #name ", . - " #name "\n"
/* Relative to its first return address; with two keys. */
#define GROUP(name, count, first_key, second_key) \
	"	.pushsection wm_sites,\"ao\",@progbits," #name "\n	.balign 8\n" \
	"9:	.long return_" #name " - 9b, 8f - 9b, " #count \
	", 2\n	.quad " TEXT(first_key) ", " TEXT(second_key) "\n"
#define WITH_SIGN(number) "	.uleb128 (2 * (" #number ")) ^ ((" #number ") < 0)\n"
/* `key`: 0 or 1. */
#define SITE(key, missing, site, displacement, place, base, size, bits) \
	"	.uleb128 0\n	.byte " #place " + (" #size " & 8) / 2 + (" #bits " & 64) / 8 + 16 * " #key "\n" \
	"	.uleb128 ((" #site ") << 3 | (" #site ") >> 29) & 0xffffffff\n" \
	"	.if " #bits " != 64\n	.byte " #bits "\n	.endif\n" \
	"	.if " #place " == 1 || " #place " == 2\n	.byte " #base "\n	.endif\n" \
	"	.if " #place " == 2\n" WITH_SIGN(displacement) "	.endif\n" \
							       "	.if " #place \
							       " != 3\n" WITH_SIGN(missing) "	.endif\n"
/* An unused site after the one that is tested. */
#define OTHER_SITE "	.uleb128 1\n	.byte 0x1c\n	.uleb128 8 * 99\n	.uleb128 2\n"
#define GROUP_END "	.balign 8\n8:\n	.popsection\n"

#define LEFT_CALL(name, key, missing, site, displacement, place, base, size, bits) \
	FUNCTION(name, key, 1, 9) \
	__asm__(CODE(name) "return_" #name ":\n" CODE_END(name) GROUP(name, 2, key, 1) \
			SITE(0, missing, site, displacement, place, base, size, bits) OTHER_SITE GROUP_END); \
	extern left_call name HIDDEN;

/* clang-format off */
LEFT_CALL(call_constant, 101 + KEYS, 17, 1, 0, 0, 0, 8, 64)
LEFT_CALL(call_register, 102 + KEYS, 1000, 2, 0, 1, 3, 8, 64)
LEFT_CALL(call_stack, 103 + KEYS, -1, 3, 8, 2, 7, 8, 64)
LEFT_CALL(call_half, 104 + KEYS, 0, 0x80000004, 4, 2, 7, 4, 32)
LEFT_CALL(call_frame, 105 + KEYS, 250, 5, -24, 2, 6, 4, 8)
LEFT_CALL(call_unknown, 106 + KEYS, 0, 6, 0, 3, 0, 8, 64)

/* Two calls were inlined; the call never returns, so the return address belongs to what follows. */
FUNCTION(call_inlined, 107 + KEYS, 1, 9)
FUNCTION(inlined, 108 + KEYS, 1, 9)
__asm__(CODE(call_inlined) "	.cfi_endproc\n"
	"return_call_inlined:\n"
	"after_inlined:	ud2\n	.size call_inlined, return_call_inlined - call_inlined\n"
	GROUP(call_inlined, 2, 107 + KEYS, 108 + KEYS)
	SITE(0, 0, 7, 0, 1, 3, 8, 64)
	SITE(1, 5, 8, 0, 1, 3, 8, 64)
	GROUP_END
	"	.pushsection wm_sites,\"ao\",@progbits,after_inlined\n	.balign 8\n"
	"9:	.long after_inlined + 1 - 9b, 8f - 9b, 1, 1\n	.quad 1\n	.uleb128 0\n	.byte 0x0c\n	.uleb128 8 * 98\n	.uleb128 2\n"
	GROUP_END);
extern left_call call_inlined HIDDEN;
/* clang-format on */

#endif
