/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/primes/recorded_primes.h"
#include "analysis/replay/recording_walk.h"
#include "support/xalloc.h"
#include <stdlib.h>
#include <string.h>

struct activation {
	struct wm_prime_function *primes; /* NULL: of a function that is not analysed */
	struct wm_prime_walk walk;
};

struct taker {
	const struct wm_wpp_view *view;
	struct wm_prime_function *function; /* per function of the story */
	struct activation *stack;
	size_t depth;
	bool own; /* events of this process, not of the one that forked it */
};

static void push(struct taker *t, uint32_t function)
{
	const struct wm_story_function *told =
		function < t->view->wpp.table.function_count ? t->view->told[function] : NULL;
	struct wm_prime_function *primes = told ? &t->function[told - t->view->story.function] : NULL;
	WM_XGROW(t->stack, t->depth);
	t->stack[t->depth++] = (struct activation){.primes = primes && !primes->reason ? primes : NULL};
	if (primes && t->own)
		primes->ran = true;
}

/* What the activation did before is not known. */
static void open_all(struct activation *top)
{
	struct wm_prime_function *primes = top->primes;
	top->walk.begun = false;
	if (primes)
		memset(primes->counter.open, true, primes->primes.count);
}

static void enter_block(struct taker *t, uint32_t block)
{
	struct activation *top = &t->stack[t->depth - 1];
	if (top->primes && wm_prime_step(&top->primes->counter, &top->walk, block, t->own) != WM_OK)
		memset(top->primes->counter.open, true, top->primes->primes.count);
}

static void take(void *closure, const struct wm_walk_event *event)
{
	struct taker *t = closure;
	switch (event->kind) {
	case WM_WALK_BEGIN:
	case WM_WALK_OWN:
		t->own = event->kind == WM_WALK_OWN;
		break;
	case WM_WALK_END:
		t->depth = 0;
		break;
	case WM_WALK_ENTER:
	case WM_WALK_ADOPT:
		push(t, event->function);
		if (event->kind == WM_WALK_ADOPT)
			open_all(&t->stack[t->depth - 1]);
		break;
	case WM_WALK_BLOCK:
		if (t->depth)
			enter_block(t, event->block);
		break;
	case WM_WALK_AGAIN:
		if (t->depth)
			open_all(&t->stack[t->depth - 1]);
		break;
	case WM_WALK_LEAVE:
	case WM_WALK_ABANDON:
		t->depth -= t->depth > 0;
		break;
	case WM_WALK_CALL:
	case WM_WALK_BEHIND:
	case WM_WALK_CAUGHT:
	case WM_WALK_STUCK:
	case WM_WALK_SUBPATH:
	case WM_WALK_SPECIAL:
		break;
	}
}

struct wm_prime_function *wm_primes_recorded(const struct wm_wpp_view *view)
{
	struct taker t = {.view = view, .function = wm_xmalloc((view->story.function_count + 1) * sizeof *t.function)};
	for (size_t i = 0; i < view->story.function_count; i++)
		wm_primes_begin(&t.function[i], &view->story.function[i]);
	wm_wpp_walk(view, &(struct wm_sink){&t, take});
	for (size_t i = 0; i < view->story.function_count; i++)
		wm_primes_finish(&t.function[i]);
	free(t.stack);
	return t.function;
}

void wm_primes_recorded_release(struct wm_prime_function *recorded, const struct wm_wpp_view *view)
{
	for (size_t i = 0; i < view->story.function_count; i++)
		wm_primes_release(&recorded[i]);
	free(recorded);
}
