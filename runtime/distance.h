/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The distances of threads (WM_UPDATE_GS).
 *
 * A thread counts at a fixed distance from the cells of every instrumented object of the process.  The distance is the base of
 * its segment register GS, so `incq %gs:cell(%rip)` increments the thread's copy of the cell.  The main thread has distance 0,
 * that is, it counts in the cells themselves.  Heads of hash tables have their copies at the same distance.
 *
 * All copies of the runtime in a process share one list of distances and one list of objects, in memory that is never
 * unmapped.  The distance of a dead thread is given to a later thread, with the copies that are mapped there.
 *
 * An object is attached to a thread by the thread itself: when the thread begins, if the program announces it (spawn.c), or
 * when the thread enters a function that checks (code that may be part of a shared object).  So an object that is opened
 * later costs the threads nothing that do not use it.  If the copy of such an object cannot be mapped at the distance of the
 * thread, the thread moves to another distance: no frame holds the address of a copy.
 */
#ifndef WM_RUNTIME_DISTANCE_H
#define WM_RUNTIME_DISTANCE_H

#include <stdbool.h>
#include <stdint.h>

/* What an object does for the thread that calls it.  Called with the lock of the distances held. */
struct wm_attachable {
	struct wm_attachable *next;
	bool (*reserve)(
		int64_t distance); /* takes the addresses of the copy, if it does not exist; false: not available */
	void (*release)(int64_t distance); /* gives back what was reserved and not attached */
	void (*attach)(int64_t distance); /* makes the copy, or takes that of a dead thread */
	void (*fail)(void); /* the thread has no cells of its own */
};

struct wm_distances;

/* In the constructor: takes the list of another copy of the runtime (NULL: none), or makes one.  NULL: out of memory. */
struct wm_distances *wm_distances_start(struct wm_distances *other, struct wm_attachable *object);
/* An object that may be unloaded. */
void wm_distances_remove(struct wm_distances *all, struct wm_attachable *object);

/* Attaches an object to this thread, or all objects if the thread has no distance yet.  Signals are blocked. */
void wm_distances_attach(struct wm_distances *all, const struct wm_attachable *object);

/* Around a fork; each copy of the runtime calls them.  In the child, only the distance of this thread remains. */
void wm_distances_fork(struct wm_distances *all);
void wm_distances_forked(struct wm_distances *all, bool in_child);

/* The base of GS. */
int64_t wm_gs(void);

#endif
