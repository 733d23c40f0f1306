/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* AArch64.  Registers: 0-30 integer, 31 stack pointer, 32-63 vector, 64 flags. */
#include "hardware/decode/isa.h"
#include <stdlib.h>
#include <string.h>

enum { STACK_POINTER = 31, VECTOR = 32, FLAGS = 64 };

static uint8_t register_number(const char *name)
{
	static const struct {
		const char *name;
		uint8_t number;
	} named[] = {{"sp", STACK_POINTER}, {"wsp", STACK_POINTER}, {"fp", 29}, {"lr", 30}, {"nzcv", FLAGS}};
	for (size_t i = 0; i < sizeof(named) / sizeof(*named); i++)
		if (strcmp(name, named[i].name) == 0)
			return named[i].number;
	if (!strchr("xwvqdshb", *name) || name[1] < '0' || name[1] > '9')
		return WM_HW_NO_REGISTER;
	unsigned long number = strtoul(name + 1, NULL, 10);
	bool integer = *name == 'x' || *name == 'w';
	return number > 31 || (integer && number > 30) ? WM_HW_NO_REGISTER : (uint8_t)(number + (integer ? 0 : VECTOR));
}

static enum wm_hw_branch branch_of(const cs_insn *raw)
{
	switch (raw->id) {
	case ARM64_INS_BL:
		return WM_HW_CALL;
	case ARM64_INS_BLR:
		return WM_HW_CALL_INDIRECT;
	case ARM64_INS_RET:
		return WM_HW_RETURN;
	case ARM64_INS_BR:
		return WM_HW_JUMP_INDIRECT;
	case ARM64_INS_CBZ:
	case ARM64_INS_CBNZ:
	case ARM64_INS_TBZ:
	case ARM64_INS_TBNZ:
		return WM_HW_CONDITIONAL;
	case ARM64_INS_B:
		return raw->detail->arm64.cc == ARM64_CC_INVALID || raw->detail->arm64.cc == ARM64_CC_AL
			       ? WM_HW_JUMP
			       : WM_HW_CONDITIONAL;
	}
	return WM_HW_NO_BRANCH;
}

static bool starts(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool uses_vectors(const cs_insn *raw)
{
	const cs_arm64 *arm = &raw->detail->arm64;
	for (uint8_t i = 0; i < arm->op_count; i++) {
		unsigned reg = arm->operands[i].type == ARM64_OP_REG ? arm->operands[i].reg : ARM64_REG_INVALID;
		if ((reg >= ARM64_REG_B0 && reg <= ARM64_REG_D31) ||
			(reg >= ARM64_REG_H0 && reg <= ARM64_REG_S31 &&
				!(reg >= ARM64_REG_W0 && reg <= ARM64_REG_W30)) ||
			(reg >= ARM64_REG_V0 && reg <= ARM64_REG_V31))
			return true;
	}
	return false;
}

static enum wm_hw_class class_of(const cs_insn *raw, const struct wm_hw_insn *insn)
{
	const char *name = raw->mnemonic;
	if (insn->branch != WM_HW_NO_BRANCH)
		return WM_HW_BRANCH;
	if (insn->flags & WM_HW_LOADS)
		return WM_HW_LOAD;
	if (insn->flags & WM_HW_STORES)
		return WM_HW_STORE;
	if (starts(name, "svc") || starts(name, "dmb") || starts(name, "dsb") || starts(name, "isb"))
		return WM_HW_SERIAL;
	if (starts(name, "nop") || starts(name, "hint") || starts(name, "bti") || starts(name, "prfm"))
		return WM_HW_NOP;
	bool multiplies = strstr(name, "mul") || strstr(name, "madd") || strstr(name, "msub") || strstr(name, "mla");
	bool divides = strstr(name, "div") || strstr(name, "sqrt");
	if (uses_vectors(raw))
		return divides ? WM_HW_FP_DIV : multiplies ? WM_HW_FP_MUL : WM_HW_FP_ADD;
	return divides ? WM_HW_INT_DIV : multiplies ? WM_HW_INT_MUL : WM_HW_INT_ALU;
}

static bool memory(const cs_insn *raw, size_t i, unsigned registers[2])
{
	const cs_arm64 *arm = &raw->detail->arm64;
	for (uint8_t operand = 0; operand < arm->op_count; operand++) {
		if (arm->operands[operand].type != ARM64_OP_MEM || i--)
			continue;
		registers[0] = arm->operands[operand].mem.base;
		registers[1] = arm->operands[operand].mem.index;
		return true;
	}
	return false;
}

static void classify(const cs_insn *raw, struct wm_hw_insn *insn)
{
	const cs_arm64 *arm = &raw->detail->arm64;
	unsigned registers[2];
	insn->branch = (uint8_t)branch_of(raw);
	if (memory(raw, 0, registers) && !starts(raw->mnemonic, "prfm"))
		insn->flags = starts(raw->mnemonic, "ld")   ? WM_HW_LOADS
			      : starts(raw->mnemonic, "st") ? WM_HW_STORES
							    : WM_HW_LOADS | WM_HW_STORES;
	insn->class = (uint8_t)class_of(raw, insn);
	if (insn->branch != WM_HW_NO_BRANCH && arm->op_count && arm->operands[arm->op_count - 1].type == ARM64_OP_IMM)
		insn->target = (uint64_t)arm->operands[arm->op_count - 1].imm;
}

static unsigned stepped(const cs_insn *raw)
{
	unsigned registers[2];
	return raw->detail->arm64.writeback && memory(raw, 0, registers) ? registers[0] : ARM64_REG_INVALID;
}

/* Capstone 4 does not know the branches that authenticate their target (retaa, braa, blraa and their kin). */
static size_t unknown(const uint8_t *code, size_t size, struct wm_hw_insn *insn)
{
	static const enum wm_hw_branch branch[] = {
		WM_HW_JUMP_INDIRECT, WM_HW_CALL_INDIRECT, WM_HW_RETURN, WM_HW_NO_BRANCH};
	if (size < 4)
		return 0;
	uint32_t word = code[0] | (uint32_t)code[1] << 8 | (uint32_t)code[2] << 16 | (uint32_t)code[3] << 24;
	insn->branch = (uint8_t)((word & 0xfe9ff800) == 0xd61f0800 ? branch[word >> 21 & 3] : WM_HW_NO_BRANCH);
	insn->class = insn->branch == WM_HW_NO_BRANCH ? WM_HW_INT_ALU : WM_HW_BRANCH;
	return 4;
}

const struct wm_hw_isa wm_hw_isa_aarch64 = {
	.target = "aarch64",
	.arch = CS_ARCH_ARM64,
	.mode = CS_MODE_LITTLE_ENDIAN,
	.stacks_returns = false,
	.register_number = register_number,
	.classify = classify,
	.memory = memory,
	.stepped = stepped,
	.unknown = unknown,
};
