/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/recording/activations.h"
#include "support/tool.h"
#include <stdlib.h>

static struct wm_activation *top(const struct wm_activations *a)
{
	return &a->activation[a->depth - 1];
}

static void push(struct wm_activations *a, uint32_t function, void *state)
{
	WM_XGROW(a->activation, a->depth);
	a->activation[a->depth++] = (struct wm_activation){.function = function, .state = state, .fresh = true};
}

static void pop(struct wm_activations *a, bool abandoned)
{
	if (top(a)->state)
		a->interpreter->drop(top(a)->state, abandoned);
	for (size_t i = 0; i < top(a)->checkpoint_count; i++)
		free(top(a)->checkpoint[i].saved);
	free(top(a)->checkpoint);
	a->depth--;
}

/* ---- setjmp ------------------------------------------------------------------------------- */

static struct wm_checkpoint *find_checkpoint(const struct wm_activation *activation, uint32_t call)
{
	for (size_t i = 0; i < activation->checkpoint_count; i++)
		if (activation->checkpoint[i].call == call)
			return &activation->checkpoint[i];
	return NULL;
}

static void keep_state(struct wm_activations *a, uint32_t call)
{
	struct wm_activation *activation = top(a);
	void *saved = a->interpreter->save(a->closure, activation);
	struct wm_checkpoint *checkpoint = find_checkpoint(activation, call);
	if (saved && !checkpoint) {
		WM_XGROW(activation->checkpoint, activation->checkpoint_count);
		checkpoint = &activation->checkpoint[activation->checkpoint_count++];
		*checkpoint = (struct wm_checkpoint){.call = call};
	}
	if (checkpoint) {
		free(checkpoint->saved);
		checkpoint->saved = saved;
	}
}

static void return_again(struct wm_activations *a, uint32_t call)
{
	const struct wm_checkpoint *checkpoint = find_checkpoint(top(a), call);
	a->interpreter->restore(top(a)->state, checkpoint ? checkpoint->saved : NULL);
	if (checkpoint)
		return;
	a->interpreter->drop(top(a)->state, true);
	top(a)->state = NULL;
	a->unknown++;
}

/* ---- Events ------------------------------------------------------------------------------- */

/* The interpreter has entered the first block. */
static void run(struct wm_activations *a, const struct wm_walk_event *event)
{
	if (!top(a)->fresh)
		a->interpreter->run(top(a)->state, event);
	top(a)->fresh = false;
	if (event->kind == WM_WALK_CALL)
		keep_state(a, event->call);
}

void wm_activations_take(struct wm_activations *a, const struct wm_walk_event *event)
{
	bool counts = a->depth && top(a)->state;
	switch (event->kind) {
	case WM_WALK_BEGIN:
	case WM_WALK_OWN:
		a->own = event->kind == WM_WALK_OWN;
		break;
	case WM_WALK_ENTER:
		push(a, event->function, a->interpreter->enter(a->closure, event->function));
		break;
	case WM_WALK_ADOPT:
		push(a, event->function, NULL);
		a->unknown++;
		break;
	case WM_WALK_BLOCK:
	case WM_WALK_CALL:
	case WM_WALK_BEHIND:
	case WM_WALK_STUCK:
	case WM_WALK_LEAVE:
		if (counts)
			run(a, event);
		if (event->kind == WM_WALK_LEAVE)
			pop(a, false);
		break;
	case WM_WALK_AGAIN:
		if (counts)
			return_again(a, event->call);
		break;
	case WM_WALK_ABANDON:
		pop(a, true);
		break;
	case WM_WALK_END:
		while (a->depth)
			pop(a, true);
		break;
	case WM_WALK_CAUGHT:
	case WM_WALK_SUBPATH:
	case WM_WALK_SPECIAL:
		break;
	}
}

void wm_activations_release(struct wm_activations *a)
{
	free(a->activation);
}
