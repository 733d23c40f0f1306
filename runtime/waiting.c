/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Pending paths (core/probes/unit_machine.h): the paths that wait for calls, per thread.  Only programs with such a scheme
 * link this file.
 *
 * The place of a path is how many paths waited when its function was entered.  All places from __wm_waiting_count on are
 * empty.  A place is taken before it is filled, so a signal handler that interrupts this uses the places after it.  Paths
 * for which there is no memory are not noted, and so not counted if their call does not return.
 */
#include "runtime/internal.h"

#define PLACES ((size_t)1 << 20)

struct place {
	const struct wm_func *function; /* NULL: empty */
	struct wm_hash_head *head;
	uint64_t id;
};

extern __thread uint64_t __wm_waiting_count __attribute__((tls_model("initial-exec"), visibility("hidden")));
__thread uint64_t __wm_waiting_count;
static __thread struct place *place __attribute__((tls_model("initial-exec")));
static __thread uint64_t places __attribute__((tls_model("initial-exec"))); /* how many `place` has: 0 or PLACES */

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
	__wm_waiting_count = count;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* What is rarely needed is in functions of its own, so that compiled code saves few registers.  Memory is used only as far
 * as paths wait: pages that were never written take none. */
static __attribute__((preserve_most, noinline, cold)) void map_places(void)
{
	if (!places)
		place = (void *)sys_map(
			NULL, PLACES * sizeof *place, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	places = place ? PLACES : 0;
}

static void count(struct place waiting)
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
	while (__wm_waiting_count > at) {
		struct place *last = __wm_waiting_count <= places ? &place[__wm_waiting_count - 1] : NULL;
		struct place waiting = last ? *last : (struct place){0};
		if (last)
			last->function = NULL;
		set_count(__wm_waiting_count - 1);
		count(waiting);
	}
}

__attribute__((preserve_most)) void __wm_waiting_add(
	uint64_t at, const struct wm_func *function, struct wm_hash_head *head, uint64_t id)
{
	if (__builtin_expect(__wm_waiting_count > at, 0))
		count_from(at);
	set_count(at + 1);
	if (__builtin_expect(at >= places, 0)) {
		map_places();
		if (at >= places)
			return;
	}
	place[at].head = head;
	place[at].id = id;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	place[at].function = function;
}

__attribute__((preserve_most)) void __wm_waiting_remove(uint64_t at)
{
	if (at < places)
		place[at].function = NULL;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (__builtin_expect(__wm_waiting_count > at + 1, 0))
		count_from(at);
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

/* Before the destructor of runtime/object.c, after which nothing is counted. */
__attribute__((destructor(102))) static void stop(void)
{
	__wm_waiting_end();
}
