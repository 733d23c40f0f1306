/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The activations of a walk, in which an interpreter executes the probes of a scheme.  What an instrumented build counts, and
 * what it does not count because an activation was abandoned, is the same.
 *
 * Nothing is counted in an activation that began before the recording did, because it is not known how its path began.
 * A call that returns twice restores its activation to what it was in the call, so the state at calls is kept.
 */
#ifndef WM_ANALYSIS_RECORDING_ACTIVATIONS_H
#define WM_ANALYSIS_RECORDING_ACTIVATIONS_H

#include "core/walk/event.h"
#include <stddef.h>

struct wm_activation {
	uint32_t function;
	void *state; /* of the interpreter; NULL: nothing is counted in this activation */
	bool fresh; /* its first block has not come */
	bool tail; /* paths across calls: it has made a tail call, which has not returned */
	/* The state at calls that may return twice. */
	struct wm_checkpoint {
		uint32_t call;
		void *saved;
	} *checkpoint;
	size_t checkpoint_count;
};

struct wm_interpreter {
	/* Returns the state of a new activation, which is in its first block, or NULL. */
	void *(*enter)(void *closure, uint32_t function);
	/* BLOCK, CALL, BEHIND, STUCK or LEAVE in the activation on top. */
	void (*run)(void *state, const struct wm_walk_event *event);
	/* The activation on top is over: it was abandoned, or it has run LEAVE. */
	void (*drop)(void *state, bool abandoned);
	/* A copy of the state in a call, from malloc, or NULL if no call of the function may return twice. */
	void *(*save)(void *closure, const struct wm_activation *top);
	/* A call has returned for the second time.  `saved` is the state in the call; NULL: it is not known. */
	void (*restore)(void *state, const void *saved);
};

/* Start from zeroes, interpreter and closure. */
struct wm_activations {
	const struct wm_interpreter *interpreter;
	void *closure;
	struct wm_activation *activation; /* outermost first; heap */
	size_t depth;
	bool own; /* the events are of this process, not of the one that forked it */
	uint64_t unknown; /* activations whose beginning, or whose state at setjmp, is not recorded */
};
void wm_activations_take(struct wm_activations *activations, const struct wm_walk_event *event);
void wm_activations_release(struct wm_activations *activations);

#endif
