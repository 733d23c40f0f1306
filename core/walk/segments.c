/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * All open segments end where the walk is now, so that their items are suffixes of one list.  At most K are open: each
 * call begins one, and is counted by all.
 */
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

/* Ends `count` segments. */
static void close_segments(struct wm_segments *s, uint32_t from, uint32_t count)
{
	for (uint32_t i = from; i < from + count && s->own && s->status == WM_OK; i++) {
		size_t first = s->open[i].first;
		s->found(s->closure, &s->item[first], (uint32_t)(s->item_count - first));
	}
	s->open_count -= count;
	memmove(s->open + from, s->open + from + count, (s->open_count - from) * sizeof *s->open);
}

static void close_all(struct wm_segments *s)
{
	close_segments(s, 0, s->open_count);
}

/* Items before the last path are needed by open segments only. */
static void forget_items(struct wm_segments *s)
{
	size_t first = s->open_count ? s->open[0].first : s->path;
	if (first < 4096)
		return;
	memmove(s->item, s->item + first, (s->item_count - first) * sizeof *s->item);
	s->item_count -= first;
	s->path -= first;
	for (uint32_t i = 0; i < s->open_count; i++)
		s->open[i].first -= first;
}

/* An older segment has as many calls as a younger one or more, and is as deep or deeper. */
static void enter_call(struct wm_segments *s, bool begins)
{
	uint32_t full = 0;
	while (full < s->open_count && s->open[full].calls == s->most_calls)
		full++;
	close_segments(s, 0, full);
	for (uint32_t i = 0; i < s->open_count; i++) {
		s->open[i].calls++;
		s->open[i].depth++;
	}
	if (begins)
		s->open[s->open_count++] = (struct wm_segment){s->path, 1, 1};
	append_item(s, WM_SEGMENT_CALL);
}

/* The youngest segments began in the activation that returns. */
static void return_from_call(struct wm_segments *s)
{
	uint32_t kept = s->open_count;
	while (kept && !s->open[kept - 1].depth)
		kept--;
	close_segments(s, kept, s->open_count - kept);
	for (uint32_t i = 0; i < kept; i++)
		s->open[i].depth--;
	append_item(s, WM_SEGMENT_RETURN);
}

static void begin_subpath(struct wm_segments *s)
{
	const struct wm_segment_state *state = &s->state;
	bool joins = state->behind && state->pending; /* nothing was recorded in the call */
	if (state->called && (state->pending || s->open_count))
		enter_call(s, state->pending);
	if (!joins)
		s->path = s->item_count;
}

static void end_subpath(struct wm_segments *s)
{
	if (s->state.returns)
		return_from_call(s);
	else if (!s->state.calls)
		close_all(s);
	s->state = (struct wm_segment_state){.pending = s->state.calls};
}

/* An activation is left other than by a return, or goes on although it was not on top. */
static void break_off(struct wm_segments *s)
{
	s->state.pending = false;
	close_all(s);
}

static void begin_walk(struct wm_segments *s)
{
	s->own = false;
	s->state = (struct wm_segment_state){0};
	s->item_count = s->path = s->open_count = 0;
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
		if (!s->state.pending)
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
