/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/graph/origin.h"

uint32_t wm_context_depth(const struct wm_origins *origins, uint32_t context)
{
	uint32_t depth = 0;
	for (; origins->context[context].parent != WM_NONE; depth++)
		context = origins->context[context].parent;
	return depth;
}

struct mover {
	const struct wm_origins *origins;
	struct wm_arena *arena;
	struct wm_moves *moves;
	uint32_t capacity;
	uint32_t at, mark; /* of the move that is made */
	uint32_t context, depth, open; /* open: calls on the path that have not returned */
	uint32_t *way; /* contexts to enter */
};

static bool push(struct mover *m, enum wm_move_kind kind, uint32_t block)
{
	struct wm_move *grown =
		wm_arena_grow(m->arena, m->moves->move, &m->capacity, m->moves->count, sizeof *m->moves->move);
	if (!grown)
		return false;
	m->moves->move = grown;
	grown[m->moves->count++] = (struct wm_move){
		.kind = kind, .context = m->context, .block = block, .depth = m->depth, .at = m->at, .mark = m->mark};
	return true;
}

static bool go_back(struct mover *m)
{
	const struct wm_context *left = &m->origins->context[m->context];
	bool lone = !m->open;
	m->context = left->parent;
	m->depth--;
	m->open -= !lone;
	if (!push(m, WM_MOVE_RETURN, left->block))
		return false;
	m->moves->move[m->moves->count - 1].lone = lone;
	return true;
}

static bool enter(struct mover *m, uint32_t context)
{
	m->context = context;
	m->depth++;
	m->open++;
	return push(m, WM_MOVE_CALL, m->origins->context[context].block);
}

/* From the present context to another one.  A parent is below its children, so the larger of two contexts is never the
 * common caller. */
static bool change_context(struct mover *m, uint32_t context)
{
	uint32_t count = 0, common = context, from = m->context;
	while (common != from) {
		if (common > from)
			m->way[count++] = common, common = m->origins->context[common].parent;
		else
			from = m->origins->context[from].parent;
	}
	while (m->context != common)
		if (!go_back(m))
			return false;
	while (count)
		if (!enter(m, m->way[--count]))
			return false;
	return true;
}

static bool take_mark(struct mover *m)
{
	const struct wm_mark *mark = &m->origins->mark[m->mark];
	uint32_t first = m->moves->count;
	bool good = change_context(m, mark->context);
	for (uint32_t i = first; i < m->moves->count; i++)
		m->moves->move[i].unwinds = mark->pad;
	return good && (mark->behind || push(m, WM_MOVE_BLOCK, mark->block));
}

/* The context of the first mark on the path; 0 if there is none. */
static uint32_t first_context(const struct wm_origins *origins, const uint32_t *block, uint32_t length)
{
	for (uint32_t i = 0; i < length; i++)
		if (origins->first_mark[block[i]] < origins->first_mark[block[i] + 1])
			return origins->mark[origins->first_mark[block[i]]].context;
	return 0;
}

enum wm_status wm_origins_moves(const struct wm_origins *origins, const uint32_t *block, uint32_t length,
	struct wm_moves *moves, struct wm_arena *arena)
{
	struct wm_moves made = {.first = first_context(origins, block, length)};
	struct mover m = {.origins = origins,
		.arena = arena,
		.moves = &made,
		.capacity = 2 * length + 4,
		.context = made.first,
		.depth = wm_context_depth(origins, made.first),
		.way = WM_NEW(arena, uint32_t, origins->context_count)};
	made.move = WM_NEW(arena, struct wm_move, m.capacity);
	if (!made.move || !m.way)
		return WM_NO_MEMORY;
	for (m.at = 0; m.at < length; m.at++)
		for (m.mark = origins->first_mark[block[m.at]]; m.mark < origins->first_mark[block[m.at] + 1]; m.mark++)
			if (!take_mark(&m))
				return WM_NO_MEMORY;
	made.last = m.context;
	*moves = made;
	return WM_OK;
}

/* Where the segment that begins with `first`, at depth `depth`, ends. */
static uint32_t segment_end(const struct wm_moves *moves, uint32_t first, uint32_t depth, uint32_t most_calls)
{
	uint32_t calls = 0, i = first + 1;
	for (; i < moves->count; i++) {
		const struct wm_move *move = &moves->move[i];
		calls += move->kind == WM_MOVE_CALL;
		if (calls > most_calls || (move->kind == WM_MOVE_RETURN && (move->unwinds || move->depth < depth)))
			break;
	}
	return i;
}

uint32_t wm_moves_segments(const struct wm_moves *moves, uint32_t depth, struct wm_segment_range *segment)
{
	uint32_t count = 0, subpath = 0;
	for (uint32_t i = 0; i < moves->count; i++) {
		const struct wm_move *move = &moves->move[i];
		if (move->kind == WM_MOVE_CALL)
			segment[count++] =
				(struct wm_segment_range){subpath, segment_end(moves, subpath, move->depth - 1, depth)};
		if (move->kind == WM_MOVE_CALL)
			subpath = i + 1;
		else if (move->kind == WM_MOVE_RETURN)
			subpath = move->unwinds ? i + 1 : i;
	}
	return count;
}
