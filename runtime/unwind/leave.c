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

/* Whether the target is on the part of the stack of the activation that the walk has just gone out of, which begins at `sp`. */
static bool is_in(uint64_t sp, uint64_t target)
{
	return sp <= target && target < stack_pointer() && !walk.frame.exact;
}

static struct range up_to(uint64_t target)
{
	for (size_t i = 0; i < WM_MOST_ACTIVATIONS; i++) {
		uint64_t sp = stack_pointer();
		if (!wm_walk_step(&walk))
			return nothing;
		if (is_in(sp, target))
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

/* ---- Recording ------------------------------------------------------------------------------ */

struct left_path {
	size_t function;
	uint32_t site;
	uint64_t sum;
};

/* Paths that are recorded when the target of a jump or an exception has been found. */
static struct {
	struct left_path path[64];
	size_t count;
} waiting;
enum { MOST_WAITING = sizeof waiting.path / sizeof *waiting.path };

static bool record_now(const struct left_path *path)
{
	wm_unfinished_count(path->function, path->site, path->sum);
	return true;
}

static bool record_later(const struct left_path *path)
{
	if (waiting.count == MOST_WAITING)
		return false;
	wm_copy(&waiting.path[waiting.count++], path, sizeof *path);
	return true;
}

/* The functions that are left if an exception continues in the one that lands; `sites` has the outermost first. */
static size_t first_inside(const struct wm_sites *sites)
{
	size_t first = sites->count;
	while (first && !(sites->site[first - 1].site & WM_SITE_LANDS))
		first--;
	return first ? first : sites->count;
}

/* Where calls were inlined, each of them is an activation.  `lands`: an exception continues in one of them. */
static bool each_activation(bool (*record)(const struct left_path *path), bool lands)
{
	if (walk.frame.exact)
		return true;
	struct wm_sites sites = wm_sites_at(walk.frame.reg[WM_REGISTER_RIP]);
	for (size_t i = lands ? first_inside(&sites) : 0; i < sites.count; i++) {
		const struct wm_return_site *site = &sites.site[i];
		struct left_path path = {.site = site->site & ~WM_SITE_LANDS};
		bool unfinished = !(site->site & WM_SITE_ENDED) && wm_site_sum(site, &walk, &path.sum);
		ptrdiff_t function = unfinished ? wm_site_function(site, sites.group) : -1;
		path.function = (size_t)function;
		if (function >= 0 && !record(&path))
			return false;
	}
	return true;
}

static void record_range(const struct wm_leaving *leaving, struct range range)
{
	wm_walk_begin(&walk, &leaving->begin);
	for (size_t i = 0; i < range.end; i++) {
		if (i >= range.first)
			each_activation(record_now, false);
		if (!wm_walk_step(&walk))
			return;
	}
	if (range.end && leaving->kind == WM_LEAVE_BELOW)
		each_activation(record_now, true);
}

static void record_waiting(void)
{
	for (size_t i = 0; i < waiting.count; i++)
		record_now(&waiting.path[i]);
}

/* Records up to a target that is near.  False: there are too many activations before it. */
static bool record_to_near_target(const struct wm_leaving *leaving)
{
	waiting.count = 0;
	wm_walk_begin(&walk, &leaving->begin);
	for (size_t i = 0; i < WM_MOST_ACTIVATIONS; i++) {
		uint64_t sp = stack_pointer();
		bool below = leaving->kind == WM_LEAVE_BELOW, reached = below && sp == leaving->target;
		if (!each_activation(record_later, reached))
			return false;
		if (!reached && !wm_walk_step(&walk))
			return true;
		if (reached || (!below && is_in(sp, leaving->target))) {
			record_waiting();
			return true;
		}
	}
	return true;
}

static void record(const struct wm_leaving *leaving)
{
	bool has_target = leaving->kind == WM_LEAVE_TO || leaving->kind == WM_LEAVE_BELOW;
	if (has_target && record_to_near_target(leaving))
		return;
	wm_walk_begin(&walk, &leaving->begin);
	record_range(leaving, range_of(leaving));
}

static bool may_record(void)
{
	return wm_has_sites() && !wm.discard && __atomic_load_n(&wm.started, __ATOMIC_ACQUIRE) && wm.image.header &&
	       !wm_forked_unseen() && !wm_is_guest();
}

/* A program that has a signal after each of its instructions would be killed by one that is blocked. */
#define TRAP_FLAG 0x100u

static uint64_t stop_stepping(void)
{
	uint64_t flags = __builtin_ia32_readeflags_u64();
	if (flags & TRAP_FLAG)
		__builtin_ia32_writeeflags_u64(flags & ~(uint64_t)TRAP_FLAG);
	return flags;
}

static void go_on_stepping(uint64_t flags)
{
	if (flags & TRAP_FLAG)
		__builtin_ia32_writeeflags_u64(flags);
}

static void record_once(const struct wm_leaving *leaving)
{
	bool ends = leaving->kind == WM_LEAVE_ALL;
	if (wm.image.header && !(ends && wm.left))
		record(leaving);
	if (wm.image.header && leaving->fatal)
		wm_crash_note(leaving->fatal, &leaving->begin, &walk);
	wm.left |= ends;
}

void wm_leave(const struct wm_leaving *leaving)
{
	uint64_t mask = 0;
	if (!may_record())
		return;
	uint64_t flags = stop_stepping();
	if (leaving->in_handler && wm_lock_try(&wm.lock)) {
		record_once(leaving);
		wm_lock_release(&wm.lock);
	} else if (!leaving->in_handler && wm_lock_counting(&mask)) {
		record_once(leaving);
		wm_unlock(&mask);
	}
	go_on_stepping(flags);
}
