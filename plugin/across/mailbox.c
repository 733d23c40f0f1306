/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plugin/across/mailbox.h"
#include "abi/thread.h"
#include "plugin/actions/inline_cost.h"
#include "plugin/actions/this_thread.h"

_Static_assert(sizeof(struct wm_mailbox) == WM_MAIL_WORDS * sizeof(uint64_t), "three words");

/* ---- Words ------------------------------------------------------------------------ */

static LLVMValueRef mail_address(struct wm_emission *e, enum wm_mail_word which)
{
	return wm_thread_field(e, offsetof(struct wm_thread, mailbox) + which * sizeof(uint64_t));
}

LLVMValueRef wm_read_mail(struct wm_emission *e, enum wm_mail_word which)
{
	LLVMValueRef value = wm_load(e, e->emitter->i64, mail_address(e, which));
	LLVMSetVolatile(value, true);
	return value;
}

void wm_write_mail(struct wm_emission *e, enum wm_mail_word which, LLVMValueRef value)
{
	LLVMSetVolatile(LLVMBuildStore(e->builder, value, mail_address(e, which)), true);
}

void wm_put_mail(struct wm_emission *e, LLVMValueRef token, LLVMValueRef n, LLVMValueRef x)
{
	wm_write_mail(e, WM_MAIL_TOKEN, token);
	wm_write_mail(e, WM_MAIL_N, n);
	if (x)
		wm_write_mail(e, WM_MAIL_X, x);
}

void wm_empty_mailbox(struct wm_emission *e)
{
	wm_write_mail(e, WM_MAIL_TOKEN, wm_constant(e->emitter, 0));
}

/* ---- Messages --------------------------------------------------------------------- */

const char *const wm_message_name[WM_MESSAGES] = {
	"__wm_message_put", "__wm_message_take", "__wm_message_reply", "__wm_message_take_reply"};

/* For LLVM's inliner.  A message is not executed as a call, and the instructions around it that take it apart cost little
 * in a function that is inlined.  The costs make up for instructions that certainly remain until the message is replaced: if
 * they made up for more, functions would seem to become smaller by inlining, and would grow without bound. */
static const int inline_cost[WM_MESSAGES] = {[WM_MESSAGE_PUT] = -2 * WM_INLINE_COST,
	[WM_MESSAGE_TAKE] = -3 * WM_INLINE_COST,
	[WM_MESSAGE_REPLY] = 0,
	[WM_MESSAGE_TAKE_REPLY] = -4 * WM_INLINE_COST};

/* A message accesses memory that no other code of the program knows, so it is neither removed nor reordered with calls, and
 * hinders no other optimisation. */
static LLVMValueRef send_message(
	struct wm_emission *e, enum wm_message which, LLVMTypeRef result, LLVMValueRef *argument, unsigned count)
{
	enum { INACCESSIBLE_READ_WRITE = 3 << 2 };
	LLVMTypeRef types[3];
	for (unsigned i = 0; i < count; i++)
		types[i] = LLVMTypeOf(argument[i]);
	LLVMTypeRef type = LLVMFunctionType(result, types, count, false);
	LLVMValueRef function = LLVMGetNamedFunction(e->emitter->module, wm_message_name[which]);
	if (!function)
		function = LLVMAddFunction(e->emitter->module, wm_message_name[which], type);
	LLVMValueRef call = LLVMBuildCall2(e->builder, type, function, argument, count, "");
	wm_call_attribute(e->emitter, call, "memory", INACCESSIBLE_READ_WRITE);
	wm_call_attribute(e->emitter, call, "nounwind", 0);
	wm_call_attribute(e->emitter, call, "willreturn", 0);
	wm_set_inline_cost(e->emitter, call, inline_cost[which]);
	return call;
}

static LLVMTypeRef i1(const struct wm_emission *e)
{
	return LLVMInt1TypeInContext(e->emitter->context);
}

static LLVMValueRef part(struct wm_emission *e, LLVMValueRef whole, unsigned index)
{
	return LLVMBuildExtractValue(e->builder, whole, index, "");
}

void wm_message_put(struct wm_emission *e, LLVMValueRef token, LLVMValueRef n, LLVMValueRef x)
{
	send_message(e, WM_MESSAGE_PUT, LLVMVoidTypeInContext(e->emitter->context), (LLVMValueRef[]){token, n, x}, 3);
}

struct wm_taken wm_message_take(struct wm_emission *e, LLVMValueRef token, bool keeps)
{
	LLVMTypeRef i64 = e->emitter->i64, types[] = {i1(e), i64, i64, i64};
	LLVMTypeRef result = LLVMStructTypeInContext(e->emitter->context, types, 4, false);
	LLVMValueRef whole =
		send_message(e, WM_MESSAGE_TAKE, result, (LLVMValueRef[]){token, LLVMConstInt(i1(e), keeps, false)}, 2);
	return (struct wm_taken){part(e, whole, 0), part(e, whole, 1), part(e, whole, 2), part(e, whole, 3)};
}

void wm_message_reply(struct wm_emission *e, LLVMValueRef crossed, LLVMValueRef token, LLVMValueRef n)
{
	send_message(e, WM_MESSAGE_REPLY, LLVMVoidTypeInContext(e->emitter->context),
		(LLVMValueRef[]){crossed, token, n}, 3);
}

struct wm_taken_reply wm_message_take_reply(struct wm_emission *e, LLVMValueRef token)
{
	LLVMTypeRef i64 = e->emitter->i64, types[] = {i1(e), i64, i64};
	LLVMTypeRef result = LLVMStructTypeInContext(e->emitter->context, types, 3, false);
	LLVMValueRef whole = send_message(e, WM_MESSAGE_TAKE_REPLY, result, &token, 1);
	return (struct wm_taken_reply){part(e, whole, 0), part(e, whole, 1), part(e, whole, 2)};
}
