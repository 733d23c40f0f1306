/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plugin/emit/messages.h"
#include "plugin/across/mailbox.h"
#include "plugin/emit/emit.h"
#include "plugin/llvm/returns.h"
#include <string.h>

static LLVMTypeRef i1(const struct wm_emission *e)
{
	return LLVMInt1TypeInContext(e->emitter->context);
}

/* ---- Calls that were inlined -------------------------------------------------------- */

static bool is_message(LLVMValueRef instruction, enum wm_message which)
{
	LLVMValueRef callee = LLVMIsACallInst(instruction) ? LLVMGetCalledValue(instruction) : NULL;
	size_t size;
	return callee && LLVMIsAFunction(callee) && !strcmp(LLVMGetValueName2(callee, &size), wm_message_name[which]);
}

static bool is_any_message(LLVMValueRef instruction)
{
	for (enum wm_message which = WM_MESSAGE_PUT; which < WM_MESSAGES; which++)
		if (is_message(instruction, which))
			return true;
	return false;
}

/* Whether the mailbox before the instruction is that after it.  The runtime leaves the mailbox as it is. */
static bool is_transparent(LLVMValueRef instruction)
{
	size_t size;
	if (LLVMIsAStoreInst(instruction) || LLVMIsALoadInst(instruction))
		return !LLVMGetVolatile(instruction);
	if (!wm_is_call(instruction))
		return true;
	LLVMValueRef callee = LLVMGetCalledValue(instruction);
	if (LLVMIsAInlineAsm(callee))
		return true;
	return LLVMIsAFunction(callee) && !is_any_message(instruction) &&
	       (LLVMGetIntrinsicID(callee) || !strncmp(LLVMGetValueName2(callee, &size), "__wm_", 5));
}

#define MOST_PREDECESSORS 16
struct messages {
	LLVMBasicBlockRef merge; /* where they come together; NULL: there is one */
	unsigned count;
	LLVMValueRef message[MOST_PREDECESSORS];
	LLVMBasicBlockRef from[MOST_PREDECESSORS]; /* predecessors of `merge` */
};

/* The predecessors of a block, if they lead nowhere else; otherwise their number is 0. */
static unsigned find_predecessors(LLVMBasicBlockRef block, LLVMBasicBlockRef *from)
{
	unsigned count = 0;
	for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block)); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (!LLVMIsABranchInst(user) || LLVMIsConditional(user) || count == MOST_PREDECESSORS)
			return 0;
		from[count++] = LLVMGetInstructionParent(user);
	}
	return count;
}

/* The message that is the last one before the end of a block, on the only way there.  NULL: there is none, or several
 * blocks lead to *merge. */
static LLVMValueRef last_message(
	LLVMBasicBlockRef block, LLVMValueRef last, enum wm_message which, LLVMBasicBlockRef *merge)
{
	LLVMBasicBlockRef from[MOST_PREDECESSORS];
	for (unsigned steps = 0; steps < MOST_PREDECESSORS; steps++) {
		for (LLVMValueRef i = last; i; i = LLVMGetPreviousInstruction(i)) {
			if (is_message(i, which))
				return i;
			if (!is_transparent(i))
				return NULL;
		}
		unsigned count = find_predecessors(block, from);
		*merge = count > 1 ? block : NULL;
		if (count != 1)
			return NULL;
		block = from[0];
		last = LLVMGetLastInstruction(block);
	}
	return NULL;
}

/* The messages of which exactly one precedes `taker` whenever it is executed, and which nobody else takes. */
static bool find_messages(struct messages *found, LLVMValueRef taker, enum wm_message which)
{
	LLVMBasicBlockRef inner;
	*found = (struct messages){.count = 1};
	found->message[0] =
		last_message(LLVMGetInstructionParent(taker), LLVMGetPreviousInstruction(taker), which, &found->merge);
	if (found->message[0])
		found->merge = NULL;
	if (!found->merge)
		return found->message[0];
	found->count = find_predecessors(found->merge, found->from);
	for (unsigned i = 0; i < found->count; i++) {
		LLVMValueRef last = LLVMGetLastInstruction(found->from[i]);
		if (!(found->message[i] = last_message(found->from[i], last, which, &inner)))
			return false;
	}
	return true;
}

static LLVMValueRef argument(struct wm_emission *e, struct messages *found, unsigned index)
{
	if (!found->merge)
		return LLVMGetOperand(found->message[0], index);
	LLVMPositionBuilderBefore(e->builder, LLVMGetFirstInstruction(found->merge));
	LLVMValueRef phi = LLVMBuildPhi(e->builder, LLVMTypeOf(LLVMGetOperand(found->message[0], index)), "");
	for (unsigned i = 0; i < found->count; i++) {
		LLVMValueRef value = LLVMGetOperand(found->message[i], index);
		LLVMAddIncoming(phi, &value, &found->from[i], 1);
	}
	return phi;
}

/* ---- Replacing messages ------------------------------------------------------------ */

/* `part`: the values of the struct that the message returns. */
static void replace_message(struct wm_emission *e, LLVMValueRef message, const LLVMValueRef *parts, unsigned count)
{
	LLVMValueRef whole = LLVMGetPoison(LLVMTypeOf(message));
	LLVMPositionBuilderBefore(e->builder, message);
	for (unsigned i = 0; i < count; i++)
		whole = LLVMBuildInsertValue(e->builder, whole, parts[i], i, "");
	LLVMReplaceAllUsesWith(message, whole);
	LLVMInstructionEraseFromParent(message);
}

static void erase(const struct messages *found)
{
	for (unsigned i = 0; i < found->count; i++)
		LLVMInstructionEraseFromParent(found->message[i]);
}

static void take_inlined(struct wm_emission *e, LLVMValueRef take, struct messages *found)
{
	LLVMValueRef token = argument(e, found, 0), n = argument(e, found, 1), x = argument(e, found, 2);
	LLVMPositionBuilderBefore(e->builder, take);
	LLVMValueRef crossed = LLVMBuildIsNotNull(e->builder, token, "");
	replace_message(e, take, (LLVMValueRef[]){crossed, wm_constant(e->emitter, 0), n, x}, 4);
	erase(found);
}

static void take_inlined_reply(struct wm_emission *e, LLVMValueRef take, struct messages *found)
{
	LLVMValueRef crossed = argument(e, found, 0), token = argument(e, found, 1), n = argument(e, found, 2);
	LLVMValueRef replied = wm_constant(e->emitter, WM_REPLIED), zero = wm_constant(e->emitter, 0);
	LLVMPositionBuilderBefore(e->builder, take);
	LLVMValueRef status = LLVMBuildSelect(e->builder, crossed, token, zero, "");
	LLVMValueRef is_replied = LLVMBuildICmp(e->builder, LLVMIntEQ, status, replied, "");
	replace_message(e, take, (LLVMValueRef[]){is_replied, status, n}, 3);
	erase(found);
}

static LLVMBasicBlockRef block_of(LLVMValueRef instruction)
{
	return LLVMGetInstructionParent(instruction);
}

/* if (condition) { n and perhaps x of the mailbox, which is emptied }.  Returns the position there. */
static LLVMValueRef read_if(
	struct wm_emission *e, LLVMValueRef condition, LLVMValueRef before, LLVMValueRef *n, LLVMValueRef *x)
{
	LLVMValueRef at = wm_shim_if_unlikely(condition, before);
	LLVMPositionBuilderBefore(e->builder, at);
	*n = wm_read_mail(e, WM_MAIL_N);
	if (x)
		*x = wm_read_mail(e, WM_MAIL_X);
	wm_empty_mailbox(e);
	return at;
}

static LLVMValueRef phi(struct wm_emission *e, LLVMValueRef a, LLVMValueRef b, const LLVMBasicBlockRef *from)
{
	LLVMValueRef made = LLVMBuildPhi(e->builder, LLVMTypeOf(a), ""), value[] = {a, b};
	LLVMAddIncoming(made, value, (LLVMBasicBlockRef *)from, 2);
	return made;
}

/* What the two takers have in common: the mailbox is read if it has the expected token, and otherwise if `also`. */
struct reading {
	LLVMValueRef is_expected, token, n, x;
};

static struct reading read_mailbox(
	struct wm_emission *e, LLVMValueRef taker, LLVMValueRef expected, LLVMValueRef also, bool has_x)
{
	LLVMTypeRef i64 = e->emitter->i64;
	LLVMValueRef then, otherwise, none = LLVMGetPoison(i64), zero = LLVMConstNull(i1(e)), n[2], x[2] = {none, none};
	LLVMPositionBuilderBefore(e->builder, taker);
	LLVMValueRef token = wm_read_mail(e, WM_MAIL_TOKEN);
	if (!also)
		also = LLVMBuildIsNotNull(e->builder, token, "");
	wm_shim_if_likely_else(LLVMBuildICmp(e->builder, LLVMIntEQ, token, expected, ""), taker, &then, &otherwise);
	LLVMPositionBuilderBefore(e->builder, then);
	n[0] = wm_read_mail(e, WM_MAIL_N);
	if (has_x)
		x[0] = wm_read_mail(e, WM_MAIL_X);
	wm_empty_mailbox(e);
	LLVMBasicBlockRef before = block_of(otherwise);
	LLVMValueRef at = read_if(e, also, otherwise, &n[1], has_x ? &x[1] : NULL);
	LLVMBasicBlockRef inner[] = {before, block_of(at)}, outer[] = {block_of(then), block_of(otherwise)};
	LLVMPositionBuilderBefore(e->builder, LLVMGetFirstInstruction(outer[1]));
	n[1] = phi(e, none, n[1], inner);
	x[1] = has_x ? phi(e, none, x[1], inner) : none;
	LLVMPositionBuilderBefore(e->builder, taker);
	struct reading made = {phi(e, LLVMConstAllOnes(i1(e)), zero, outer), token, phi(e, n[0], n[1], outer), NULL};
	made.x = phi(e, x[0], x[1], outer);
	return made;
}

static void lower_put(struct wm_emission *e, LLVMValueRef put)
{
	LLVMValueRef token = LLVMGetOperand(put, 0), crossed, over;
	LLVMPositionBuilderBefore(e->builder, put);
	wm_shim_if_likely_else(LLVMBuildIsNotNull(e->builder, token, ""), put, &crossed, &over);
	LLVMPositionBuilderBefore(e->builder, crossed);
	wm_put_mail(e, token, LLVMGetOperand(put, 1), LLVMGetOperand(put, 2));
	LLVMInstructionEraseFromParent(put);
}

static void lower_take(struct wm_emission *e, LLVMValueRef take)
{
	LLVMValueRef keeps = LLVMGetOperand(take, 1), never = LLVMConstNull(i1(e));
	struct reading r = read_mailbox(e, take, LLVMGetOperand(take, 0), LLVMIsNull(keeps) ? NULL : never, true);
	replace_message(e, take, (LLVMValueRef[]){r.is_expected, r.token, r.n, r.x}, 4);
}

static void lower_reply(struct wm_emission *e, LLVMValueRef reply)
{
	LLVMValueRef crossed, root;
	wm_shim_if_likely_else(LLVMGetOperand(reply, 0), reply, &crossed, &root);
	LLVMPositionBuilderBefore(e->builder, crossed);
	wm_put_mail(e, LLVMGetOperand(reply, 1), LLVMGetOperand(reply, 2), NULL);
	LLVMInstructionEraseFromParent(reply);
}

static void lower_take_reply(struct wm_emission *e, LLVMValueRef take)
{
	LLVMPositionBuilderBefore(e->builder, take);
	LLVMValueRef crossed = LLVMBuildIsNotNull(e->builder, LLVMGetOperand(take, 0), "");
	struct reading r = read_mailbox(e, take, wm_constant(e->emitter, WM_REPLIED), crossed, false);
	replace_message(e, take, (LLVMValueRef[]){r.is_expected, r.token, r.n}, 3);
}

static void lower(struct wm_emission *e, LLVMValueRef message, enum wm_message which)
{
	switch (which) {
	case WM_MESSAGE_PUT:
		lower_put(e, message);
		break;
	case WM_MESSAGE_TAKE:
		lower_take(e, message);
		break;
	case WM_MESSAGE_REPLY:
		lower_reply(e, message);
		break;
	case WM_MESSAGE_TAKE_REPLY:
		lower_take_reply(e, message);
		break;
	case WM_MESSAGES:
		break;
	}
}

/* An attribute of functions in which several takes are left when all puts are passed on.  A take of an inlined function is left
 * if no put was found for it: above all if the function was entered by a tail call, which sends none.  Its reply then precedes a
 * take-reply that waits for the reply of the function that made the tail call.  So nothing tells whose reply is the last one. */
static const char several_takes[] = "waymark-several-takes";
enum { SEVERAL_TAKES_LENGTH = sizeof several_takes - 1 };

static bool has_several_takes(LLVMValueRef function)
{
	return LLVMGetStringAttributeAtIndex(function, LLVMAttributeFunctionIndex, several_takes, SEVERAL_TAKES_LENGTH);
}

static uint32_t count_takes(LLVMValueRef function)
{
	uint32_t count = 0;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			count += is_message(i, WM_MESSAGE_TAKE);
	return count;
}

static void note_several_takes(const struct wm_emission *e)
{
	LLVMAttributeRef several =
		LLVMCreateStringAttribute(e->emitter->context, several_takes, SEVERAL_TAKES_LENGTH, "", 0);
	for (LLVMValueRef f = LLVMGetFirstFunction(e->emitter->module); f; f = LLVMGetNextFunction(f))
		if (count_takes(f) > 1)
			LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex, several);
}

static void pass_on_put(struct wm_emission *e, LLVMValueRef take)
{
	struct messages found;
	if (find_messages(&found, take, WM_MESSAGE_PUT))
		take_inlined(e, take, &found);
}

static void pass_on_reply(struct wm_emission *e, LLVMValueRef take)
{
	struct messages found;
	if (!has_several_takes(LLVMGetBasicBlockParent(block_of(take))) &&
		find_messages(&found, take, WM_MESSAGE_REPLY))
		take_inlined_reply(e, take, &found);
}

/* Handles takers whose messages come from calls that were inlined. */
static void pass_on_all(
	struct wm_emission *e, enum wm_message taker, void (*pass_on)(struct wm_emission *e, LLVMValueRef taker))
{
	LLVMValueRef function = LLVMGetNamedFunction(e->emitter->module, wm_message_name[taker]);
	LLVMUseRef next;
	for (LLVMUseRef use = function ? LLVMGetFirstUse(function) : NULL; use; use = next) {
		next = LLVMGetNextUse(use);
		pass_on(e, LLVMGetUser(use));
	}
}

static bool lower_all(struct wm_emission *e, enum wm_message which)
{
	LLVMValueRef function = LLVMGetNamedFunction(e->emitter->module, wm_message_name[which]);
	if (!function)
		return false;
	while (LLVMGetFirstUse(function))
		lower(e, LLVMGetUser(LLVMGetFirstUse(function)), which);
	LLVMDeleteFunction(function);
	return true;
}

/* LLVM may have found that functions access no memory but that of messages. */
bool wm_messages_lower(LLVMModuleRef module, struct wm_shim_analyses *analyses)
{
	struct wm_emitter emitter;
	bool changed = false;
	wm_emitter_init(&emitter, module, false);
	struct wm_emission e = {.emitter = &emitter, .builder = emitter.builder};
	pass_on_all(&e, WM_MESSAGE_TAKE, pass_on_put);
	note_several_takes(&e);
	pass_on_all(&e, WM_MESSAGE_TAKE_REPLY, pass_on_reply);
	for (enum wm_message which = WM_MESSAGE_PUT; which < WM_MESSAGES; which++)
		changed |= lower_all(&e, which);
	for (LLVMValueRef f = LLVMGetFirstFunction(module); changed && f; f = LLVMGetNextFunction(f))
		if (!LLVMIsDeclaration(f)) {
			LLVMRemoveStringAttributeAtIndex(
				f, LLVMAttributeFunctionIndex, several_takes, SEVERAL_TAKES_LENGTH);
			wm_drop_memory_attributes(f);
			wm_shim_simplify(analyses, f);
		}
	wm_emitter_release(&emitter);
	return changed;
}
