/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What compiled code knows of the thread that executes it. */
#ifndef WM_PLUGIN_ACTIONS_THIS_THREAD_H
#define WM_PLUGIN_ACTIONS_THIS_THREAD_H

#include "plugin/actions/emission.h"

/* With update `gs`, before `at`, in a function of a shared object: if the object is not attached to this thread, attaches it.
 * Compares the mark of the object at the distance of the thread with the thread pointer (runtime/thread/distance.h). */
void wm_thread_check(struct wm_emission *e, LLVMValueRef at);
/* The address of a field of this thread's struct wm_thread (abi/thread.h), at the position of the builder. */
LLVMValueRef wm_thread_field(struct wm_emission *e, size_t offset);

#endif
