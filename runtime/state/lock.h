/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The lock of the runtime, which a holder takes with all signals blocked. */
#ifndef WM_RUNTIME_STATE_LOCK_H
#define WM_RUNTIME_STATE_LOCK_H

#include "runtime/system/sys.h"

/* Takes wm.lock with all signals blocked; `saved` is the mask to restore. */
void wm_lock(uint64_t *saved);
/* The same where a signal handler may be the caller: if a filter forbids to block signals, the handler may have interrupted the
 * holder.  False: the lock is not to be had. */
bool wm_lock_counting(uint64_t *saved);
void wm_unlock(const uint64_t *saved);
/* The same for any lock, when signals are blocked already. */
void wm_lock_take(uint32_t *lock);
/* Never waits: for the handler of a signal that may have interrupted the holder. */
bool wm_lock_try(uint32_t *lock);
void wm_lock_release(uint32_t *lock);

#endif
