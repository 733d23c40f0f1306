/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The callback for untested paths. */
#ifndef WM_RUNTIME_COUNT_UNTESTED_CALLBACK_H
#define WM_RUNTIME_COUNT_UNTESTED_CALLBACK_H

#include "runtime/state/state.h"

/* Adopts the callback that other objects of the process already use. */
void wm_untested_inherit(void);
void wm_untested_set(const struct wm_untested_hook *hook);

#endif
