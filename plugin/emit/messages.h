/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Replaces the messages of mailbox.h after LLVM has inlined calls.
 *
 * A put that is directly followed by a take, and a reply that is directly followed by a take-reply, belong to a call that
 * was inlined: their values are passed on as values, without the mailbox.  This is correct because the mailbox is empty
 * whenever a function executes code between its own messages.  The interpreter runs such calls too (core/probes/machine.h), and
 * random units check that the mailbox is empty then.  All other messages become accesses to the mailbox.
 *
 * What the interpreter does not know is what LLVM has made of a call, so the following can go wrong here only.
 * test/situations has all small situations, and compares their paths with a trace and with the interpreter.
 *   - A message is taken for that of another call.  A function that was entered by a tail call gets no put, but replies; if both
 *     functions are inlined, its reply is the last one before the take-reply that waits for the other's.
 *   - A message is passed on although something between sender and receiver may use the mailbox.
 *   - On one of several ways to the receiver there is no message, or a message has a second receiver.
 *   - The mailbox is accessed in an order in which a signal handler finds half a message.
 */
#ifndef WM_PLUGIN_EMIT_MESSAGES_H
#define WM_PLUGIN_EMIT_MESSAGES_H

#include "plugin/llvm/shim.h"

/* Replaces all messages of a module, and simplifies its functions.  Returns whether there were any. */
bool wm_messages_lower(LLVMModuleRef module, struct wm_shim_analyses *analyses);

#endif
