/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "runtime/process/leaving.h"

#include "runtime/state/control_record.h"
#include "runtime/state/state.h"
#include "runtime/unwind/call_sites.h"

static struct wm_leavers leavers;

__attribute__((visibility("hidden")))
const struct wm_leave_control __wm_leave_control = {WM_ABI_VERSION, sizeof(struct wm_leaving), &leavers};

/* ---- The list ----------------------------------------------------------------------------- */

static struct wm_leavers *joined; /* the list that has this copy */
static size_t place;

static void enter(struct wm_leavers *list)
{
	for (size_t i = 0; i < WM_MOST_LEAVERS && !joined; i++) {
		void (*none)(const struct wm_leaving *) = NULL;
		if (!__atomic_compare_exchange_n(
			    &list->leave[i], &none, wm_leave, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
			continue;
		joined = list;
		place = i;
	}
	__atomic_store_n(&list->any, 1, __ATOMIC_RELEASE);
	void (*watch)(void) = __atomic_load_n(&list->watch, __ATOMIC_ACQUIRE);
	if (watch)
		watch();
}

void wm_leaving_start(void)
{
	if (wm.object.executable || !wm_has_sites())
		return;
	const struct wm_leave_control *program = wm_leave_control_of_program();
	if (program && program->layout == sizeof(struct wm_leaving))
		enter(program->leavers);
}

/* A thread that calls the copies has blocked its signals and is soon done. */
void wm_leaving_stop(void)
{
	enum { MOST_PAUSES = 100 };
	const struct timespec pause = {0, 1000000};
	if (!joined)
		return;
	__atomic_store_n(&joined->leave[place], NULL, __ATOMIC_SEQ_CST);
	for (int i = 0; i < MOST_PAUSES && __atomic_load_n(&joined->readers, __ATOMIC_SEQ_CST); i++)
		sys3(SYS_nanosleep, (long)&pause, 0, 0);
	joined = NULL;
}

void wm_leaving_fork(void)
{
	leavers.readers = 0;
}

bool wm_leaving_matters(void)
{
	return wm_has_sites() || __atomic_load_n(&leavers.any, __ATOMIC_ACQUIRE);
}

static void tell_others(const struct wm_leaving *leaving)
{
	__atomic_fetch_add(&leavers.readers, 1, __ATOMIC_SEQ_CST);
	for (size_t i = 0; i < WM_MOST_LEAVERS; i++) {
		void (*leave)(const struct wm_leaving *) = __atomic_load_n(&leavers.leave[i], __ATOMIC_SEQ_CST);
		if (leave)
			leave(leaving);
	}
	__atomic_fetch_sub(&leavers.readers, 1, __ATOMIC_SEQ_CST);
}

void wm_leaving_tell(const struct wm_leaving *leaving)
{
	uint64_t mask;
	wm_leave(leaving);
	if (!__atomic_load_n(&leavers.any, __ATOMIC_ACQUIRE))
		return;
	bool blocked = sys_block_signals(&mask);
	tell_others(leaving);
	if (blocked)
		sys_restore_signals(&mask);
}

/* ---- What the replaced functions call (runtime/notify/leave_functions.h) ------------------------ */

#define LEAVE __attribute__((visibility("hidden"), noinline)) void

LEAVE __wm_leave_process(void);
LEAVE __wm_leave_thread(void);
LEAVE __wm_leave_to(uint64_t stack_pointer);
LEAVE __wm_leave_below(uint64_t stack_pointer);

static inline __attribute__((always_inline)) void leave_from_here(enum wm_leaving_kind kind, uint64_t target)
{
	struct wm_leaving leaving;
	if (!wm_leaving_matters())
		return;
	leaving.kind = kind;
	leaving.in_handler = false;
	leaving.target = target;
	leaving.fatal = NULL;
	wm_frame_here(&leaving.begin);
	wm_leaving_tell(&leaving);
}

LEAVE __wm_leave_process(void)
{
	leave_from_here(WM_LEAVE_ALL, 0);
}

LEAVE __wm_leave_thread(void)
{
	leave_from_here(WM_LEAVE_THREAD, 0);
}

LEAVE __wm_leave_to(uint64_t stack_pointer)
{
	leave_from_here(WM_LEAVE_TO, stack_pointer);
}

LEAVE __wm_leave_below(uint64_t stack_pointer)
{
	leave_from_here(WM_LEAVE_BELOW, stack_pointer);
}
