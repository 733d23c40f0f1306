/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The mailbox of paths across calls (abi/unit_tables.h) in IR.
 *
 * A module whose graph is `source` is instrumented before LLVM inlines calls.  There, caller and callee first exchange
 * *messages*: calls of functions that do not exist.
 *
 *     put         before a call: the caller hands over token, n and x; token 0: the call is stepped over
 *     take        at the entry of the callee
 *     reply       before it returns
 *     take-reply  after the call
 *
 * After inlining, messages.h replaces them.  On the graph `optimised`, nothing is inlined any more, and the mailbox itself
 * is accessed, by volatile loads and stores: a signal handler may read the mailbox between any two of them, so their order
 * must be that of abi/unit_tables.h.
 */
#ifndef WM_PLUGIN_ACROSS_MAILBOX_H
#define WM_PLUGIN_ACROSS_MAILBOX_H

#include "plugin/actions/emission.h"

enum wm_mail_word { WM_MAIL_TOKEN, WM_MAIL_N, WM_MAIL_X, WM_MAIL_WORDS };

LLVMValueRef wm_read_mail(struct wm_emission *e, enum wm_mail_word which);
void wm_write_mail(struct wm_emission *e, enum wm_mail_word which, LLVMValueRef value);
/* The token first: abi/unit_tables.h.  `x` NULL: nobody reads it. */
void wm_put_mail(struct wm_emission *e, LLVMValueRef token, LLVMValueRef n, LLVMValueRef x);
void wm_empty_mailbox(struct wm_emission *e);

enum wm_message { WM_MESSAGE_PUT, WM_MESSAGE_TAKE, WM_MESSAGE_REPLY, WM_MESSAGE_TAKE_REPLY, WM_MESSAGES };
extern const char *const wm_message_name[WM_MESSAGES]; /* of the functions */

/* Sends a message.  `keeps`: a mailbox with another token stays as it is. */
void wm_message_put(struct wm_emission *e, LLVMValueRef token, LLVMValueRef n, LLVMValueRef x);
struct wm_taken {
	LLVMValueRef crossed; /* i1: the function's token was in the mailbox */
	LLVMValueRef found; /* else the token that was there; 0: the mailbox was empty */
	LLVMValueRef n, x;
};
struct wm_taken wm_message_take(struct wm_emission *e, LLVMValueRef token, bool keeps);
/* `crossed`: i1; if it is false, nobody waits for the reply. */
void wm_message_reply(struct wm_emission *e, LLVMValueRef crossed, LLVMValueRef token, LLVMValueRef n);
struct wm_taken_reply {
	LLVMValueRef replied; /* i1: the token is WM_REPLIED */
	LLVMValueRef token, n;
};
/* `token`: of the call site. */
struct wm_taken_reply wm_message_take_reply(struct wm_emission *e, LLVMValueRef token);

#endif
