/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A futex lock: 0 free, 1 held, 2 held with waiters.  It is held only with signals blocked. */
#include "runtime/state/lock.h"

#include "runtime/state/state.h"

bool wm_lock_try(uint32_t *lock)
{
	uint32_t seen = 0;
	return __atomic_compare_exchange_n(lock, &seen, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

void wm_lock_take(uint32_t *lock)
{
	if (wm_lock_try(lock))
		return;
	while (__atomic_exchange_n(lock, 2, __ATOMIC_ACQUIRE) != 0)
		sys6(SYS_futex, (long)lock, FUTEX_WAIT_PRIVATE, 2, 0, 0, 0);
}

static bool take_soon(uint32_t *lock)
{
	enum { MOST_TRIES = 1 << 10 };
	for (int i = 0; i < MOST_TRIES; i++)
		if (wm_lock_try(lock))
			return true;
	return false;
}

void wm_lock_release(uint32_t *lock)
{
	if (__atomic_exchange_n(lock, 0, __ATOMIC_RELEASE) == 2)
		sys6(SYS_futex, (long)lock, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
}

void wm_lock(uint64_t *saved)
{
	sys_block_signals(saved);
	wm_lock_take(&wm.lock);
}

bool wm_lock_counting(uint64_t *saved)
{
	if (!sys_block_signals(saved))
		return take_soon(&wm.lock);
	wm_lock_take(&wm.lock);
	return true;
}

void wm_unlock(const uint64_t *saved)
{
	wm_lock_release(&wm.lock);
	sys_restore_signals(saved);
}
