/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Counting in a residual build.  Only untested paths are counted here.
 *
 * If the time of a slot is set, this process has seen the path of the slot.  Times are set and moved with the lock
 * held, so a slot whose time is set has its key in every image, and it counts without the lock.  Everything else
 * happens with the lock held: a slot, its count and its time enter the image together, and if two threads take a path
 * for the first time, one of them finds the time that the other has set, in whichever table of whichever thread.
 *
 * In functions of which no tested path is known, every path has a cell.  The first execution is counted in the slot, with
 * its time, all others in the cell of the thread; compiled code increments a cell that is not 0.
 *
 * The lock costs two system calls, because signals are blocked while it is held, and a program may take a hundred
 * thousand untested paths.  So a process with a single thread does without the lock if the newest table has room: see
 * count_alone.
 */
#include "runtime/count/untested_callback.h"

#include "runtime/chunk/chunk.h"
#include "runtime/chunk/hash_memory.h"
#include "runtime/count/hash.h"
#include "runtime/state/control_record.h"
#include "runtime/state/lock.h"
#include "runtime/state/state.h"
#include "runtime/system/clock.h"
#include "runtime/thread/own.h"
#include "runtime/waymark.h"

#include <errno.h>

/* glibc 2.32 */
extern char __libc_single_threaded __attribute__((weak));

__attribute__((preserve_most, visibility("hidden"))) void __wm_residual_add(
	const struct wm_func *f, struct wm_hash_head *head, uint64_t id, uint64_t amount);

/* WM_TESTED_SYMBOL: of the object that `waymark cc` adds to the link, or of empty_tested_set.c. */
extern const uint64_t wm_tested[] __asm__(WM_TESTED_SYMBOL) __attribute__((visibility("hidden")));

static uint64_t *time_of(struct wm_table *table, const struct wm_hash_slot *slot)
{
	return &wm_times_of(table)[slot - table->slot];
}

static uint64_t time_in_chain(const struct wm_hash_head *head, uint64_t id)
{
	uint64_t time = 0;
	for (struct wm_table *table = wm_newest(head); table && !time; table = table->older) {
		struct wm_hash_slot *slot = wm_hash_find(table, id, WM_FIND_KNOWN);
		time = slot ? wm_load(time_of(table, slot)) : 0;
	}
	return time;
}

/* 0: this process has not seen the path.  The cells of threads exist only after the constructor. */
static uint64_t time_anywhere(const struct wm_func *f, uint64_t id)
{
	uint64_t time = time_in_chain(wm_hash_head_of(f, 0), id);
	for (size_t i = 0; i < wm.image.chunk_count && !time; i++)
		if (wm.image.chunk[i].kind == WM_CHUNK_THREAD)
			time = time_in_chain(
				wm_hash_head_of(f, wm_thread_cells(&wm.image.chunk[i]) - wm.object.cells), id);
	return time;
}

static struct wm_hash_slot *place_id(
	const struct wm_func *f, struct wm_hash_head *head, uint64_t id, struct wm_table **table)
{
	for (bool stuck = false;;) {
		*table = wm_newest(head);
		struct wm_hash_slot *slot =
			*table ? wm_hash_find(*table, id, stuck ? WM_FIND_LAST_RESORT : WM_FIND_TAKE) : NULL;
		if (slot || stuck)
			return slot;
		stuck = !wm_hash_grow(f, head, *table);
	}
}

/* Counts the path.  Returns the time if the path is new to the process, and 0 otherwise. */
static uint64_t count_locked(const struct wm_func *f, struct wm_hash_head *head, uint64_t id, uint64_t amount)
{
	struct wm_table *table;
	struct wm_hash_slot *slot = place_id(f, head, id, &table);
	if (!slot) {
		wm_hash_lose(f, amount);
		return 0;
	}
	uint64_t seen = time_anywhere(f, id), now = seen ? seen : wm_microseconds();
	wm_store(time_of(table, slot), now);
	wm_count(f, slot, amount);
	return seen ? 0 : now;
}

/* Whether the process has only one thread; false if the C library does not provide this information. */
static bool is_alone(void)
{
	return &__libc_single_threaded && __libc_single_threaded;
}

static void set_time(uint64_t *time, uint64_t value)
{
	uint64_t none = 0;
	__atomic_compare_exchange_n(time, &none, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/*
 * Counts a path that the only thread of the process takes for the first time.  False: the lock is needed.
 *
 * A signal handler may interrupt this function.  If the handler takes the same path, the time that it set is kept.  If
 * the handler never returns, the slot may have no count, and a slot without a count is not a path.  If the handler
 * forks or resets the counters, the slot keeps its key.  The time is set before the count, so that a reader that finds
 * a count also finds its time.  The time is set again after the count, because a forked child begins without times.
 */
static bool count_alone(const struct wm_hash_head *head, uint64_t id, uint64_t amount)
{
	if (!is_alone() || wm.threads.have_cells || wm.untested.callback)
		return false;
	struct wm_table *table = wm_newest(head);
	struct wm_hash_slot *slot = table ? wm_hash_find(table, id, WM_FIND_TAKE) : NULL;
	if (!slot)
		return false;
	uint64_t seen = time_in_chain(head, id), time = seen ? seen : wm_microseconds();
	set_time(time_of(table, slot), time);
	wm_add(&slot->count, amount);
	set_time(time_of(table, slot), time);
	return true;
}

static bool *inside(void)
{
	return &__wm_own()->inside;
}

static void tell_callback(const struct wm_untested_hook *hook, const struct wm_func *f, uint64_t id, uint64_t time)
{
	bool *busy = hook->callback ? hook->inside() : NULL;
	if (!busy || *busy)
		return;
	int saved = errno;
	struct waymark_untested path = {sizeof path, (const char *)f + f->name, id, f->graph_hash, time};
	*busy = true;
	hook->callback(&path, hook->closure);
	*busy = false;
	errno = saved;
}

__attribute__((noinline)) static void count_first(
	const struct wm_func *f, struct wm_hash_head *head, uint64_t id, uint64_t amount)
{
	uint64_t saved;
	if (count_alone(head, id, amount))
		return;
	if (!wm_lock_counting(&saved)) {
		wm_hash_lose(f, amount);
		return;
	}
	uint64_t time = count_locked(f, head, id, amount);
	struct wm_untested_hook hook = wm.untested;
	wm_unlock(&saved);
	wm_warn_not_stored();
	if (time)
		tell_callback(&hook, f, id, time);
}

/* The inline probe has tried the home slot, which another id may occupy. */
static bool is_tested(uint64_t id)
{
	uint64_t key = wm_hash_key(id), shift = wm_tested[WM_TESTED_SHIFT], last = UINT64_MAX >> shift;
	for (uint64_t i = 0, home = key >> shift; i <= last; i++) {
		uint64_t found = wm_tested[WM_TESTED_SLOTS + ((home + i) & last)];
		if (found == key || found == 0)
			return found;
	}
	return false;
}

/* Of a path across calls: an id of the unit, or a poisoned one (abi/unit_tables.h). */
static bool is_not_counted(const struct wm_func *f, uint64_t id)
{
	return f->flags & WM_FUNC_UNIT && (id & WM_POISON || is_tested(id));
}

/* The home slot is tried first, because most ids are in their home slots. */
static struct wm_hash_slot *known_slot(struct wm_table *table, uint64_t id)
{
	uint64_t key = wm_hash_key(id);
	struct wm_hash_slot *home = &table->slot[key >> table->shift];
	return wm_load(&home->key) == key ? home : wm_hash_find(table, id, WM_FIND_KNOWN);
}

/* The counter of a path whose time is in a slot: that of the slot or, in functions that have one, the cell of this thread, which
 * compiled code increments itself when it is not 0.  Cells are as far from each other as heads are.  After a reset, the slot must
 * have a count again, so that a reader finds its time. */
static uint64_t *counter_of(
	const struct wm_func *f, const struct wm_hash_head *head, struct wm_hash_slot *slot, uint64_t id)
{
	uint32_t prefix = wm_prefix_cells(f->flags);
	if (f->cell_count == prefix || id >= f->cell_count - prefix || !wm_load(&slot->count))
		return &slot->count;
	const char *first = (const char *)f + f->cells + ((const char *)head - (char *)wm_hash_head_of(f, 0));
	return (uint64_t *)(uintptr_t)first + prefix + id;
}

/* An untested path may be hot, so a process with one thread counts it without an atomic instruction. */
__attribute__((preserve_most)) void __wm_residual_add(
	const struct wm_func *f, struct wm_hash_head *head, uint64_t id, uint64_t amount)
{
	if (is_not_counted(f, id))
		return;
	head = wm_own_head(f, head);
	struct wm_table *table = wm_newest(head);
	struct wm_hash_slot *slot = table ? known_slot(table, id) : NULL;
	if (!slot || !wm_load(time_of(table, slot)))
		count_first(f, head, id, amount);
	else if (WM_FUNC_UPDATE(f->flags) != WM_UPDATE_ATOMIC || is_alone())
		wm_add_alone(counter_of(f, head, slot, id), amount);
	else
		wm_add(counter_of(f, head, slot, id), amount);
}

void wm_untested_set(const struct wm_untested_hook *hook)
{
	uint64_t saved;
	wm_lock(&saved);
	wm.untested = *hook;
	wm_unlock(&saved);
}

static int take_hook(const struct wm_control *control, void *data)
{
	(void)data;
	if (!control->untested->callback)
		return 0;
	wm.untested = *control->untested;
	return 1;
}

/* wm_untested_inherit and waymark_on_untested both run under the loader's lock of the list of objects, so a hook is
 * never read while it is being written. */
void wm_untested_inherit(void)
{
	for (size_t i = 0; i < wm.object.func_count; i++)
		if (wm.object.func[i].flags & WM_FUNC_RESIDUAL) {
			wm_each_control(take_hook, NULL);
			return;
		}
}

static int give_hook(const struct wm_control *control, void *data)
{
	control->set_untested(data);
	return 0;
}

__attribute__((visibility("default"))) int waymark_on_untested(waymark_untested_callback *callback, void *closure)
{
	struct wm_untested_hook hook = {callback, closure, inside};
	wm_each_control(give_hook, &hook);
	return 0;
}
