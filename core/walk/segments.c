/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/walk/segments.h"
#include "core/base/grow.h"
#include <stdlib.h>
#include <string.h>

void wm_segments_release(struct wm_segments *segments)
{
	free(segments->item);
	segments->item = NULL;
}

static void append_item(struct wm_segments *s, uint64_t item)
{
	if (s->status != WM_OK || !WM_RESERVE(s->item, s->item_capacity, s->item_count, 1)) {
		s->status = WM_NO_MEMORY;
		return;
	}
	s->item[s->item_count++] = item;
}

static void give_segment(void *closure, size_t number, size_t first, size_t end)
{
	struct wm_segments *s = closure;
	(void)number;
	if (s->own && s->status == WM_OK)
		s->found(s->closure, &s->item[first], (uint32_t)(end - first));
}

static void close_all(struct wm_segments *s)
{
	wm_segment_break(&s->finder, s->item_count);
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

static void begin_subpath(struct wm_segments *s)
{
	const struct wm_segment_state *state = &s->state;
	bool joins = state->behind && state->empty_call; /* nothing was recorded in the call */
	if (state->called && (state->empty_call || s->finder.open_count)) {
		wm_segment_call(&s->finder, state->empty_call, s->path, s->item_count);
		append_item(s, WM_SEGMENT_CALL);
	}
	if (!joins)
		s->path = s->item_count;
}

static void end_subpath(struct wm_segments *s)
{
	if (s->state.returns) {
		wm_segment_return(&s->finder, s->item_count);
		append_item(s, WM_SEGMENT_RETURN);
	} else if (!s->state.calls) {
		close_all(s);
	}
	s->state = (struct wm_segment_state){.empty_call = s->state.calls};
}

/* An activation is left other than by a return, or goes on although it was not on top. */
static void break_off(struct wm_segments *s)
{
	s->state.empty_call = false;
	close_all(s);
}

static void begin_walk(struct wm_segments *s)
{
	s->own = false;
	s->state = (struct wm_segment_state){0};
	s->item_count = s->path = 0;
	s->finder = (struct wm_segment_finder){.most_calls = s->most_calls, .closure = s, .found = give_segment};
}

static void take_event(void *closure, const struct wm_walk_event *event)
{
	struct wm_segments *s = closure;
	switch (event->kind) {
	case WM_WALK_BEGIN:
		begin_walk(s);
		break;
	case WM_WALK_OWN:
		s->own = true;
		break;
	case WM_WALK_ENTER:
		s->state.called = event->depth > 0;
		break;
	case WM_WALK_BEHIND:
		s->state.behind = true;
		break;
	case WM_WALK_CAUGHT:
		s->state.behind = true;
		if (!s->state.empty_call)
			break_off(s);
		break;
	case WM_WALK_AGAIN:
	case WM_WALK_ABANDON:
	case WM_WALK_ADOPT:
		break_off(s);
		break;
	case WM_WALK_CALL:
		s->state.calls = true;
		break;
	case WM_WALK_STUCK:
		s->state.calls = event->call != WM_NONE;
		break;
	case WM_WALK_LEAVE:
		s->state.returns = event->end == WM_END_RETURN;
		break;
	case WM_WALK_SUBPATH:
		begin_subpath(s);
		append_item(s, event->entry);
		end_subpath(s);
		forget_items(s);
		break;
	case WM_WALK_END:
		close_all(s);
		break;
	case WM_WALK_BLOCK:
	case WM_WALK_SPECIAL:
		break;
	}
}

struct wm_sink wm_segments_sink(struct wm_segments *segments)
{
	return (struct wm_sink){segments, take_event};
}
