/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The time of day, from the kernel's vDSO.  A system call would be too slow, because a residual build may take a
 * hundred thousand paths for the first time.  clock_gettime of the C library is not called, because the program may
 * define a function with this name.
 */
#include "runtime/system/clock.h"

#include "runtime/system/elf.h"
#include "runtime/system/seccomp_filter.h"
#include "runtime/system/sys.h"

static int (*from_vdso)(clockid_t clock, struct timespec *time);

void wm_clock_start(void)
{
	void *found = wm_elf_vdso("__vdso_clock_gettime");
	__atomic_store_n(&from_vdso, (int (*)(clockid_t, struct timespec *))found, __ATOMIC_RELAXED);
}

/* Where a filter forbids the system call, the exact clock may make it nevertheless, and the strict mode of seccomp forbids the
 * instruction that reads the time.  The time of the last tick needs neither. */
static clockid_t harmless_clock(void)
{
	const long call[7] = {SYS_clock_gettime, CLOCK_REALTIME};
	return wm_filter_any && wm_filter_answer(call) ? CLOCK_REALTIME_COARSE : CLOCK_REALTIME;
}

uint64_t wm_microseconds(void)
{
	struct timespec now = {0, 1000};
	int (*read)(clockid_t, struct timespec *) = __atomic_load_n(&from_vdso, __ATOMIC_RELAXED);
	if (!read || read(harmless_clock(), &now))
		sys3(SYS_clock_gettime, CLOCK_REALTIME, (long)&now, 0);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}
