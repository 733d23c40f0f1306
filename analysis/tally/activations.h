/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The activations of a walk, in which the interpreter executes the probes of a scheme.  What an instrumented build counts, and
 * what it does not count because an activation was abandoned, is the same.
 *
 * Nothing is counted in an activation that began before the recording did, because it is not known how its path began.
 * A call that returns twice restores its activation to what it was in the call, so the state at calls is kept.
 */
#ifndef WM_ANALYSIS_TALLY_ACTIVATIONS_H
#define WM_ANALYSIS_TALLY_ACTIVATIONS_H

#include "core/graph/parts.h"
#include "core/probes/machine.h"
#include "core/walk/event.h"

/* What runs the activations of a function. */
struct wm_runner {
	struct wm_machine *machine; /* NULL: nothing is counted in them */
	uint32_t function; /* in machine->probed */
	const struct wm_parts *parts; /* if paths end at calls; else NULL */
	bool twice; /* calls of the function may return twice */
};

struct wm_activation {
	uint32_t function; /* of the walk */
	struct wm_runner runner; /* without a machine if the beginning or the state at setjmp is not known */
	bool fresh; /* its first block has not come */
	bool tail; /* paths across calls: it has made a tail call, which has not returned */
	/* The state at calls that may return twice. */
	struct wm_checkpoint {
		uint32_t call;
		struct wm_saved_frame *saved;
	} *checkpoint;
	size_t checkpoint_count;
};

/* All but `find` may be NULL. */
struct wm_activation_hooks {
	/* Of a function that is entered. */
	struct wm_runner (*find)(void *closure, uint32_t function);
	/* The activation on top is in its first block. */
	void (*entered)(void *closure, const struct wm_activation *top);
	/* The activation on top is abandoned; its frame is removed afterwards. */
	void (*abandoned)(void *closure, const struct wm_activation *top);
	/* A call of the activation on top has returned for the second time. */
	void (*resumed)(void *closure, const struct wm_activation *top);
};

/* Start from zeroes, hooks and closure. */
struct wm_activations {
	const struct wm_activation_hooks *hooks;
	void *closure;
	struct wm_activation *activation; /* outermost first; heap */
	size_t depth;
	bool own; /* the events are of this process, not of the one that forked it */
	uint64_t unknown; /* activations whose beginning, or whose state at setjmp, is not recorded */
};
void wm_activations_take(struct wm_activations *activations, const struct wm_walk_event *event);
void wm_activations_release(struct wm_activations *activations);

#endif
