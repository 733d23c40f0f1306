/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A futex lock: 0 free, 1 held, 2 held with waiters.  It is held only with signals blocked. */
#include "runtime/internal.h"

void wm_lock(uint64_t *saved)
{
	sys_block_signals(saved);
	uint32_t seen = 0;
	if (__atomic_compare_exchange_n(&wm.lock, &seen, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return;
	while (__atomic_exchange_n(&wm.lock, 2, __ATOMIC_ACQUIRE) != 0)
		sys6(SYS_futex, (long)&wm.lock, FUTEX_WAIT_PRIVATE, 2, 0, 0, 0);
}

void wm_unlock(const uint64_t *saved)
{
	if (__atomic_exchange_n(&wm.lock, 0, __ATOMIC_RELEASE) == 2)
		sys6(SYS_futex, (long)&wm.lock, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
	sys_restore_signals(saved);
}
