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

static void pop(struct wm_activations *a)
{
	for (size_t i = 0; i < top(a)->checkpoint_count; i++)
		a->interpreter->forget(top(a)->checkpoint[i].state);
	free(top(a)->checkpoint);
	a->depth--;
}

void wm_activations_leave(struct wm_activations *a)
{
	if (top(a)->state)
		a->interpreter->leave(a->closure, top(a));
	pop(a);
}

void wm_activations_abandon(struct wm_activations *a)
{
	if (top(a)->state)
		a->interpreter->abandon(a->closure, top(a));
	pop(a);
}

void wm_activations_release(struct wm_activations *a)
{
	free(a->activation);
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
	struct wm_checkpoint *checkpoint = saved ? find_checkpoint(activation, call) : NULL;
	if (!saved)
		return;
	if (checkpoint) {
		a->interpreter->forget(checkpoint->state);
	} else {
		WM_XGROW(activation->checkpoint, activation->checkpoint_count);
		checkpoint = &activation->checkpoint[activation->checkpoint_count++];
	}
	*checkpoint = (struct wm_checkpoint){call, saved};
}

static void return_again(struct wm_activations *a, uint32_t call)
{
	const struct wm_checkpoint *checkpoint = find_checkpoint(top(a), call);
	a->interpreter->restore(a->closure, top(a), checkpoint ? checkpoint->state : NULL);
	if (checkpoint)
		return;
	a->unknown++;
	a->interpreter->abandon(a->closure, top(a));
	top(a)->state = NULL;
}

/* ---- Events ------------------------------------------------------------------------------- */

static void enter_block(struct wm_activations *a, uint32_t block)
{
	if (!top(a)->fresh)
		a->interpreter->step(a->closure, top(a), block);
	top(a)->fresh = false;
}

static void make_call(struct wm_activations *a, uint32_t call)
{
	a->interpreter->call(a->closure, top(a), call);
	keep_state(a, call);
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
		if (counts)
			enter_block(a, event->block);
		break;
	case WM_WALK_CALL:
		if (counts)
			make_call(a, event->call);
		break;
	case WM_WALK_BEHIND:
		if (counts)
			a->interpreter->go_on(a->closure, top(a));
		break;
	case WM_WALK_AGAIN:
		if (counts)
			return_again(a, event->call);
		break;
	case WM_WALK_STUCK:
		if (counts)
			a->interpreter->stick(a->closure, top(a));
		break;
	case WM_WALK_LEAVE:
		wm_activations_leave(a);
		break;
	case WM_WALK_ABANDON:
		wm_activations_abandon(a);
		break;
	case WM_WALK_END:
		while (a->depth)
			wm_activations_abandon(a);
		break;
	case WM_WALK_CAUGHT:
	case WM_WALK_SUBPATH:
	case WM_WALK_SPECIAL:
		break;
	}
}
