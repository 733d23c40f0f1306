/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * All open segments end where the walk is now, so that their items are suffixes of one list.  At most K are open: each
 * call begins one, and is counted by all.
 */
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

enum wm_status wm_segments_init(
	struct wm_segments *segments, const struct wm_walk_function *function, uint32_t count, struct wm_arena *arena)
{
	segments->item = NULL;
	segments->item_count = segments->item_capacity = segments->path = segments->open_count = 0;
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

/* Ends the oldest `count` segments. */
static enum wm_status close_oldest(struct wm_segments *s, uint32_t count)
{
	enum wm_status status = WM_OK;
	for (uint32_t i = 0; i < count && status == WM_OK; i++) {
		size_t first = s->open[i].first;
		status = s->found(s->closure, &s->item[first], (uint32_t)(s->item_count - first));
	}
	s->open_count -= count;
	memmove(s->open, s->open + count, s->open_count * sizeof *s->open);
	return status;
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
static enum wm_status enter_call(struct wm_segments *s, bool begins)
{
	uint32_t full = 0;
	while (full < s->open_count && s->open[full].calls == s->most_calls)
		full++;
	enum wm_status status = close_oldest(s, full);
	for (uint32_t i = 0; i < s->open_count; i++) {
		s->open[i].calls++;
		s->open[i].depth++;
	}
	if (begins)
		s->open[s->open_count++] = (struct wm_segment){s->path, 1, 1};
	return status == WM_OK ? append(s, WM_SEGMENT_CALL) : status;
}

/* The youngest segments began in the activation that returns. */
static enum wm_status return_from_call(struct wm_segments *s)
{
	enum wm_status status = WM_OK;
	uint32_t kept = s->open_count;
	while (kept && !s->open[kept - 1].depth)
		kept--;
	for (uint32_t i = kept; i < s->open_count && status == WM_OK; i++) {
		size_t first = s->open[i].first;
		status = s->found(s->closure, &s->item[first], (uint32_t)(s->item_count - first));
	}
	s->open_count = kept;
	for (uint32_t i = 0; i < kept; i++)
		s->open[i].depth--;
	return status == WM_OK ? append(s, WM_SEGMENT_RETURN) : status;
}

static enum wm_status begin_subpath(struct wm_segments *s)
{
	const struct wm_segment_state *state = &s->state;
	bool joins = state->behind && state->pending; /* nothing was recorded in the call */
	enum wm_status status = WM_OK;
	if (state->called && (state->pending || s->open_count))
		status = enter_call(s, state->pending);
	if (!joins)
		s->path = s->item_count;
	return status;
}

static enum wm_status end_subpath(struct wm_segments *s)
{
	s->state.pending = s->state.calls;
	if (s->state.calls)
		return WM_OK;
	return s->state.returns ? return_from_call(s) : close_oldest(s, s->open_count);
}

enum wm_status wm_segments_take(struct wm_segments *s, uint64_t entry)
{
	s->state = (struct wm_segment_state){.pending = s->state.pending};
	enum wm_status status = wm_walk_take(&s->walk, entry);
	if (status == WM_OK && s->state.broken) {
		s->state.pending = false;
		status = close_oldest(s, s->open_count);
	}
	if (status != WM_OK || wm_stream_is_special(entry) || !entry)
		return status;
	status = begin_subpath(s);
	if (status == WM_OK)
		status = append(s, entry);
	if (status == WM_OK)
		status = end_subpath(s);
	forget_items(s);
	return status;
}

enum wm_status wm_segments_finish(struct wm_segments *s)
{
	return close_oldest(s, s->open_count);
}
