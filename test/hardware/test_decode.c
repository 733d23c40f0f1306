/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Classification of machine code: one line per instruction. */
#include "hardware/decode/decode_code.h"
#include "test/core/support.h"
#include <string.h>

struct expectation {
	const char *code;
	uint8_t size, class, branch, flags;
	uint64_t target;
	/* As numbers of insn.h: sources, those of the address first, and destinations. */
	const char *sources, *destinations;
};

#define X(code) code, sizeof(code) - 1

/* At address 0x1000. */
static const struct expectation x86[] = {
	{X("\xe8\x10\x00\x00\x00"), WM_HW_BRANCH, WM_HW_CALL, WM_HW_STORES, 0x1015, NULL, NULL},
	{X("\xff\xd0"), WM_HW_BRANCH, WM_HW_CALL_INDIRECT, WM_HW_STORES, 0, NULL, NULL}, /* call rax */
	{X("\xff\x13"), WM_HW_BRANCH, WM_HW_CALL_INDIRECT, WM_HW_LOADS | WM_HW_STORES, 0, NULL, NULL}, /* call [rbx] */
	{X("\xc3"), WM_HW_BRANCH, WM_HW_RETURN, WM_HW_LOADS, 0, NULL, NULL},
	{X("\xf3\xc3"), WM_HW_BRANCH, WM_HW_RETURN, WM_HW_LOADS, 0, NULL, NULL}, /* rep ret */
	{X("\xc2\x08\x00"), WM_HW_BRANCH, WM_HW_RETURN, WM_HW_LOADS, 0, NULL, NULL},
	{X("\xeb\xfe"), WM_HW_BRANCH, WM_HW_JUMP, 0, 0x1000, NULL, NULL},
	{X("\xff\x24\xc5\x00\x00\x00\x00"), WM_HW_BRANCH, WM_HW_JUMP_INDIRECT, WM_HW_LOADS, 0, NULL, NULL},
	{X("\xff\xe0"), WM_HW_BRANCH, WM_HW_JUMP_INDIRECT, 0, 0, NULL, NULL},
	{X("\x74\x10"), WM_HW_BRANCH, WM_HW_CONDITIONAL, 0, 0x1012, "\x10", ""}, /* je */
	{X("\xe2\xfe"), WM_HW_BRANCH, WM_HW_CONDITIONAL, 0, 0x1000, NULL, NULL}, /* loop */
	{X("\xe3\x00"), WM_HW_BRANCH, WM_HW_CONDITIONAL, 0, 0x1002, NULL, NULL}, /* jrcxz */
	{X("\xf3\xa4"), WM_HW_LOAD, WM_HW_NO_BRANCH, WM_HW_LOADS | WM_HW_STORES | WM_HW_REPEATS, 0, NULL, NULL},
	{X("\xf3\x48\xab"), WM_HW_STORE, WM_HW_NO_BRANCH, WM_HW_STORES | WM_HW_REPEATS, 0, NULL, NULL},
	{X("\x48\x01\xd8"), WM_HW_INT_ALU, WM_HW_NO_BRANCH, 0, 0, NULL, NULL}, /* add rax, rbx */
	{X("\x48\x8b\x03"), WM_HW_LOAD, WM_HW_NO_BRANCH, WM_HW_LOADS, 0, "\x03", "\x01"}, /* mov rax, [rbx] */
	{X("\x48\x89\x0b"), WM_HW_STORE, WM_HW_NO_BRANCH, WM_HW_STORES, 0, "\x03\x01", ""}, /* mov [rbx], rcx */
	{X("\x48\x03\x0b"), WM_HW_INT_ALU, WM_HW_NO_BRANCH, WM_HW_LOADS, 0, "\x03\x01", NULL}, /* add rcx, [rbx] */
	{X("\x48\x8d\x04\x4b"), WM_HW_INT_ALU, WM_HW_NO_BRANCH, 0, 0, "\x03\x01", NULL}, /* lea rax, [rbx+2*rcx] */
	{X("\x55"), WM_HW_STORE, WM_HW_NO_BRANCH, WM_HW_STORES, 0, NULL, NULL},
	{X("\x5d"), WM_HW_LOAD, WM_HW_NO_BRANCH, WM_HW_LOADS, 0, NULL, NULL},
	{X("\x48\x0f\xaf\xc3"), WM_HW_INT_MUL, WM_HW_NO_BRANCH, 0, 0, NULL, NULL},
	{X("\x48\xf7\xf3"), WM_HW_INT_DIV, WM_HW_NO_BRANCH, 0, 0, NULL, NULL},
	{X("\xf2\x0f\x59\xc1"), WM_HW_FP_MUL, WM_HW_NO_BRANCH, 0, 0, "\x20\x21", "\x20"}, /* mulsd xmm0, xmm1 */
	{X("\xf2\x0f\x5e\xc1"), WM_HW_FP_DIV, WM_HW_NO_BRANCH, 0, 0, NULL, NULL},
	{X("\xf2\x0f\x58\xc1"), WM_HW_FP_ADD, WM_HW_NO_BRANCH, 0, 0, NULL, NULL},
	{X("\xf2\x0f\x10\x03"), WM_HW_LOAD, WM_HW_NO_BRANCH, WM_HW_LOADS, 0, "\x03", "\x20"}, /* movsd xmm0, [rbx] */
	{X("\xf3\x0f\x1e\xfa"), WM_HW_NOP, WM_HW_NO_BRANCH, 0, 0, "", ""}, /* endbr64 */
	{X("\x0f\x1f\x40\x00"), WM_HW_NOP, WM_HW_NO_BRANCH, 0, 0, NULL, NULL},
	{X("\x0f\x05"), WM_HW_SERIAL, WM_HW_NO_BRANCH, 0, 0, NULL, NULL},
};

static const struct expectation aarch64[] = {
	{X("\x04\x00\x00\x94"), WM_HW_BRANCH, WM_HW_CALL, 0, 0x1010, NULL, NULL},
	{X("\x20\x00\x3f\xd6"), WM_HW_BRANCH, WM_HW_CALL_INDIRECT, 0, 0, NULL, NULL},
	{X("\xc0\x03\x5f\xd6"), WM_HW_BRANCH, WM_HW_RETURN, 0, 0, NULL, NULL},
	{X("\x20\x00\x1f\xd6"), WM_HW_BRANCH, WM_HW_JUMP_INDIRECT, 0, 0, NULL, NULL},
	{X("\x00\x00\x00\x14"), WM_HW_BRANCH, WM_HW_JUMP, 0, 0x1000, NULL, NULL},
	{X("\x40\x00\x00\x54"), WM_HW_BRANCH, WM_HW_CONDITIONAL, 0, 0x1008, NULL, NULL}, /* b.eq */
	{X("\x60\x00\x00\xb4"), WM_HW_BRANCH, WM_HW_CONDITIONAL, 0, 0x100c, NULL, NULL}, /* cbz */
	{X("\x40\x00\x00\x36"), WM_HW_BRANCH, WM_HW_CONDITIONAL, 0, 0x1008, NULL, NULL}, /* tbz */
	{X("\x20\x00\x02\x8b"), WM_HW_INT_ALU, WM_HW_NO_BRANCH, 0, 0, "\x01\x02", NULL}, /* add x0, x1, x2 */
	{X("\x20\x00\x40\xf9"), WM_HW_LOAD, WM_HW_NO_BRANCH, WM_HW_LOADS, 0, "\x01", NULL}, /* ldr x0, [x1] */
	{X("\x20\x00\x00\xf9"), WM_HW_STORE, WM_HW_NO_BRANCH, WM_HW_STORES, 0, "\x01", NULL}, /* str x0, [x1] */
	{X("\x20\x7c\x02\x9b"), WM_HW_INT_MUL, WM_HW_NO_BRANCH, 0, 0, NULL, NULL},
	{X("\x20\x0c\xc2\x9a"), WM_HW_INT_DIV, WM_HW_NO_BRANCH, 0, 0, NULL, NULL},
	{X("\x20\x28\x62\x1e"), WM_HW_FP_ADD, WM_HW_NO_BRANCH, 0, 0, "\x21\x22", NULL}, /* fadd d0, d1, d2 */
	{X("\x20\x08\x62\x1e"), WM_HW_FP_MUL, WM_HW_NO_BRANCH, 0, 0, NULL, NULL},
	{X("\x20\x18\x62\x1e"), WM_HW_FP_DIV, WM_HW_NO_BRANCH, 0, 0, NULL, NULL},
	{X("\x01\x00\x00\xd4"), WM_HW_SERIAL, WM_HW_NO_BRANCH, 0, 0, NULL, NULL}, /* svc */
};

static void check(struct wm_hw_decoder *decoder, const struct expectation *want)
{
	struct wm_hw_insn insn;
	assert_true(wm_hw_decode(decoder, (const uint8_t *)want->code, want->size, 0x1000, &insn));
	assert_int_equal(insn.address, 0x1000);
	assert_int_equal(insn.size, want->size);
	assert_int_equal(insn.class, want->class);
	assert_int_equal(insn.branch, want->branch);
	assert_int_equal(insn.flags, want->flags);
	assert_int_equal(insn.target, want->target);
	if (want->sources && insn.class != WM_HW_NOP)
		assert_memory_equal(insn.source, want->sources, strlen(want->sources));
	if (want->destinations)
		assert_int_equal(insn.destination_count > 0, want->destinations[0] != 0);
}

static void test_x86(void **state)
{
	struct wm_hw_decoder *decoder = wm_hw_decoder_new(WM_HW_X86_64);
	(void)state;
	assert_non_null(decoder);
	for (size_t i = 0; i < COUNT(x86); i++) {
		print_message("%zu ", i);
		check(decoder, &x86[i]);
	}
	wm_hw_decoder_free(decoder);
}

static void test_aarch64(void **state)
{
	struct wm_hw_decoder *decoder = wm_hw_decoder_new(WM_HW_AARCH64);
	(void)state;
	assert_non_null(decoder);
	for (size_t i = 0; i < COUNT(aarch64); i++) {
		print_message("%zu ", i);
		check(decoder, &aarch64[i]);
	}
	wm_hw_decoder_free(decoder);
}

static size_t decode(struct wm_hw_decoder *decoder, const char *bytes, const char *insn_size, struct wm_hw_insn *insn)
{
	struct wm_hw_code code = {.bytes = (const uint8_t *)bytes,
		.size = strlen(bytes),
		.insn_size = (const uint8_t *)insn_size,
		.count = 3,
		.address = 0x2000};
	return wm_hw_decode_block(decoder, &code, insn);
}

static void test_block(void **state)
{
	struct wm_hw_decoder *decoder = wm_hw_decoder_new(WM_HW_X86_64);
	struct wm_hw_insn insn[3];
	(void)state;
	assert_int_equal(decode(decoder, "\x90\x48\x01\xd8\xc3", NULL, insn), 3);
	assert_int_equal(insn[2].address, 0x2004);
	assert_int_equal(insn[2].branch, WM_HW_RETURN);
	/* Unknown bytes are one instruction, and nothing after them is read. */
	assert_int_equal(decode(decoder, "\x90\x06\x06", NULL, insn), 1);
	assert_int_equal(insn[1].size, 2);
	assert_int_equal(insn[2].size, 0);
	assert_false(wm_hw_decode(decoder, (const uint8_t *)"\x06", 1, 0, insn));
	/* With the sizes of instructions, what follows is known. */
	assert_int_equal(decode(decoder, "\x06\x90\x74\x10", "\1\1\2", insn), 2);
	assert_int_equal(insn[0].size, 1);
	assert_int_equal(insn[2].branch, WM_HW_CONDITIONAL);
	assert_int_equal(insn[2].target, 0x2014);
	wm_hw_decoder_free(decoder);
	assert_int_equal(wm_hw_arch_find("x86_64"), WM_HW_X86_64);
	assert_int_equal(wm_hw_arch_find("aarch64"), WM_HW_AARCH64);
	assert_int_equal(wm_hw_arch_find("mips"), 0);
}

/* Instructions that capstone 4 does not know. */
static void test_unknown(void **state)
{
	static const struct expectation unknown[] = {
		{X("\xf3\x48\x0f\x1e\xc8"), WM_HW_INT_ALU, WM_HW_NO_BRANCH, 0, 0, NULL, NULL}, /* rdsspq rax */
		{X("\xf3\x0f\x01\xea"), WM_HW_INT_ALU, WM_HW_NO_BRANCH, 0, 0, NULL, NULL}, /* saveprevssp */
		{X("\x66\x0f\x38\xf8\x44\x8b\x10"), WM_HW_INT_ALU, WM_HW_NO_BRANCH, 0, 0, NULL, NULL}, /* movdir64b */
		{X("\x66\x0f\x3a\xcf\xc1\x07"), WM_HW_INT_ALU, WM_HW_NO_BRANCH, 0, 0, NULL,
			NULL}, /* gf2p8affineinvqb */
		{X("\xc4\xe2\x79\x50\x05\x01\x02\x03\x04"), WM_HW_INT_ALU, WM_HW_NO_BRANCH, 0, 0, NULL,
			NULL}, /* vpdpbusd xmm0, xmm0, [rip+…] */
		{X("\x62\xf5\x7c\x48\x58\x44\x24\x01"), WM_HW_INT_ALU, WM_HW_NO_BRANCH, 0, 0, NULL,
			NULL}, /* vaddph zmm0, zmm0, [rsp+64] */
	};
	static const struct expectation authenticated[] = {
		{X("\xff\x0b\x5f\xd6"), WM_HW_BRANCH, WM_HW_RETURN, 0, 0, NULL, NULL}, /* retaa */
		{X("\x22\x08\x1f\xd7"), WM_HW_BRANCH, WM_HW_JUMP_INDIRECT, 0, 0, NULL, NULL}, /* braa x1, x2 */
		{X("\x3f\x0c\x3f\xd6"), WM_HW_BRANCH, WM_HW_CALL_INDIRECT, 0, 0, NULL, NULL}, /* blrabz x1 */
		{X("\x20\x04\x20\xf8"), WM_HW_INT_ALU, WM_HW_NO_BRANCH, 0, 0, NULL, NULL}, /* ldraa */
	};
	struct wm_hw_decoder *decoder = wm_hw_decoder_new(WM_HW_X86_64);
	struct wm_hw_insn insn;
	(void)state;
	for (size_t i = 0; i < COUNT(unknown); i++) {
		print_message("%zu ", i);
		check(decoder, &unknown[i]);
		for (size_t size = 0; size < unknown[i].size; size++)
			assert_false(wm_hw_decode(decoder, (const uint8_t *)unknown[i].code, size, 0, &insn));
	}
	wm_hw_decoder_free(decoder);
	decoder = wm_hw_decoder_new(WM_HW_AARCH64);
	for (size_t i = 0; i < COUNT(authenticated); i++)
		check(decoder, &authenticated[i]);
	wm_hw_decoder_free(decoder);
}

/* pop rbp: the stack pointer steps, and does not wait for the load. */
static void test_stepped(void **state)
{
	static const uint8_t pop[] = {0x5d}, post[] = {0x20, 0x84, 0x40, 0xf8}; /* ldr x0, [x1], #8 */
	struct wm_hw_insn insn;
	struct wm_hw_decoder *decoder = wm_hw_decoder_new(WM_HW_X86_64);
	(void)state;
	assert_true(wm_hw_decode(decoder, pop, sizeof(pop), 0, &insn));
	assert_int_equal(insn.destination_count, 2);
	assert_int_equal(insn.updated_count, 1);
	assert_int_equal(insn.destination[0], 5);
	assert_int_equal(insn.destination[1], 4);
	wm_hw_decoder_free(decoder);
	decoder = wm_hw_decoder_new(WM_HW_AARCH64);
	assert_true(wm_hw_decode(decoder, post, sizeof(post), 0, &insn));
	assert_int_equal(insn.updated_count, 1);
	assert_int_equal(insn.destination[insn.destination_count - 1], 1);
	wm_hw_decoder_free(decoder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_x86),
		cmocka_unit_test(test_aarch64),
		cmocka_unit_test(test_block),
		cmocka_unit_test(test_stepped),
		cmocka_unit_test(test_unknown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
