/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plugin/conditions/values.h"
#include <llvm-c/DebugInfo.h>
#include <string.h>

/* A value is followed through at most this many instructions. */
enum { MOST_STEPS = 12 };

/* The names of the blocks that wm_values_split makes. */
static const char side_true[] = "waymark.true", side_false[] = "waymark.false";

static bool begins(LLVMBasicBlockRef block, const char *prefix)
{
	return strncmp(LLVMGetBasicBlockName(block), prefix, strlen(prefix)) == 0;
}

LLVMValueRef wm_branch_condition(LLVMValueRef branch)
{
	LLVMValueRef condition = LLVMGetCondition(branch);
	return LLVMIsAFreezeInst(condition) ? LLVMGetOperand(condition, 0) : condition;
}

bool wm_value_is_side(LLVMBasicBlockRef block)
{
	return begins(block, side_true) || begins(block, side_false);
}

static bool is_bit(LLVMValueRef value)
{
	LLVMTypeRef type = LLVMTypeOf(value);
	return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 1;
}

/* ---- Which phi a truth value is ------------------------------------------------------------- */

static bool is_expectation(LLVMValueRef call)
{
	static const char name[] = "llvm.expect";
	unsigned id = LLVMGetIntrinsicID(LLVMGetCalledValue(call));
	return id && id == LLVMLookupIntrinsicID(name, sizeof name - 1);
}

static bool is_constant(LLVMValueRef value, unsigned long long number)
{
	return LLVMIsAConstantInt(value) && LLVMGetIntTypeWidth(LLVMTypeOf(value)) <= 64 &&
	       LLVMConstIntGetZExtValue(value) == number;
}

/* What a value is a conversion or negation of; NULL: of nothing. */
static LLVMValueRef converted(LLVMValueRef value, bool *negated)
{
	bool zero = LLVMGetNumOperands(value) > 1 && is_constant(LLVMGetOperand(value, 1), 0);
	switch (LLVMGetInstructionOpcode(value)) {
	case LLVMZExt:
	case LLVMSExt:
	case LLVMFreeze:
		return LLVMGetOperand(value, 0);
	case LLVMXor:
		if (!is_bit(value) || !is_constant(LLVMGetOperand(value, 1), 1))
			return NULL;
		*negated = !*negated;
		return LLVMGetOperand(value, 0);
	case LLVMICmp:
		if (!zero || LLVMGetICmpPredicate(value) != LLVMIntNE)
			return NULL;
		return LLVMGetOperand(value, 0);
	case LLVMCall:
		return is_expectation(value) ? LLVMGetOperand(value, 0) : NULL;
	default:
		return NULL;
	}
}

/* The phi of a block of which a value is a conversion; NULL: none. */
static LLVMValueRef phi_in(LLVMBasicBlockRef block, LLVMValueRef value, bool *negated)
{
	*negated = false;
	for (unsigned steps = 0; value && LLVMIsAInstruction(value) && steps < MOST_STEPS; steps++) {
		if (LLVMGetInstructionParent(value) != block)
			return NULL;
		if (LLVMIsAPHINode(value))
			return value;
		value = converted(value, negated);
	}
	return NULL;
}

/* ---- Values that are joined ----------------------------------------------------------------- */

static LLVMValueRef joining_phi(LLVMBasicBlockRef block)
{
	LLVMValueRef phi = LLVMGetFirstInstruction(block);
	bool named = begins(block, "land.end") || begins(block, "lor.end");
	return named && phi && LLVMIsAPHINode(phi) && is_bit(phi) ? phi : NULL;
}

static bool is_unconditional(LLVMBasicBlockRef block)
{
	LLVMValueRef last = LLVMGetBasicBlockTerminator(block);
	return last && LLVMIsABranchInst(last) && !LLVMIsConditional(last);
}

/* The block of which both of these are sides; NULL: none. */
static LLVMBasicBlockRef block_of_sides(LLVMBasicBlockRef side)
{
	LLVMUseRef use = wm_value_is_side(side) ? LLVMGetFirstUse(LLVMBasicBlockAsValue(side)) : NULL;
	while (use && !LLVMIsABranchInst(LLVMGetUser(use)))
		use = LLVMGetNextUse(use);
	return use ? LLVMGetInstructionParent(LLVMGetUser(use)) : NULL;
}

/* Finds the last operand among the incoming values; the other ones are the constant that decides.  False: the phi has another
 * form. */
static bool find_operand(LLVMValueRef phi, struct wm_value *value)
{
	unsigned found = 0;
	for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
		LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, i);
		LLVMValueRef incoming = LLVMGetIncomingValue(phi, i);
		if (!is_unconditional(from)) {
			if (!is_constant(incoming, value->disjunction))
				return false;
			continue;
		}
		found++;
		value->block = block_of_sides(from);
		value->operand =
			value->block ? wm_branch_condition(LLVMGetBasicBlockTerminator(value->block)) : incoming;
		value->kind = value->block ? WM_VALUE_SPLIT : WM_VALUE_OPERAND;
		value->block = value->block ? value->block : from;
	}
	return found == (value->kind == WM_VALUE_SPLIT ? 2u : 1u);
}

/* The only branch on a value or on a conversion of it; NULL: there is none, or there are several. */
static LLVMValueRef branch_on(LLVMValueRef value, bool *negated)
{
	LLVMValueRef branch = NULL;
	*negated = false;
	for (unsigned steps = 0; value && !branch && steps < MOST_STEPS; steps++) {
		LLVMValueRef next = NULL;
		for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
			LLVMValueRef user = LLVMGetUser(use);
			bool ignored, branches = LLVMIsABranchInst(user);
			if (branches && branch)
				return NULL;
			branch = branches ? user : branch;
			if (!branches && LLVMIsAInstruction(user) && converted(user, &ignored) == value)
				next = user;
		}
		if (!branch && next)
			converted(next, negated);
		value = next;
	}
	return branch;
}

static void find_use(LLVMValueRef phi, struct wm_value *value)
{
	bool negated;
	LLVMValueRef branch = branch_on(phi, &negated);
	if (!branch)
		return;
	value->use = negated ? WM_USE_INVERTED : WM_USE_BRANCH;
	value->teller = LLVMGetInstructionParent(branch);
}

bool wm_value_joined(LLVMBasicBlockRef join, struct wm_value *value)
{
	bool negated;
	LLVMValueRef phi = joining_phi(join);
	*value = (struct wm_value){.join = join, .disjunction = begins(join, "lor.end")};
	if (!phi || !find_operand(phi, value))
		return false;
	find_use(phi, value);
	if (LLVMIsAConstantInt(value->operand)) {
		value->kind = WM_VALUE_CONSTANT;
		value->truth = !is_constant(value->operand, 0);
		value->operand = NULL;
		return true;
	}
	LLVMValueRef inner = joining_phi(value->block);
	if (value->kind == WM_VALUE_OPERAND && inner && phi_in(value->block, value->operand, &negated) == inner) {
		value->kind = WM_VALUE_NESTED;
		value->truth = !negated;
	}
	return true;
}

/* ---- Other values --------------------------------------------------------------------------- */

/* Clang's name for the value of ?: of operands that cost nothing and have no effects. */
static bool is_choice(LLVMValueRef instruction)
{
	size_t size;
	return LLVMIsASelectInst(instruction) && is_bit(LLVMGetOperand(instruction, 0)) &&
	       strncmp(LLVMGetValueName2(instruction, &size), "cond", 4) == 0;
}

bool wm_value_of(LLVMValueRef instruction, struct wm_value *value)
{
	*value = (struct wm_value){.block = LLVMGetInstructionParent(instruction)};
	if (is_choice(instruction)) {
		value->kind = WM_VALUE_CHOICE;
		value->operand = LLVMGetOperand(instruction, 0);
		return true;
	}
	bool branch = LLVMIsABranchInst(instruction) && LLVMIsConditional(instruction);
	if (!branch || !LLVMIsAConstantInt(LLVMGetCondition(instruction)))
		return false;
	value->kind = WM_VALUE_FIXED;
	value->truth = !is_constant(LLVMGetCondition(instruction), 0);
	return true;
}

/* ---- Making branches ------------------------------------------------------------------------- */

/* Whether a branch at the end of the join, or of the join that the value is passed on to, tells the value. */
static bool is_told(struct wm_value value)
{
	struct wm_value outer;
	for (;;) {
		if (value.use != WM_USE_OTHER)
			return true;
		LLVMBasicBlockRef join = value.join;
		if (!is_unconditional(join) ||
			!wm_value_joined(LLVMGetSuccessor(LLVMGetBasicBlockTerminator(join), 0), &outer))
			return false;
		if (outer.kind != WM_VALUE_NESTED || outer.block != join)
			return false;
		value = outer;
	}
}

static LLVMBasicBlockRef new_side(
	LLVMBasicBlockRef before, const char *name, LLVMBasicBlockRef target, LLVMMetadataRef place)
{
	LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(LLVMBasicBlockAsValue(before)));
	LLVMBasicBlockRef side = LLVMInsertBasicBlockInContext(context, before, name);
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
	LLVMPositionBuilderAtEnd(builder, side);
	LLVMSetCurrentDebugLocation2(builder, place);
	LLVMBuildBr(builder, target);
	LLVMDisposeBuilder(builder);
	return side;
}

/* Both sides of a branch that replaces the jump from `from` to `target`. */
struct sides {
	LLVMBasicBlockRef from, target, when_true, when_false;
};

/* A value that is not defined may be selected by or passed on, but no branch may depend on it. */
static struct sides branch_instead(LLVMValueRef jump, LLVMValueRef condition, const char *if_true, const char *if_false)
{
	struct sides sides = {LLVMGetInstructionParent(jump), LLVMGetSuccessor(jump, 0), NULL, NULL};
	LLVMMetadataRef place = LLVMInstructionGetDebugLoc(jump);
	if (!place && LLVMIsAInstruction(condition))
		place = LLVMInstructionGetDebugLoc(condition);
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(condition)));
	sides.when_true = new_side(sides.target, if_true, sides.target, place);
	sides.when_false = new_side(sides.target, if_false, sides.target, place);
	LLVMPositionBuilderBefore(builder, jump);
	LLVMSetCurrentDebugLocation2(builder, place);
	LLVMBuildCondBr(builder, LLVMBuildFreeze(builder, condition, ""), sides.when_true, sides.when_false);
	LLVMInstructionEraseFromParent(jump);
	LLVMDisposeBuilder(builder);
	return sides;
}

static void add_incoming(LLVMValueRef phi, LLVMValueRef value, LLVMBasicBlockRef from)
{
	LLVMAddIncoming(phi, &value, &from, 1);
}

/* Replaces a phi by one in which the value from `from` comes from both sides; of `operand`, as the constants that it is there. */
static LLVMValueRef phi_of_sides(LLVMValueRef phi, const struct sides *sides, LLVMValueRef operand)
{
	LLVMTypeRef type = LLVMTypeOf(phi);
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(type));
	LLVMPositionBuilderBefore(builder, phi);
	LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(phi));
	LLVMValueRef made = LLVMBuildPhi(builder, type, "");
	for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
		LLVMValueRef value = LLVMGetIncomingValue(phi, i);
		bool split = LLVMGetIncomingBlock(phi, i) == sides->from, known = split && value == operand;
		if (!split) {
			add_incoming(made, value, LLVMGetIncomingBlock(phi, i));
			continue;
		}
		add_incoming(made, known ? LLVMConstInt(type, 1, false) : value, sides->when_true);
		add_incoming(made, known ? LLVMConstInt(type, 0, false) : value, sides->when_false);
	}
	LLVMReplaceAllUsesWith(phi, made);
	LLVMInstructionEraseFromParent(phi);
	LLVMDisposeBuilder(builder);
	return made;
}

static void split_operand(const struct wm_value *value)
{
	struct sides sides =
		branch_instead(LLVMGetBasicBlockTerminator(value->block), value->operand, side_true, side_false);
	LLVMValueRef next;
	for (LLVMValueRef i = LLVMGetFirstInstruction(value->join); i && LLVMIsAPHINode(i); i = next) {
		next = LLVMGetNextInstruction(i);
		phi_of_sides(i, &sides, value->operand);
	}
}

/* Makes `cond ? x : y` of a selection, with the names that clang gives to its blocks. */
static void split_choice(LLVMValueRef select)
{
	LLVMBasicBlockRef before = LLVMGetInstructionParent(select);
	wm_shim_split_before(select);
	struct sides sides = branch_instead(
		LLVMGetBasicBlockTerminator(before), LLVMGetOperand(select, 0), "cond.true", "cond.false");
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(select)));
	LLVMPositionBuilderBefore(builder, LLVMGetFirstInstruction(sides.target));
	LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(select));
	LLVMValueRef phi = LLVMBuildPhi(builder, LLVMTypeOf(select), "cond");
	add_incoming(phi, LLVMGetOperand(select, 1), sides.when_true);
	add_incoming(phi, LLVMGetOperand(select, 2), sides.when_false);
	LLVMReplaceAllUsesWith(select, phi);
	LLVMInstructionEraseFromParent(select);
	LLVMDisposeBuilder(builder);
}

/* The first choice of a block whose operands may be computed before the branch: they are, in `source`. */
static LLVMValueRef first_choice(LLVMBasicBlockRef block)
{
	for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
		if (is_choice(i))
			return i;
	return NULL;
}

void wm_values_split(LLVMValueRef function)
{
	struct wm_value value;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b)) {
		LLVMValueRef choice = first_choice(b);
		if (choice)
			split_choice(choice); /* what follows the choice is a later block */
		bool operand = wm_value_joined(b, &value) && value.kind == WM_VALUE_OPERAND;
		if (operand && !is_told(value))
			split_operand(&value);
	}
}
