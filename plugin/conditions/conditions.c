/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plugin/conditions/conditions.h"
#include "plugin/conditions/branch_sides.h"
#include "plugin/conditions/values.h"
#include "plugin/llvm/returns.h"
#include <string.h>

/* A name is searched for, and a phi followed, through at most this many instructions. */
enum { MOST_STEPS = 12, MOST_RANGES = 1000 };

static bool has_line(LLVMValueRef instruction)
{
	return LLVMGetDebugLocLine(instruction) != 0;
}

/* The value of && and || in a loop is a phi without a position: that of an operand is in the same condition. */
static LLVMValueRef place_in_phi(LLVMValueRef phi)
{
	for (unsigned steps = 0; phi && LLVMIsAPHINode(phi) && steps < MOST_STEPS; steps++) {
		LLVMValueRef next = NULL;
		for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
			if (LLVMIsAInstruction(LLVMGetIncomingValue(phi, i)))
				next = LLVMGetIncomingValue(phi, i);
		phi = next;
	}
	return phi && !LLVMIsAPHINode(phi) && has_line(phi) ? phi : NULL;
}

static bool begins(const char *name, const char *prefix)
{
	return strncmp(name, prefix, strlen(prefix)) == 0;
}

/* Clang compares with large ranges of case labels in blocks that the default of the switch leads to. */
static bool is_case_range(LLVMBasicBlockRef block)
{
	return begins(LLVMGetBasicBlockName(block), "sw.caserange");
}

static LLVMValueRef switch_before(LLVMBasicBlockRef block)
{
	LLVMValueRef user = NULL;
	for (unsigned steps = 0; steps < MOST_RANGES && is_case_range(block); steps++) {
		LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block));
		user = use ? LLVMGetUser(use) : NULL;
		if (!user || LLVMIsASwitchInst(user))
			return user;
		block = LLVMGetInstructionParent(user);
	}
	return NULL;
}

LLVMValueRef wm_condition_place(LLVMValueRef branch)
{
	LLVMValueRef condition = wm_branch_condition(branch),
		     of_range = switch_before(LLVMGetInstructionParent(branch));
	if (of_range)
		return of_range;
	if (wm_value_is_side(LLVMGetSuccessor(branch, 0)) && LLVMIsAInstruction(condition)) {
		bool negated;
		LLVMValueRef place = wm_operand_place(condition, &negated);
		condition = negated ? condition : place;
	}
	if (LLVMIsAPHINode(condition) && !has_line(condition))
		condition = place_in_phi(condition);
	return condition && LLVMIsAInstruction(condition) && has_line(condition) ? condition : branch;
}

static bool is_zero(LLVMValueRef value)
{
	return LLVMIsAConstant(value) && LLVMIsNull(value);
}

/* Clang computes the truth of a value by a comparison with zero, and widens and narrows truth values. */
static LLVMValueRef tested_value(LLVMValueRef condition)
{
	switch (LLVMGetInstructionOpcode(condition)) {
	case LLVMICmp:
		if (LLVMGetICmpPredicate(condition) == LLVMIntNE && is_zero(LLVMGetOperand(condition, 1)))
			return LLVMGetOperand(condition, 0);
		return NULL;
	case LLVMFCmp:
		if (LLVMGetFCmpPredicate(condition) == LLVMRealUNE && is_zero(LLVMGetOperand(condition, 1)))
			return LLVMGetOperand(condition, 0);
		return NULL;
	case LLVMTrunc:
	case LLVMZExt:
	case LLVMSExt:
	case LLVMLoad:
		return LLVMGetOperand(condition, 0);
	default:
		return NULL;
	}
}

static bool is_negation(LLVMValueRef value)
{
	if (LLVMGetInstructionOpcode(value) != LLVMXor || !LLVMIsAConstantInt(LLVMGetOperand(value, 1)))
		return false;
	return LLVMGetIntTypeWidth(LLVMTypeOf(value)) == 1; /* wider ones are ~ and ^ */
}

/* Clang computes the truth of an operand of && and || at the position of the operator. */
LLVMValueRef wm_operand_place(LLVMValueRef operand, bool *negated)
{
	*negated = false;
	for (unsigned steps = 0; steps < MOST_STEPS; steps++) {
		bool negation = is_negation(operand);
		LLVMValueRef inner = negation ? LLVMGetOperand(operand, 0) : tested_value(operand);
		bool element = LLVMGetInstructionOpcode(operand) == LLVMLoad;
		if (element || !inner || !LLVMIsAInstruction(inner) || LLVMIsAPHINode(inner) || !has_line(inner))
			break;
		*negated ^= negation;
		operand = inner;
	}
	return operand;
}

/* A block for a case label without a statement. */
static bool is_bare_label(LLVMBasicBlockRef block)
{
	LLVMValueRef first = LLVMGetFirstInstruction(block);
	return LLVMIsABranchInst(first) && !LLVMIsConditional(first) && begins(LLVMGetBasicBlockName(block), "sw.") &&
	       (begins(LLVMGetBasicBlockName(LLVMGetSuccessor(first, 0)), "sw.bb") ||
		       begins(LLVMGetBasicBlockName(LLVMGetSuccessor(first, 0)), "sw.default"));
}

bool wm_has_own_position(LLVMValueRef instruction)
{
	LLVMBasicBlockRef block = LLVMGetInstructionParent(instruction);
	if (LLVMIsABranchInst(instruction) && LLVMIsConditional(instruction))
		return wm_condition_place(instruction) == instruction;
	return !is_case_range(block) && !is_bare_label(block);
}

/* Addresses of elements have names that clang made up; addresses of members have the names of the members. */
static bool is_element(LLVMValueRef address)
{
	static const char *const made_up[] = {"arrayidx", "arraydecay", "add.ptr", "incdec.ptr"};
	size_t size;
	const char *name = LLVMGetValueName2(address, &size);
	for (size_t i = 0; i < sizeof made_up / sizeof *made_up; i++)
		if (begins(name, made_up[i]))
			return true;
	return false;
}

/* The address of an element of a global array is a constant. */
static bool is_constant_element(LLVMValueRef value)
{
	return LLVMIsAConstantExpr(value) && LLVMGetConstOpcode(value) == LLVMGetElementPtr;
}

static bool is_bit_field(LLVMValueRef value)
{
	size_t size;
	return LLVMIsAInstruction(value) && begins(LLVMGetValueName2(value, &size), "bf.");
}

static LLVMValueRef without_conversions(LLVMValueRef value)
{
	for (unsigned steps = 0; steps < MOST_STEPS && value && !LLVMIsAGlobalValue(value); steps++) {
		if (is_constant_element(value))
			value = LLVMGetOperand(value, 0);
		else if (!LLVMIsAInstruction(value))
			return value;
		else if (wm_is_call(value))
			value = LLVMGetCalledValue(value);
		else if (LLVMIsAGetElementPtrInst(value) ? is_element(value) : is_bit_field(value))
			value = LLVMGetOperand(value, 0);
		else if (LLVMIsAAllocaInst(value) || LLVMIsAGetElementPtrInst(value))
			return value;
		else
			value = is_negation(value) ? LLVMGetOperand(value, 0) : tested_value(value);
	}
	return value;
}

const char *wm_condition_name(LLVMValueRef condition)
{
	size_t size;
	LLVMValueRef value = without_conversions(condition);
	bool named = value && (LLVMIsAInstruction(value) || LLVMIsAArgument(value) || LLVMIsAGlobalValue(value));
	return named ? LLVMGetValueName2(value, &size) : "";
}

/* Clang also branches on conditions that the source does not have: whether a static variable is initialised, which handler
 * catches an exception, a range of case labels.  Their positions are those of anything nearby. */
static bool is_of_source(LLVMValueRef branch, const struct wm_map_condition *condition)
{
	return condition->side[0] != WM_SIDE_UNKNOWN || condition->side[1] != WM_SIDE_UNKNOWN ||
	       wm_value_is_side(LLVMGetSuccessor(branch, 0));
}

struct wm_map_condition wm_condition_describe(LLVMValueRef branch, bool optimised)
{
	struct wm_map_condition condition = {.kind = WM_CONDITION_UNKNOWN, .name = ""};
	LLVMValueRef value = wm_branch_condition(branch);
	if (!optimised && switch_before(LLVMGetInstructionParent(branch)))
		condition.kind = WM_CONDITION_CASES;
	for (unsigned i = 0; i < 2 && !optimised; i++)
		condition.side[i] = (uint8_t)wm_side_of(LLVMGetSuccessor(branch, i));
	if (!is_of_source(branch, &condition) || !LLVMIsAInstruction(value) || wm_condition_place(branch) == branch)
		return condition;
	condition.kind = LLVMIsAPHINode(value) ? WM_CONDITION_WHOLE : WM_CONDITION_EXPRESSION;
	if (condition.kind == WM_CONDITION_EXPRESSION)
		condition.name = wm_condition_name(value);
	return condition;
}
