/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The activations of a walk, and the interpreter that executes the probes of a scheme in them.  What an instrumented build
 * counts, and what it does not count because an activation was abandoned, is the same.
 *
 * Nothing is counted in an activation that began before the recording did, because it is not known how its path began.
 *
 * A call that may return twice restores the activation to what it was at the call: the state at calls is kept.
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
		void *state;
	} *checkpoint;
	size_t checkpoint_count;
};

/* What is done in the activation on top, which has a state. */
struct wm_interpreter {
	/* Returns the state of a new activation, or NULL. */
	void *(*enter)(void *closure, uint32_t function);
	void (*step)(void *closure, const struct wm_activation *top, uint32_t block);
	void (*call)(void *closure, const struct wm_activation *top, uint32_t call);
	void (*go_on)(void *closure, const struct wm_activation *top); /* the call has returned */
	void (*stick)(void *closure, const struct wm_activation *top); /* in its last call, which does not return */
	/* These two release the state. */
	void (*leave)(void *closure, const struct wm_activation *top);
	void (*abandon)(void *closure, const struct wm_activation *top);
	/* A copy of the state in the call, or NULL if no call of the function may return twice; `forget` releases it. */
	void *(*save)(void *closure, const struct wm_activation *top);
	void (*forget)(void *saved);
	/* A call has returned for the second time.  `saved` is the state in the call; NULL: it is not known. */
	void (*restore)(void *closure, const struct wm_activation *top, const void *saved);
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
/* Takes an event of any source. */
void wm_activations_take(struct wm_activations *activations, const struct wm_walk_event *event);
/* The activation on top is over. */
void wm_activations_leave(struct wm_activations *activations);
void wm_activations_abandon(struct wm_activations *activations);
void wm_activations_release(struct wm_activations *activations);

#endif
