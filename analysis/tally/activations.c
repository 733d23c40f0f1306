/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/tally/activations.h"
#include "support/fail.h"
#include "support/xalloc.h"
#include <stdlib.h>

static struct wm_activation *top(const struct wm_activations *a)
{
	return &a->activation[a->depth - 1];
}

static void push_activation(struct wm_activations *a, uint32_t function, struct wm_runner runner)
{
	WM_XGROW(a->activation, a->depth);
	a->activation[a->depth++] = (struct wm_activation){.function = function, .runner = runner, .fresh = true};
}

static void call_hook(const struct wm_activations *a, void (*hook)(void *closure, const struct wm_activation *top))
{
	if (hook)
		hook(a->closure, top(a));
}

static void enter_function(struct wm_activations *a, uint32_t function)
{
	struct wm_runner runner = a->hooks->find(a->closure, function);
	push_activation(a, function, runner);
	if (!runner.machine)
		return;
	if (wm_machine_enter(runner.machine, runner.function, false) != WM_OK)
		wm_no_memory();
	call_hook(a, a->hooks->entered);
}

/* The machine runs no more of the activation on top. */
static void abandon(struct wm_activations *a)
{
	if (!top(a)->runner.machine)
		return;
	call_hook(a, a->hooks->abandoned);
	wm_machine_unwind(top(a)->runner.machine);
	top(a)->runner.machine = NULL;
}

static void pop_activation(struct wm_activations *a)
{
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

static void keep_state(struct wm_activation *activation, uint32_t call)
{
	const struct wm_machine *machine = activation->runner.machine;
	struct wm_checkpoint *checkpoint = find_checkpoint(activation, call);
	if (!activation->runner.twice)
		return;
	if (!checkpoint) {
		WM_XGROW(activation->checkpoint, activation->checkpoint_count);
		checkpoint = &activation->checkpoint[activation->checkpoint_count++];
		*checkpoint = (struct wm_checkpoint){.call = call, .saved = wm_xmalloc(wm_machine_saved_size(machine))};
	}
	wm_machine_save(machine, checkpoint->saved);
}

static void return_again(struct wm_activations *a, uint32_t call)
{
	const struct wm_checkpoint *checkpoint = find_checkpoint(top(a), call);
	call_hook(a, a->hooks->resumed);
	if (checkpoint) {
		wm_machine_return_again(top(a)->runner.machine, checkpoint->saved);
		return;
	}
	abandon(a);
	a->unknown++;
}

/* ---- Events ------------------------------------------------------------------------------- */

/* A call matters only where paths cross calls or end at them. */
static enum wm_status run_call(const struct wm_runner *runner, uint32_t call)
{
	if (runner->parts)
		return wm_machine_step(runner->machine, runner->parts->site_part[call]);
	uint32_t next = wm_machine_next_call(runner->machine);
	if (next != WM_NONE && next != call)
		wm_bug("the walk makes call %u out of order", call);
	wm_machine_call(runner->machine, false);
	return WM_OK;
}

static enum wm_status run_event(const struct wm_runner *runner, const struct wm_walk_event *event)
{
	switch (event->kind) {
	case WM_WALK_BLOCK:
		return wm_machine_step(runner->machine, event->block);
	case WM_WALK_CALL:
		return run_call(runner, event->call);
	case WM_WALK_BEHIND:
		wm_machine_go_on(runner->machine);
		return WM_OK;
	case WM_WALK_STUCK:
		return wm_machine_stick(runner->machine);
	case WM_WALK_LEAVE:
		return wm_machine_leave(runner->machine);
	case WM_WALK_BEGIN:
	case WM_WALK_OWN:
	case WM_WALK_END:
	case WM_WALK_ENTER:
	case WM_WALK_CAUGHT:
	case WM_WALK_AGAIN:
	case WM_WALK_ABANDON:
	case WM_WALK_ADOPT:
	case WM_WALK_SUBPATH:
	case WM_WALK_SPECIAL:
		break;
	}
	return WM_OK;
}

/* The interpreter has entered the first block. */
static void run_unless_fresh(struct wm_activations *a, const struct wm_walk_event *event)
{
	if (!top(a)->fresh && run_event(&top(a)->runner, event) != WM_OK)
		wm_bug("the walk takes an edge to block %u that does not exist", event->block);
	top(a)->fresh = false;
	if (event->kind == WM_WALK_CALL)
		keep_state(top(a), event->call);
}

void wm_activations_take(struct wm_activations *a, const struct wm_walk_event *event)
{
	bool counts = a->depth && top(a)->runner.machine;
	switch (event->kind) {
	case WM_WALK_BEGIN:
	case WM_WALK_OWN:
		a->own = event->kind == WM_WALK_OWN;
		break;
	case WM_WALK_ENTER:
		enter_function(a, event->function);
		break;
	case WM_WALK_ADOPT:
		push_activation(a, event->function, (struct wm_runner){0});
		a->unknown++;
		break;
	case WM_WALK_BLOCK:
	case WM_WALK_CALL:
	case WM_WALK_BEHIND:
	case WM_WALK_STUCK:
	case WM_WALK_LEAVE:
		if (counts)
			run_unless_fresh(a, event);
		if (event->kind == WM_WALK_LEAVE)
			pop_activation(a);
		break;
	case WM_WALK_AGAIN:
		if (counts)
			return_again(a, event->call);
		break;
	case WM_WALK_ABANDON:
		abandon(a);
		pop_activation(a);
		break;
	case WM_WALK_END:
		while (a->depth) {
			abandon(a);
			pop_activation(a);
		}
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
