/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/scheme/segments.h"
#include "abi/stream.h"
#include "core/base/grow.h"
#include <stdlib.h>
#include <string.h>

static void note(void *closure, const struct wm_walk_event *event)
{
	struct wm_segment_state *state = closure;
	switch (event->kind) {
	case WM_WALK_ENTER:
		state->called = event->depth > 0;
		break;
	case WM_WALK_BEHIND:
		state->behind = true;
		break;
	case WM_WALK_CAUGHT:
		state->behind = true;
		state->broken |= !state->pending;
		break;
	case WM_WALK_AGAIN:
	case WM_WALK_ABANDON:
	case WM_WALK_ADOPT:
		state->broken = true;
		break;
	case WM_WALK_CALL:
		state->calls = true;
		break;
	case WM_WALK_STUCK:
		state->calls = event->call != WM_NONE;
		break;
	case WM_WALK_LEAVE:
		state->returns = event->end == WM_END_RETURN;
		break;
	case WM_WALK_BLOCK:
	case WM_WALK_SPECIAL:
		break;
	}
}

static void give_segment(void *closure, size_t number, size_t first, size_t end)
{
	struct wm_segments *s = closure;
	(void)number;
	if (s->status == WM_OK)
		s->status = s->found(s->closure, &s->item[first], (uint32_t)(end - first));
}

enum wm_status wm_segments_init(
	struct wm_segments *segments, const struct wm_walk_function *function, uint32_t count, struct wm_arena *arena)
{
	segments->item = NULL;
	segments->item_count = segments->item_capacity = segments->path = 0;
	segments->finder = (struct wm_segment_finder){
		.most_calls = segments->most_calls, .closure = segments, .found = give_segment};
	segments->status = WM_OK;
	segments->state = (struct wm_segment_state){0};
	segments->walk = (struct wm_walk){.take = note, .closure = &segments->state};
	return wm_walk_init(&segments->walk, function, count, arena);
}

void wm_segments_release(struct wm_segments *segments)
{
	wm_walk_release(&segments->walk);
	free(segments->item);
	segments->item = NULL;
}

static enum wm_status append(struct wm_segments *s, uint64_t item)
{
	if (!WM_RESERVE(s->item, s->item_capacity, s->item_count, 1))
		return WM_NO_MEMORY;
	s->item[s->item_count++] = item;
	return WM_OK;
}

/* Items before the last path are needed by open segments only. */
static void forget_items(struct wm_segments *s)
{
	size_t first = s->finder.open_count ? s->finder.open[0].first : s->path;
	if (first < 4096)
		return;
	memmove(s->item, s->item + first, (s->item_count - first) * sizeof *s->item);
	s->item_count -= first;
	s->path -= first;
	for (uint32_t i = 0; i < s->finder.open_count; i++)
		s->finder.open[i].first -= first;
}

static enum wm_status begin_subpath(struct wm_segments *s)
{
	const struct wm_segment_state *state = &s->state;
	bool joins = state->behind && state->pending; /* nothing was recorded in the call */
	enum wm_status status = WM_OK;
	if (state->called && (state->pending || s->finder.open_count)) {
		wm_segment_call(&s->finder, state->pending, s->path, s->item_count);
		status = append(s, WM_SEGMENT_CALL);
	}
	if (!joins)
		s->path = s->item_count;
	return status;
}

static enum wm_status end_subpath(struct wm_segments *s)
{
	s->state.pending = s->state.calls;
	if (s->state.calls)
		return WM_OK;
	if (!s->state.returns) {
		wm_segment_break(&s->finder, s->item_count);
		return WM_OK;
	}
	wm_segment_return(&s->finder, s->item_count);
	return append(s, WM_SEGMENT_RETURN);
}

enum wm_status wm_segments_take(struct wm_segments *s, uint64_t entry)
{
	s->state = (struct wm_segment_state){.pending = s->state.pending};
	enum wm_status status = wm_walk_take(&s->walk, entry);
	if (status == WM_OK && s->state.broken) {
		s->state.pending = false;
		wm_segment_break(&s->finder, s->item_count);
	}
	if (status != WM_OK || wm_stream_is_special(entry) || !entry)
		return status == WM_OK ? s->status : status;
	status = begin_subpath(s);
	if (status == WM_OK)
		status = append(s, entry);
	if (status == WM_OK)
		status = end_subpath(s);
	forget_items(s);
	return status == WM_OK ? s->status : status;
}

enum wm_status wm_segments_finish(struct wm_segments *s)
{
	wm_segment_break(&s->finder, s->item_count);
	return s->status;
}
