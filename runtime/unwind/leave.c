/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "runtime/unwind/leave.h"

#include "runtime/state/lock.h"
#include "runtime/state/state.h"
#include "runtime/state/unseen.h"
#include "runtime/thread/own.h"
#include "runtime/unwind/call_sites.h"
#include "runtime/unwind/crash_note.h"
#include "runtime/unwind/left_paths.h"

static struct wm_walk walk; /* of the holder of the lock */

/* Which activations are left, counted from the innermost. */
struct range {
	size_t first, end;
};

static const struct range nothing;

static uint64_t stack_pointer(void)
{
	return walk.frame.reg[WM_REGISTER_RSP];
}

/* The activation has the stack from its stack pointer up to that of its caller, which is where the callee of `target` began. */
static struct range up_to(uint64_t target)
{
	for (size_t i = 0; i < WM_MOST_ACTIVATIONS; i++) {
		uint64_t sp = stack_pointer();
		if (!wm_walk_step(&walk))
			return nothing;
		if (sp <= target && target < stack_pointer() && !walk.frame.exact)
			return (struct range){0, i + 1};
	}
	return nothing;
}

static struct range below(uint64_t target)
{
	for (size_t i = 0; i < WM_MOST_ACTIVATIONS; i++)
		if (stack_pointer() == target)
			return (struct range){0, i};
		else if (!wm_walk_step(&walk))
			return nothing;
	return nothing;
}

static struct range outside_landing_pads(void)
{
	size_t first = 0;
	for (size_t i = 0; i < WM_MOST_ACTIVATIONS; i++) {
		if (wm_walk_lands(&walk))
			first = i + 1;
		if (!wm_walk_step(&walk))
			break;
	}
	return (struct range){first, WM_MOST_ACTIVATIONS};
}

static struct range range_of(const struct wm_leaving *leaving)
{
	switch (leaving->kind) {
	case WM_LEAVE_ALL:
		return (struct range){0, WM_MOST_ACTIVATIONS};
	case WM_LEAVE_TO:
		return up_to(leaving->target);
	case WM_LEAVE_BELOW:
		return below(leaving->target);
	case WM_LEAVE_THREAD:
		return outside_landing_pads();
	}
	return nothing;
}

/* Where calls were inlined, each of them is an activation. */
static void record_activations(void)
{
	struct wm_sites sites = wm_sites_at(walk.frame.reg[WM_REGISTER_RIP]);
	for (size_t i = 0; i < sites.count; i++) {
		const struct wm_site *site = &sites.site[i];
		uint64_t sum;
		bool unfinished = !(site->site & WM_SITE_ENDED) && wm_site_sum(site, &walk, &sum);
		ptrdiff_t function = unfinished ? wm_site_function(site, sites.group) : -1;
		if (function >= 0)
			wm_unfinished_count((size_t)function, site->site, sum);
	}
}

static void record(const struct wm_leaving *leaving)
{
	wm_walk_begin(&walk, &leaving->begin);
	struct range range = range_of(leaving);
	if (leaving->kind != WM_LEAVE_ALL)
		wm_walk_begin(&walk, &leaving->begin);
	for (size_t i = 0; i < range.end; i++) {
		if (i >= range.first && !walk.frame.exact)
			record_activations();
		if (!wm_walk_step(&walk))
			return;
	}
}

static bool may_record(void)
{
	return wm_has_sites() && !wm.discard && __atomic_load_n(&wm.started, __ATOMIC_ACQUIRE) && wm.image.header &&
	       !wm_forked_unseen() && !wm_is_guest();
}

void wm_leave(const struct wm_leaving *leaving)
{
	uint64_t mask = 0;
	if (!may_record())
		return;
	if (leaving->in_handler ? !wm_lock_try(&wm.lock) : !wm_lock_counting(&mask))
		return;
	bool ends = leaving->kind == WM_LEAVE_ALL;
	if (wm.image.header && !(ends && wm.left))
		record(leaving);
	if (wm.image.header && leaving->fatal)
		wm_crash_note(leaving, &walk);
	wm.left |= ends;
	if (leaving->in_handler)
		wm_lock_release(&wm.lock);
	else
		wm_unlock(&mask);
}
