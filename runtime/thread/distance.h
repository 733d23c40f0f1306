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
 * An object whose functions check their thread on entry (code that may be part of a shared object) is attached to a thread
 * when the thread first enters such a function, so that an object costs the threads nothing that do not use it.  Other objects,
 * executables in particular, are attached when the thread begins, which the program announces (spawn.c).  If the copy of an
 * object cannot be mapped at the distance of the thread, the thread moves to another distance: no frame holds the address of a
 * copy.
 *
 * The check does not need thread-local storage, of which a program that is running has little for the objects that it
 * opens.  Each object has a *mark*: a word that has its copies at the same distances as the cells, and is the thread pointer of
 * the thread that the object is attached to there.  A thread that inherited the base of GS from its creator therefore finds the
 * mark of another thread.  The marks of all objects are one block of the process, so that a thread can always read its copy of
 * the mark, also that of an object to which it is not attached.
 */
#ifndef WM_RUNTIME_THREAD_DISTANCE_H
#define WM_RUNTIME_THREAD_DISTANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What an object does for the thread that calls it.  Called with the lock of the distances held. */
struct wm_attachable {
	struct wm_attachable *next;
	/* takes the addresses of the copy, if it does not exist; false: not available */
	bool (*reserve)(int64_t distance);
	void (*release)(int64_t distance); /* gives back what was reserved and not attached */
	bool (*attach)(int64_t distance); /* makes the copy, or takes that of a dead thread; whether it was made */
	void (*fail)(void); /* the thread has no cells of its own */
	uintptr_t *mark; /* its copy for the main thread */
	bool always; /* it has functions that do not check */
	char *low; /* the memory that has copies */
	size_t size;
	size_t copies; /* how many are mapped */
};

struct wm_distances;

/* In the constructor: takes the list of another copy of the runtime (NULL: none), or makes one; sets object->mark.  NULL: out
 * of memory. */
struct wm_distances *wm_distances_start(struct wm_distances *other, struct wm_attachable *object);
/* An object that may be unloaded, after its destructor.  `keep_copies` calls wm_distances_keep for each copy that stays mapped,
 * because another thread may still count there. */
void wm_distances_remove(
	struct wm_distances *all, struct wm_attachable *object, void (*keep_copies)(struct wm_distances *all));
void wm_distances_keep(struct wm_distances *all, const struct wm_attachable *object, int64_t distance);

/* The distance of this thread; 0 if the object is not attached to it. */
int64_t wm_distance_of(const struct wm_attachable *object);
/* The main thread counts in the cells themselves. */
void wm_distances_attach_main(struct wm_attachable *object);
/* Attaches an object to this thread, and those that are always attached if the thread has no distance yet.  Signals are
 * blocked. */
void wm_distances_attach(struct wm_distances *all, struct wm_attachable *object);

/* Around a fork; each copy of the runtime calls them.  In the child, only the distance of this thread remains. */
void wm_distances_fork(struct wm_distances *all);
void wm_distances_forked(struct wm_distances *all, bool in_child);

/* Maps private pages there, if nothing is mapped there and the stack of the main thread does not grow there. */
bool wm_map_exactly(char *low, size_t size);

/* The base of GS. */
int64_t wm_gs(void);

#endif
