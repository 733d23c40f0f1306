/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Pending paths (core/probes/machine.h): the paths that wait for calls, per thread.  Only programs with such a scheme
 * link this file.
 *
 * The place of a path is how many paths waited when its function was entered.  All places from waiting_count on are
 * empty.  A place is taken before it is filled, so a signal handler that interrupts this uses the places after it.  A path
 * for which there is no memory is abandoned if its call does not return.
 *
 * A thread may end without executing anything of this file, so the memory of a dead thread is given to a later one, as in
 * runtime/thread/thread_cells.c.
 */
#include "runtime/count/waiting_paths.h"

#include "runtime/count/hash.h"
#include "runtime/state/lock.h"
#include "runtime/state/state.h"
#include "runtime/thread/own.h"

#define PLACES ((size_t)1 << 20)
#define PROBES 64

struct place {
	const struct wm_func *function; /* NULL: empty */
	struct wm_hash_head *head;
	uint64_t id;
};

/* The places of one thread.  Pages that were never written take no memory. */
struct wm_places {
	struct wm_places *next;
	int32_t owner; /* as in struct wm_chunk */
	struct place place[PLACES];
};
static struct wm_places *all,
	*cursor; /* under the lock; `cursor` is where the next search begins, NULL: at the first */

__attribute__((preserve_most, visibility("hidden"))) void __wm_residual_add(
	const struct wm_func *f, struct wm_hash_head *head, uint64_t id, uint64_t amount);
__attribute__((preserve_most, visibility("hidden"))) void __wm_waiting_add(
	uint64_t at, const struct wm_func *function, struct wm_hash_head *head, uint64_t id);
__attribute__((preserve_most, visibility("hidden"))) void __wm_waiting_remove(uint64_t at);
__attribute__((preserve_most, visibility("hidden"))) void __wm_waiting_left(uint64_t at);
__attribute__((preserve_most, visibility("hidden"))) void __wm_waiting_end(void);

static void set_count(uint64_t count)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	__wm_own()->shared.waiting_count = count;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

static struct wm_places *places_of_dead_thread(int self)
{
	for (int probes = PROBES; all && probes > 0; probes--) {
		struct wm_places *places = cursor ? cursor : all;
		cursor = places->next;
		if (wm_owner_is_dead(places->owner, self))
			return places;
	}
	return NULL;
}

static struct wm_places *new_places(void)
{
	struct wm_places *places =
		(void *)sys_map(NULL, sizeof *places, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (!places)
		return NULL;
	places->next = all;
	return all = places;
}

/* Gives the memory of the places back, so that all of them are empty. */
static void empty_places(struct wm_places *places)
{
	struct wm_places *next = places->next;
	sys3(SYS_madvise, (long)places, sizeof *places, MADV_DONTNEED);
	places->next = next;
}

/* Empty places for this thread: those of a dead thread, or new ones.  NULL: out of memory. */
static struct wm_places *take_places(void)
{
	int self = wm_owner_to_note();
	struct wm_places *places = self > 0 ? places_of_dead_thread(self) : NULL;
	if (places)
		empty_places(places);
	else
		places = new_places();
	if (places)
		places->owner = self;
	return places;
}

/* What is rarely needed is in functions of its own, so that compiled code saves few registers. */
static __attribute__((preserve_most, noinline, cold)) void get_own_places(void)
{
	uint64_t saved;
	if (!wm_lock_counting(&saved))
		return;
	struct wm_own *own = __wm_own();
	if (!own->places && !own->refused) {
		own->places = take_places();
		own->refused = !own->places;
	}
	wm_unlock(&saved);
}

void wm_waiting_fork(void)
{
	struct wm_places *places = __wm_own()->places;
	if (places)
		places->owner = sys_gettid();
}

/* The place of a path, or NULL. */
static struct place *place_at(uint64_t at)
{
	struct wm_places *places = __wm_own()->places;
	return places && at < PLACES ? &places->place[at] : NULL;
}

static void count_path(struct place waiting)
{
	if (!waiting.function)
		return;
	if (waiting.function->flags & WM_FUNC_RESIDUAL)
		__wm_residual_add(waiting.function, waiting.head, waiting.id, 1);
	else
		__wm_hash_add(waiting.function, waiting.head, waiting.id, 1);
}

/* Counts the paths of activations that are gone. */
static __attribute__((preserve_most, noinline, cold)) void count_from(uint64_t at)
{
	while (__wm_own()->shared.waiting_count > at) {
		struct place *last = place_at(__wm_own()->shared.waiting_count - 1);
		struct place waiting = last ? *last : (struct place){0};
		if (last)
			last->function = NULL;
		set_count(__wm_own()->shared.waiting_count - 1);
		count_path(waiting);
	}
}

__attribute__((preserve_most)) void __wm_waiting_add(
	uint64_t at, const struct wm_func *function, struct wm_hash_head *head, uint64_t id)
{
	if (__builtin_expect(__wm_own()->shared.waiting_count > at, 0))
		count_from(at);
	set_count(at + 1);
	const struct wm_own *own = __wm_own();
	if (__builtin_expect(!own->places && !own->refused, 0))
		get_own_places();
	struct place *place = place_at(at);
	if (__builtin_expect(!place, 0))
		return;
	place->head = head;
	place->id = id;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	place->function = function;
}

__attribute__((preserve_most)) void __wm_waiting_remove(uint64_t at)
{
	struct place *place = place_at(at);
	if (__builtin_expect(place != NULL, 1))
		place->function = NULL;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (__builtin_expect(__wm_own()->shared.waiting_count > at + 1, 0))
		count_from(at + 1);
	set_count(at);
}

__attribute__((preserve_most)) void __wm_waiting_left(uint64_t at)
{
	count_from(at);
}

/* In a child of vfork, the activations are those of the parent, which continue. */
__attribute__((preserve_most)) void __wm_waiting_end(void)
{
	if (sys_getpid() == wm.pid)
		count_from(0);
}

/* Before the destructor of runtime/process/instrumented_object.c, after which nothing is counted. */
__attribute__((destructor(102))) static void stop(void)
{
	__wm_waiting_end();
}
