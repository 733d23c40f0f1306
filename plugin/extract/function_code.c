/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define XXH_INLINE_ALL
#include "plugin/extract/function_code.h"

#include "plugin/extract/inline_bodies.h"
#include "plugin/llvm/shim.h"
#include <llvm-c/DebugInfo.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* Constants refer to each other, perhaps in cycles. */
enum { MOST_NESTED = 12, MOST_CONSTANTS = 1 << 20 };
/* Lines of a call that is written over several lines: __LINE__ is the last one. */
enum { MOST_CALL_LINES = 100 };

/* What is hashed before a value of its kind. */
enum word { OF_LOCAL = 1, OF_NUMBER, OF_TEXT, OF_NAME, OF_CONSTANT, OF_LINE, OF_FILE, OF_BLOCK };

/* Parameters, blocks and instructions by their order. */
struct numbering {
	LLVMValueRef *key;
	uint32_t *number;
	size_t mask; /* slots - 1 */
	uint32_t count;
};

struct summing {
	XXH3_state_t state;
	struct numbering local;
	const char *file; /* base name */
	uint32_t constants;
	bool unknown;
	/* of the call whose operands are summed up, if one of them is the name of the file; else 0 */
	uint64_t line;
};

/* ---- Local values -------------------------------------------------------------------- */

static size_t slot_of(const struct numbering *local, LLVMValueRef value)
{
	size_t at = (size_t)(XXH3_64bits(&value, sizeof value) & local->mask);
	while (local->key[at] && local->key[at] != value)
		at = (at + 1) & local->mask;
	return at;
}

static void set_number(struct numbering *local, LLVMValueRef value, uint32_t number)
{
	size_t at = slot_of(local, value);
	local->key[at] = value;
	local->number[at] = number;
}

static size_t count_locals(LLVMValueRef ir)
{
	size_t count = LLVMCountParams(ir);
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(ir); b; b = LLVMGetNextBasicBlock(b)) {
		count++;
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			count++;
	}
	return count;
}

static bool is_expectation(LLVMValueRef instruction)
{
	static const char prefix[] = "llvm.expect.";
	size_t size;
	LLVMValueRef callee = LLVMIsACallInst(instruction) ? LLVMGetCalledValue(instruction) : NULL;
	const char *name = callee && LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &size) : "";
	return !strncmp(name, prefix, sizeof prefix - 1);
}

/* Clang writes neither without optimisation. */
static bool is_skipped(LLVMValueRef instruction)
{
	return LLVMIsACallInst(instruction) && (wm_shim_is_pseudo_call(instruction) || is_expectation(instruction));
}

static void number_block(struct numbering *local, LLVMBasicBlockRef block)
{
	set_number(local, LLVMBasicBlockAsValue(block), local->count++);
	for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
		if (!is_skipped(i))
			set_number(local, i, local->count++);
}

static bool number_locals(struct numbering *local, LLVMValueRef ir)
{
	size_t slots = 16, count = count_locals(ir);
	while (slots < 2 * count)
		slots *= 2;
	*local = (struct numbering){.key = calloc(slots, sizeof(LLVMValueRef)),
		.number = calloc(slots, sizeof(uint32_t)),
		.mask = slots - 1};
	if (!local->key || !local->number)
		return false;
	for (unsigned i = 0; i < LLVMCountParams(ir); i++)
		set_number(local, LLVMGetParam(ir, i), local->count++);
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(ir); b; b = LLVMGetNextBasicBlock(b))
		number_block(local, b);
	return true;
}

/* ---- Values ---------------------------------------------------------------------------- */

static void add(struct summing *s, uint64_t word)
{
	XXH3_64bits_update(&s->state, &word, sizeof word);
}

static void add_text(struct summing *s, enum word kind, const char *text, size_t size)
{
	add(s, kind);
	add(s, size);
	XXH3_64bits_update(&s->state, text, size);
}

/* Without names, and without what a structure consists of: positions and sizes follow from the instructions. */
static void add_type(struct summing *s, LLVMTypeRef type)
{
	LLVMTypeKind kind = LLVMGetTypeKind(type);
	add(s, kind);
	if (kind == LLVMIntegerTypeKind)
		add(s, LLVMGetIntTypeWidth(type));
	if (kind == LLVMArrayTypeKind)
		add(s, LLVMGetArrayLength2(type));
	if (kind == LLVMVectorTypeKind || kind == LLVMScalableVectorTypeKind)
		add(s, LLVMGetVectorSize(type));
	if (kind == LLVMArrayTypeKind || kind == LLVMVectorTypeKind)
		add(s, LLVMGetTypeKind(LLVMGetElementType(type)));
}

/* The string of a constant: of a string literal, also by its address.  NULL: it is none. */
static const char *string_of(LLVMValueRef value, size_t *size)
{
	if (LLVMIsAGlobalVariable(value))
		value = LLVMIsGlobalConstant(value) ? LLVMGetInitializer(value) : NULL;
	return value && LLVMIsAConstantDataSequential(value) && LLVMIsConstantString(value)
		       ? LLVMGetAsString(value, size)
		       : NULL;
}

/* Whether a string, which ends in NUL, is a path of the file of the function. */
static bool names_file(const struct summing *s, const char *text, size_t size)
{
	size_t length = strlen(s->file);
	if (!length || size < length + 1 || text[size - 1] || strlen(text) + 1 != size)
		return false;
	const char *base = text + size - 1 - length;
	return !strcmp(base, s->file) && (base == text || base[-1] == '/');
}

static void add_data(struct summing *s, LLVMValueRef constant)
{
	size_t size;
	const char *text = string_of(constant, &size);
	if (text && names_file(s, text, size)) {
		add(s, OF_FILE);
		return;
	}
	add_type(s, LLVMTypeOf(constant));
	text = wm_shim_data(constant, &size);
	add_text(s, OF_TEXT, text, size);
}

static void add_printed(struct summing *s, LLVMValueRef constant)
{
	char *text = LLVMPrintValueToString(constant);
	add_text(s, OF_TEXT, text, strlen(text));
	LLVMDisposeMessage(text);
}

static void add_integer(struct summing *s, LLVMValueRef constant)
{
	unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(constant));
	uint64_t value = bits <= 64 ? LLVMConstIntGetZExtValue(constant) : 0;
	bool is_line = s->line && bits == 32 && value >= s->line && value - s->line < MOST_CALL_LINES;
	add(s, is_line ? OF_LINE : OF_NUMBER);
	add(s, bits);
	add(s, is_line ? value - s->line : value);
	if (bits > 64)
		add_printed(s, constant);
}

/* The name of a string literal and of other constants that clang names itself says where they stand among others. */
static bool is_anonymous(LLVMValueRef variable)
{
	size_t size;
	return LLVMGetInitializer(variable) &&
	       (LLVMGetLinkage(variable) == LLVMPrivateLinkage || LLVMGetValueName2(variable, &size)[0] == '.');
}

static void add_constant(struct summing *s, LLVMValueRef constant, unsigned depth);

static void add_operands(struct summing *s, LLVMValueRef constant, unsigned depth)
{
	int count = LLVMGetNumOperands(constant);
	add(s, OF_CONSTANT);
	add(s, LLVMGetValueKind(constant));
	add_type(s, LLVMTypeOf(constant));
	if (LLVMIsAConstantExpr(constant))
		add(s, LLVMGetConstOpcode(constant));
	add(s, (uint64_t)count);
	for (int i = 0; i < count && !s->unknown; i++)
		add_constant(s, LLVMGetOperand(constant, (unsigned)i), depth + 1);
}

static void add_global(struct summing *s, LLVMValueRef global, unsigned depth)
{
	size_t size;
	if (LLVMIsAGlobalVariable(global) && is_anonymous(global)) {
		add_constant(s, LLVMGetInitializer(global), depth + 1);
		return;
	}
	const char *name = LLVMIsAFunction(global) ? wm_linkage_name(global) : LLVMGetValueName2(global, &size);
	add_text(s, OF_NAME, name, strlen(name));
}

static void add_assembly(struct summing *s, LLVMValueRef assembly)
{
	size_t size;
	const char *text = LLVMGetInlineAsmAsmString(assembly, &size);
	add_text(s, OF_TEXT, text, size);
	text = LLVMGetInlineAsmConstraintString(assembly, &size);
	add_text(s, OF_TEXT, text, size);
}

static void add_constant(struct summing *s, LLVMValueRef constant, unsigned depth)
{
	size_t slot = slot_of(&s->local, constant);
	s->unknown |= depth > MOST_NESTED || ++s->constants > MOST_CONSTANTS;
	if (s->unknown)
		return;
	if (s->local.key[slot]) {
		add(s, OF_LOCAL);
		add(s, s->local.number[slot]);
	} else if (LLVMIsAConstantInt(constant)) {
		add_integer(s, constant);
	} else if (LLVMIsAConstantFP(constant)) {
		add_printed(s, constant);
	} else if (LLVMIsAConstantDataSequential(constant)) {
		add_data(s, constant);
	} else if (LLVMIsAGlobalValue(constant)) {
		add_global(s, constant, depth);
	} else if (LLVMIsAInlineAsm(constant)) {
		add_assembly(s, constant);
	} else if (LLVMGetValueKind(constant) == LLVMMetadataAsValueValueKind) {
		add(s, OF_CONSTANT);
	} else {
		add_operands(s, constant, depth);
	}
}

static void add_operand(struct summing *s, LLVMValueRef operand)
{
	add_constant(s, is_expectation(operand) ? LLVMGetOperand(operand, 0) : operand, 0);
}

/* ---- Instructions ---------------------------------------------------------------------- */

static void add_memory(struct summing *s, LLVMValueRef i)
{
	bool atomic = LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i);
	if (LLVMIsALoadInst(i) || LLVMIsAStoreInst(i) || atomic)
		add(s, (uint64_t)LLVMGetVolatile(i));
	if (LLVMIsALoadInst(i) || LLVMIsAStoreInst(i))
		add(s, LLVMGetOrdering(i));
	if (LLVMIsAAtomicRMWInst(i))
		add(s, LLVMGetAtomicRMWBinOp(i));
	if (LLVMIsAAllocaInst(i))
		add_type(s, LLVMGetAllocatedType(i));
	if (LLVMIsAGetElementPtrInst(i))
		add_type(s, LLVMGetGEPSourceElementType(i));
}

static void add_indices(struct summing *s, LLVMValueRef i)
{
	bool has_indices = LLVMIsAExtractValueInst(i) || LLVMIsAInsertValueInst(i);
	for (unsigned n = 0; has_indices && n < LLVMGetNumIndices(i); n++)
		add(s, LLVMGetIndices(i)[n]);
	for (unsigned n = 0; LLVMIsAShuffleVectorInst(i) && n < LLVMGetNumMaskElements(i); n++)
		add(s, (uint64_t)LLVMGetMaskValue(i, n));
	for (unsigned n = 0; LLVMIsAPHINode(i) && n < LLVMCountIncoming(i); n++)
		add_operand(s, LLVMBasicBlockAsValue(LLVMGetIncomingBlock(i, n)));
	if (LLVMIsAICmpInst(i))
		add(s, LLVMGetICmpPredicate(i));
	if (LLVMIsAFCmpInst(i))
		add(s, LLVMGetFCmpPredicate(i));
}

static uint64_t line_of(LLVMValueRef instruction)
{
	LLVMMetadataRef location = LLVMInstructionGetDebugLoc(instruction);
	return location ? LLVMDILocationGetLine(location) : 0;
}

/* The line of a call with the name of the file; else 0. */
static uint64_t line_of_call(const struct summing *s, LLVMValueRef i)
{
	bool is_call = LLVMIsACallInst(i) || LLVMIsAInvokeInst(i);
	for (unsigned n = 0; is_call && n < LLVMGetNumArgOperands(i); n++) {
		size_t size;
		const char *text = string_of(LLVMGetOperand(i, n), &size);
		if (text && names_file(s, text, size))
			return line_of(i);
	}
	return 0;
}

static void add_instruction(struct summing *s, LLVMValueRef i)
{
	int count = LLVMGetNumOperands(i);
	add(s, LLVMGetInstructionOpcode(i));
	add_type(s, LLVMTypeOf(i));
	add_memory(s, i);
	add_indices(s, i);
	add(s, (uint64_t)count);
	s->line = line_of_call(s, i);
	for (int n = 0; n < count && !s->unknown; n++)
		add_operand(s, LLVMGetOperand(i, (unsigned)n));
	s->line = 0;
}

static void add_blocks(struct summing *s, LLVMValueRef ir)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(ir); b; b = LLVMGetNextBasicBlock(b)) {
		add(s, OF_BLOCK);
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			if (!is_skipped(i))
				add_instruction(s, i);
	}
}

uint32_t wm_code_sum(LLVMValueRef ir, const char *file)
{
	const char *slash = strrchr(file, '/');
	struct summing s = {.file = slash ? slash + 1 : file};
	XXH3_64bits_reset(&s.state);
	add_text(&s, OF_NAME, s.file, strlen(s.file));
	s.unknown = !number_locals(&s.local, ir);
	if (!s.unknown)
		add_blocks(&s, ir);
	free(s.local.key);
	free(s.local.number);
	uint32_t sum = (uint32_t)XXH3_64bits_digest(&s.state);
	return s.unknown ? 0 : sum ? sum : 1;
}
