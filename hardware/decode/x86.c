/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* x86-64.  Registers: 0-15 integer, 16 flags, 32-63 vector, 64-71 x87 and MMX, 72-79 masks. */
#include "hardware/decode/isa.h"
#include <stdlib.h>
#include <string.h>

enum { FLAGS = 16, VECTOR = 32, X87 = 64, MASK = 72 };

static bool numbered(const char *name, const char *prefix, unsigned long limit, unsigned long *number)
{
	size_t length = strlen(prefix);
	char *end;
	if (strncmp(name, prefix, length) != 0 || name[length] < '0' || name[length] > '9')
		return false;
	*number = strtoul(name + length, &end, 10);
	return *number < limit && (!*end || strchr("bwd)", *end));
}

static uint8_t legacy_register(const char *name)
{
	static const char *const names[8][5] = {{"rax", "eax", "ax", "al", "ah"}, {"rcx", "ecx", "cx", "cl", "ch"},
		{"rdx", "edx", "dx", "dl", "dh"}, {"rbx", "ebx", "bx", "bl", "bh"}, {"rsp", "esp", "sp", "spl", ""},
		{"rbp", "ebp", "bp", "bpl", ""}, {"rsi", "esi", "si", "sil", ""}, {"rdi", "edi", "di", "dil", ""}};
	for (uint8_t i = 0; i < 8; i++)
		for (size_t j = 0; j < 5; j++)
			if (strcmp(name, names[i][j]) == 0)
				return i;
	return WM_HW_NO_REGISTER;
}

static uint8_t register_number(const char *name)
{
	unsigned long number;
	if (strcmp(name, "flags") == 0 || strcmp(name, "rflags") == 0 || strcmp(name, "eflags") == 0)
		return FLAGS;
	if (numbered(name, "r", 16, &number))
		return (uint8_t)number;
	if (numbered(name, "xmm", 32, &number) || numbered(name, "ymm", 32, &number) ||
		numbered(name, "zmm", 32, &number))
		return (uint8_t)(VECTOR + number);
	if (numbered(name, "st(", 8, &number) || numbered(name, "mm", 8, &number) || numbered(name, "fp", 8, &number))
		return (uint8_t)(X87 + number);
	if (numbered(name, "k", 8, &number))
		return (uint8_t)(MASK + number);
	return legacy_register(name);
}

static bool starts(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool one_of(const char *text, const char *const *list)
{
	for (; *list; list++)
		if (strcmp(text, *list) == 0)
			return true;
	return false;
}

/* The mnemonic without "rep", "lock" and other prefixes. */
static const char *name_of(const cs_insn *raw)
{
	const char *space = strrchr(raw->mnemonic, ' ');
	return space ? space + 1 : raw->mnemonic;
}

static bool in_group(const cs_insn *raw, uint8_t group)
{
	for (uint8_t i = 0; i < raw->detail->groups_count; i++)
		if (raw->detail->groups[i] == group)
			return true;
	return false;
}

static bool direct(const cs_insn *raw)
{
	const cs_x86 *x86 = &raw->detail->x86;
	return x86->op_count && x86->operands[x86->op_count - 1].type == X86_OP_IMM;
}

/* Capstone 4 has loop and jrcxz in no group of jumps. */
static bool counts_down(const cs_insn *raw)
{
	return raw->id == X86_INS_LOOP || raw->id == X86_INS_LOOPE || raw->id == X86_INS_LOOPNE ||
	       raw->id == X86_INS_JRCXZ || raw->id == X86_INS_JECXZ || raw->id == X86_INS_JCXZ;
}

static enum wm_hw_branch branch_of(const cs_insn *raw)
{
	if (in_group(raw, CS_GRP_CALL))
		return direct(raw) ? WM_HW_CALL : WM_HW_CALL_INDIRECT;
	if (in_group(raw, CS_GRP_RET))
		return WM_HW_RETURN;
	if (raw->id == X86_INS_JMP || raw->id == X86_INS_LJMP)
		return direct(raw) ? WM_HW_JUMP : WM_HW_JUMP_INDIRECT;
	return in_group(raw, CS_GRP_JUMP) || counts_down(raw) ? WM_HW_CONDITIONAL : WM_HW_NO_BRANCH;
}

/* movsd and cmpsd are also scalar doubles; those have vector operands and another id. */
static bool is_string_operation(const cs_insn *raw)
{
	switch (raw->id) {
	case X86_INS_MOVSB:
	case X86_INS_MOVSW:
	case X86_INS_MOVSQ:
	case X86_INS_STOSB:
	case X86_INS_STOSW:
	case X86_INS_STOSD:
	case X86_INS_STOSQ:
	case X86_INS_LODSB:
	case X86_INS_LODSW:
	case X86_INS_LODSD:
	case X86_INS_LODSQ:
	case X86_INS_SCASB:
	case X86_INS_SCASW:
	case X86_INS_SCASD:
	case X86_INS_SCASQ:
	case X86_INS_CMPSB:
	case X86_INS_CMPSW:
	case X86_INS_CMPSQ:
		return true;
	case X86_INS_MOVSD:
	case X86_INS_CMPSD:
		return raw->detail->x86.op_count == 2 && raw->detail->x86.operands[0].type == X86_OP_MEM &&
		       raw->detail->x86.operands[1].type == X86_OP_MEM;
	}
	return false;
}

static bool repeats(const cs_insn *raw)
{
	uint8_t prefix = raw->detail->x86.prefix[0];
	return (prefix == X86_PREFIX_REP || prefix == X86_PREFIX_REPNE) && is_string_operation(raw);
}

static bool has_memory_operand(const cs_insn *raw, uint8_t access)
{
	const cs_x86 *x86 = &raw->detail->x86;
	for (uint8_t i = 0; i < x86->op_count; i++)
		if (x86->operands[i].type == X86_OP_MEM && x86->operands[i].access & access)
			return true;
	return false;
}

static uint8_t memory_flags(const cs_insn *raw)
{
	static const char *const loads[] = {"pop", "popfq", "leave", "ret", NULL};
	static const char *const stores[] = {"push", "pushfq", NULL};
	uint8_t flags = repeats(raw) ? WM_HW_REPEATS : 0;
	if (raw->id == X86_INS_LEA || raw->id == X86_INS_NOP || starts(name_of(raw), "prefetch"))
		return flags;
	if (has_memory_operand(raw, CS_AC_READ) || one_of(name_of(raw), loads))
		flags |= WM_HW_LOADS;
	if (has_memory_operand(raw, CS_AC_WRITE) || one_of(name_of(raw), stores) || in_group(raw, CS_GRP_CALL))
		flags |= WM_HW_STORES;
	return flags;
}

static bool uses_vectors(const cs_insn *raw)
{
	const cs_x86 *x86 = &raw->detail->x86;
	if (in_group(raw, X86_GRP_FPU))
		return true;
	for (uint8_t i = 0; i < x86->op_count; i++) {
		unsigned reg = x86->operands[i].type == X86_OP_REG ? x86->operands[i].reg : X86_REG_INVALID;
		if ((reg >= X86_REG_XMM0 && reg <= X86_REG_ZMM31) || (reg >= X86_REG_MM0 && reg <= X86_REG_MM7))
			return true;
	}
	return false;
}

static enum wm_hw_class vector_class(const char *name)
{
	const char *plain = name + (*name == 'v');
	if (starts(plain, "mul") || starts(plain, "pmul") || starts(plain, "pmadd") || starts(plain, "fmul") ||
		starts(plain, "fimul") || starts(plain, "fmadd") || starts(plain, "fmsub") || starts(plain, "fnmadd") ||
		starts(plain, "fnmsub"))
		return WM_HW_FP_MUL;
	if (starts(plain, "div") || starts(plain, "sqrt") || starts(plain, "fdiv") || starts(plain, "fidiv") ||
		starts(plain, "fsqrt"))
		return WM_HW_FP_DIV;
	return WM_HW_FP_ADD;
}

static bool only_moves(const cs_insn *raw)
{
	const char *name = name_of(raw) + (*name_of(raw) == 'v');
	return starts(name, "mov") || starts(name, "push") || starts(name, "pop") || starts(name, "lddqu") ||
	       starts(name, "fld") || starts(name, "fst") || starts(name, "lods") || starts(name, "stos");
}

static enum wm_hw_class class_of(const cs_insn *raw, const struct wm_hw_insn *insn)
{
	static const char *const serial[] = {"syscall", "cpuid", "mfence", "lfence", "sfence", "rdtsc", "rdtscp",
		"xgetbv", "int3", "ud2", "hlt", NULL};
	static const char *const nops[] = {"nop", "endbr64", "endbr32", "pause", "fnop", NULL};
	if (insn->branch != WM_HW_NO_BRANCH)
		return WM_HW_BRANCH;
	if (one_of(name_of(raw), serial))
		return WM_HW_SERIAL;
	if (one_of(name_of(raw), nops) || starts(name_of(raw), "prefetch"))
		return WM_HW_NOP;
	if (only_moves(raw) && insn->flags & WM_HW_LOADS)
		return WM_HW_LOAD;
	if (only_moves(raw) && insn->flags & WM_HW_STORES)
		return WM_HW_STORE;
	if (uses_vectors(raw))
		return vector_class(name_of(raw));
	if (starts(name_of(raw), "mul") || starts(name_of(raw), "imul"))
		return WM_HW_INT_MUL;
	if (starts(name_of(raw), "div") || starts(name_of(raw), "idiv"))
		return WM_HW_INT_DIV;
	return WM_HW_INT_ALU;
}

static void classify(const cs_insn *raw, struct wm_hw_insn *insn)
{
	const cs_x86 *x86 = &raw->detail->x86;
	insn->branch = (uint8_t)branch_of(raw);
	insn->flags = memory_flags(raw);
	insn->class = (uint8_t)class_of(raw, insn);
	if (insn->branch != WM_HW_NO_BRANCH && insn->branch != WM_HW_RETURN && direct(raw))
		insn->target = (uint64_t)x86->operands[x86->op_count - 1].imm;
}

static bool memory(const cs_insn *raw, size_t i, unsigned registers[2])
{
	const cs_x86 *x86 = &raw->detail->x86;
	for (uint8_t operand = 0; operand < x86->op_count; operand++) {
		if (x86->operands[operand].type != X86_OP_MEM || i--)
			continue;
		registers[0] = x86->operands[operand].mem.base;
		registers[1] = x86->operands[operand].mem.index;
		return true;
	}
	return false;
}

static unsigned stepped(const cs_insn *raw)
{
	bool stack = starts(name_of(raw), "push") || starts(name_of(raw), "pop") || in_group(raw, CS_GRP_CALL) ||
		     in_group(raw, CS_GRP_RET);
	return stack ? X86_REG_RSP : X86_REG_INVALID;
}

const struct wm_hw_isa wm_hw_isa_x86 = {
	.target = "x86_64",
	.arch = CS_ARCH_X86,
	.mode = CS_MODE_64,
	.stacks_returns = true,
	.register_number = register_number,
	.classify = classify,
	.memory = memory,
	.stepped = stepped,
	.unknown = wm_hw_x86_unknown,
};
