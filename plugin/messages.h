/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Replaces the messages of mailbox.h after LLVM has inlined calls.
 *
 * A put that is directly followed by a take, and a reply that is directly followed by a take-reply, belong to a call that
 * was inlined: their values are passed on as values, without the mailbox.  This is correct because the mailbox is empty
 * whenever a function executes code between its own messages.  The interpreter runs such calls too
 * (core/probes/machine.h), and random units check that the mailbox is empty then.  All other messages become accesses to the mailbox.
 */
#ifndef WM_PLUGIN_MESSAGES_H
#define WM_PLUGIN_MESSAGES_H

#include "plugin/shim.h"

/* Replaces all messages of a module, and simplifies its functions.  Returns whether there were any. */
bool wm_messages_lower(LLVMModuleRef module, struct wm_shim_analyses *analyses);

#endif
