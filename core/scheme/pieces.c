/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/scheme/pieces.h"
#include "abi/sequence.h"
#include "core/scheme/kiter.h"
#include <string.h>

uint32_t wm_sequence_room(const struct wm_plan *plan)
{
	uint32_t room = 1;
	for (uint32_t i = 0; i < plan->iterations->count; i++)
		room += plan->iterations->iterated[i].k;
	return room;
}

uint32_t wm_piece_loop(const struct wm_plan *plan, uint32_t e)
{
	uint32_t loop = plan->iterations->of[plan->graph->edge_from[e]];
	return wm_version_is_own_back_edge(plan, loop, e) ? loop : WM_NONE;
}

static bool follows(const struct wm_plan *plan, const struct wm_block_path *before, const struct wm_block_path *piece)
{
	return before->last_edge != WM_NONE && wm_piece_loop(plan, before->last_edge) != WM_NONE &&
	       piece->start == WM_START_LOOP && plan->graph->edge_to[before->last_edge] == piece->block[0];
}

/* How many pieces an earlier path had. */
static uint32_t old_pieces(const struct wm_plan *plan, const struct wm_block_path *first)
{
	struct wm_version version = wm_version_restart(plan->iterations, first->block[0]);
	bool restarted = first->start == WM_START_LOOP && version.restarted;
	return restarted ? plan->iterations->iterated[version.loop].k - 1 : 0;
}

/* Appends a piece to `made`, whose block may be NULL: then only its length. */
static enum wm_status append_piece(const struct wm_plan *plan, uint64_t id, struct wm_block_path *part,
	struct wm_block_path *made, struct wm_arena *arena)
{
	struct wm_block_path before = *part;
	enum wm_status status = wm_plan_decode(plan, id, part, arena);
	if (status != WM_OK)
		return status;
	if (made->length && !follows(plan, &before, part))
		return WM_BAD_PATH;
	if (!made->length)
		made->start = part->start;
	if (made->block)
		memcpy(made->block + made->length, part->block, part->length * sizeof *part->block);
	made->length += part->length;
	made->end = part->end;
	made->last_edge = part->last_edge;
	return WM_OK;
}

static enum wm_status join_pieces(const struct wm_plan *plan, const uint64_t *piece, uint32_t length,
	struct wm_block_path *part, struct wm_block_path *made, struct wm_arena *arena)
{
	uint32_t old = 0;
	made->length = 0;
	for (uint32_t i = 0; i < length; i++) {
		enum wm_status status = append_piece(plan, piece[i], part, made, arena);
		if (status != WM_OK)
			return status;
		old = i == 0 ? old_pieces(plan, part) : old;
		made->fresh = i + 1 == old ? made->length : made->fresh;
	}
	/* A path that starts at the head of an iterated loop sees k iterations. */
	return length <= old ? WM_BAD_PATH : WM_OK;
}

enum wm_status wm_sequence_decode(const struct wm_plan *plan, const uint64_t *piece, uint32_t length,
	struct wm_block_path *path, struct wm_arena *arena)
{
	struct wm_block_path made = {.again = path->again};
	struct wm_block_path part = {.block = WM_NEW(arena, uint32_t, plan->dag.node_count)};
	if (!part.block)
		return WM_NO_MEMORY;
	enum wm_status status = join_pieces(plan, piece, length, &part, &made, arena);
	if (status != WM_OK)
		return status;
	made.block = WM_NEW(arena, uint32_t, made.length);
	if (!made.block)
		return WM_NO_MEMORY;
	status = join_pieces(plan, piece, length, &part, &made, arena);
	*path = status == WM_OK ? made : *path;
	return status;
}

enum wm_status wm_sequence_find(const struct wm_plan *plan, uint64_t id, wm_name_lookup *lookup, const void *closure,
	struct wm_block_path *path, struct wm_arena *arena)
{
	uint64_t length, alone = id & ~WM_ALONE_BIT;
	if (id & WM_ALONE_BIT)
		return wm_sequence_decode(plan, &alone, 1, path, arena);
	if (!lookup(closure, wm_name_key(id, 0), &length) || length > wm_sequence_room(plan))
		return WM_BAD_PATH;
	uint64_t *piece = WM_NEW(arena, uint64_t, length);
	if (!piece)
		return WM_NO_MEMORY;
	for (uint64_t i = 0; i < length; i++)
		if (!lookup(closure, wm_name_key(id, i + 1), &piece[i]))
			return WM_BAD_PATH;
	return wm_sequence_decode(plan, piece, (uint32_t)length, path, arena);
}

enum wm_status wm_plan_choose_for_build(struct wm_plan *plan, const struct wm_graph *graph,
	const struct wm_scheme_choice *choice, bool resumes, struct wm_arena *arena)
{
	struct wm_scheme_choice named = *choice;
	enum wm_status status = wm_plan_choose(plan, graph, choice, 0, arena);
	if (status != WM_OK || !plan->most_iterations || resumes)
		return status;
	named.sequences = true;
	return wm_plan_choose(plan, graph, &named, 0, arena);
}
