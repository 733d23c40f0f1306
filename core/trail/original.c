/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * All activations on the path are one tree of frames: those of the compiled functions, and in each of them the contexts of the
 * calls that were inlined.  Calls and returns follow from the marks, as core/graph/origin.h says, in this tree.
 */
#include "core/trail/original.h"

/* An activation of a compiled function. */
struct activation {
	uint32_t function;
	uint32_t base; /* its first frame */
	uint32_t frame, block; /* where control is, or waits in a call: the frame, and the original block */
};

struct mapper {
	const struct wm_trail_origins *origins;
	const struct wm_trail *trail;
	struct wm_trail *made;
	struct wm_arena *arena;
	struct activation *activation; /* per depth */
	uint32_t step_capacity, frame_capacity;
	uint32_t at, mark; /* of the step that is made */
	bool begun; /* some mark was taken: */
	uint32_t frame, depth, open; /* open: calls on the path that have not returned */
	uint32_t *way; /* frames to enter */
	uint32_t way_capacity;
};

static const struct wm_origins *origins_of(const struct mapper *m, const struct activation *activation)
{
	return m->origins->of(m->origins->closure, activation->function);
}

/* ---- Frames ------------------------------------------------------------------------- */

static bool add_frame(struct mapper *m, struct wm_trail_frame frame)
{
	struct wm_trail_frame *grown = wm_arena_grow(
		m->arena, m->made->frame, &m->frame_capacity, m->made->frame_count, sizeof *m->made->frame);
	if (!grown)
		return false;
	m->made->frame = grown;
	grown[m->made->frame_count++] = frame;
	return true;
}

/* Opens an activation, which is called from the block of a frame; the frame is WM_NONE if the path does not tell. */
static bool open_activation(struct mapper *m, uint32_t depth, uint32_t function, uint32_t caller, uint32_t block)
{
	struct activation *opened = &m->activation[depth];
	*opened = (struct activation){.function = function, .base = m->made->frame_count};
	const struct wm_origins *origins = origins_of(m, opened);
	opened->frame = opened->base;
	bool good = add_frame(m, (struct wm_trail_frame){caller, function, 0, block});
	for (uint32_t i = 1; origins && i < origins->context_count && good; i++) {
		const struct wm_context *inlined = &origins->context[i];
		good = add_frame(
			m, (struct wm_trail_frame){opened->base + inlined->parent, function, i, inlined->block});
	}
	return good;
}

uint32_t wm_trail_frame_depth(const struct wm_trail *original, uint32_t frame)
{
	uint32_t depth = 0;
	for (; original->frame[frame].parent != WM_NONE; depth++)
		frame = original->frame[frame].parent;
	return depth;
}

/* ---- Steps -------------------------------------------------------------------------- */

static struct wm_trail_step *push_step(struct mapper *m, enum wm_trail_kind kind, uint32_t block)
{
	struct wm_trail_step *grown =
		wm_arena_grow(m->arena, m->made->step, &m->step_capacity, m->made->count, sizeof *m->made->step);
	if (!grown)
		return NULL;
	m->made->step = grown;
	grown[m->made->count] = (struct wm_trail_step){.kind = kind,
		.function = m->made->frame[m->frame].function,
		.block = block,
		.site = WM_NONE,
		.edge = WM_NONE,
		.depth = m->depth,
		.frame = m->frame,
		.at = m->at,
		.mark = m->mark};
	return &grown[m->made->count++];
}

static bool go_back(struct mapper *m, bool unwinds)
{
	const struct wm_trail_frame *left = &m->made->frame[m->frame];
	bool lone = !m->open;
	uint32_t block = left->block;
	m->frame = left->parent;
	m->depth--;
	m->open -= !lone;
	struct wm_trail_step *step = push_step(m, WM_TRAIL_RETURN, block);
	if (step) {
		step->lone = lone;
		step->unwinds = unwinds;
	}
	return step;
}

static bool enter_frame(struct mapper *m, uint32_t frame)
{
	m->frame = frame;
	m->depth++;
	m->open++;
	return push_step(m, WM_TRAIL_CALL, m->made->frame[frame].block);
}

/* From the present frame to another one.  A parent is below its children, so the larger of two frames is never the common
 * caller. */
static bool change_frame(struct mapper *m, uint32_t frame, bool unwinds)
{
	uint32_t count = 0, common = frame, from = m->frame;
	while (common != from) {
		if (common < from) {
			from = m->made->frame[from].parent;
			continue;
		}
		uint32_t *grown = wm_arena_grow(m->arena, m->way, &m->way_capacity, count, sizeof *m->way);
		if (!grown)
			return false;
		m->way = grown;
		grown[count++] = common;
		common = m->made->frame[common].parent;
	}
	while (m->frame != common)
		if (!go_back(m, unwinds))
			return false;
	while (count)
		if (!enter_frame(m, m->way[--count]))
			return false;
	return true;
}

static bool take_mark(struct mapper *m, uint32_t frame, const struct wm_mark *mark)
{
	if (!m->begun) {
		m->begun = true;
		m->frame = m->made->first = frame;
		m->depth = wm_trail_frame_depth(m->made, frame);
	}
	return change_frame(m, frame, mark->pad) && (mark->behind || push_step(m, WM_TRAIL_BLOCK, mark->block));
}

/* Control enters a block of the activation.  `emit`: the block is in the active part, and not in the context. */
static bool enter_block(struct mapper *m, struct activation *activation, uint32_t block, bool emit)
{
	struct wm_mark own;
	uint32_t count;
	const struct wm_mark *mark = wm_origins_marks(origins_of(m, activation), block, &own, &count);
	for (m->mark = 0; m->mark < count; m->mark++) {
		activation->frame = activation->base + mark[m->mark].context;
		activation->block = mark[m->mark].block;
		if (emit && !take_mark(m, activation->frame, &mark[m->mark]))
			return false;
	}
	return true;
}

static bool take_step(struct mapper *m, uint32_t i)
{
	const struct wm_trail_step *step = &m->trail->step[i];
	struct activation *activation = &m->activation[step->depth];
	bool emit = i >= m->trail->fresh;
	m->at = i;
	m->mark = 0;
	switch (step->kind) {
	case WM_TRAIL_BLOCK:
		return enter_block(m, activation, step->block, emit);
	case WM_TRAIL_CALL:
		return open_activation(m, step->depth, step[1].function, activation[-1].frame, activation[-1].block);
	case WM_TRAIL_RETURN:
		break;
	}
	const struct wm_mark back = {.block = activation->block, .behind = true};
	return !emit || take_mark(m, activation->frame, &back);
}

/* Opens the activations in which the path begins: those to which calls return that are not on the path. */
static bool open_first(struct mapper *m)
{
	const struct wm_trail *trail = m->trail;
	uint32_t depth = trail->step[0].depth, caller = WM_NONE, block = WM_NONE;
	const struct wm_trail_step **back = WM_NEW(m->arena, const struct wm_trail_step *, depth + 1);
	for (uint32_t i = 0; back && i < trail->count; i++)
		if (trail->step[i].kind == WM_TRAIL_RETURN && trail->step[i].lone)
			back[trail->step[i].depth] = &trail->step[i];
	bool good = back;
	for (uint32_t d = 0; d < depth && good; d++) {
		good = open_activation(m, d, back[d]->function, caller, block) &&
		       enter_block(m, &m->activation[d], back[d]->block, false);
		caller = m->activation[d].frame;
		block = m->activation[d].block;
	}
	return good && open_activation(m, depth, trail->step[0].function, caller, block);
}

static uint32_t deepest(const struct wm_trail *trail)
{
	uint32_t depth = 0;
	for (uint32_t i = 0; i < trail->count; i++)
		depth = trail->step[i].depth > depth ? trail->step[i].depth : depth;
	return depth;
}

enum wm_status wm_trail_original(const struct wm_trail_origins *origins, const struct wm_trail *trail,
	struct wm_trail *original, struct wm_arena *arena)
{
	struct wm_trail made = {.start = trail->start, .end = trail->end, .last = WM_NONE, .cut = WM_NONE};
	struct mapper m = {.origins = origins,
		.trail = trail,
		.made = &made,
		.arena = arena,
		.activation = WM_NEW(arena, struct activation, deepest(trail) + 1)};
	bool good = m.activation && open_first(&m);
	for (uint32_t i = 0; i < trail->count && good; i++)
		good = take_step(&m, i);
	if (good)
		*original = made;
	return good ? WM_OK : WM_NO_MEMORY;
}

/* ---- Segments ------------------------------------------------------------------------ */

static void note_segment(void *closure, size_t number, size_t first, size_t end)
{
	struct wm_segment_range *segment = closure;
	segment[number] = (struct wm_segment_range){(uint32_t)first, (uint32_t)end};
}

/* An exception that leaves a call breaks the sequence; what follows begins with the landing pad. */
uint32_t wm_trail_segments(const struct wm_trail *original, uint32_t depth, struct wm_segment_range *segment)
{
	struct wm_segment_finder finder = {.most_calls = depth, .closure = segment, .found = note_segment};
	uint32_t subpath = 0;
	for (uint32_t i = 0; i < original->count; i++) {
		const struct wm_trail_step *step = &original->step[i];
		switch (step->kind) {
		case WM_TRAIL_BLOCK:
			break;
		case WM_TRAIL_CALL:
			wm_segment_call(&finder, true, subpath, i);
			subpath = i + 1;
			break;
		case WM_TRAIL_RETURN:
			(step->unwinds ? wm_segment_break : wm_segment_return)(&finder, i);
			subpath = i + step->unwinds;
			break;
		}
	}
	wm_segment_break(&finder, original->count);
	return (uint32_t)finder.begun;
}
