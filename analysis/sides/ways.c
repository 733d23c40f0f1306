/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/sides/delta.h"
#include "analysis/tell/trails.h"
#include "support/fail.h"

static void *need(void *memory)
{
	if (!memory)
		wm_no_memory();
	return memory;
}

/* What the words of a way are made of. */
struct maker {
	struct wm_delta *delta;
	struct wm_delta_item *item;
	size_t **pair;
	uint32_t *word;
	uint32_t matched; /* blocks */
};

static void put(struct maker *maker, uint32_t word)
{
	maker->word[maker->item->word_count++] = word;
}

/* A way of its own: a path that is compared by id, or with nothing.  The ids of unfinished paths are those of one story. */
enum { ID_WORDS = 4 };
static void put_id(struct maker *maker, uint32_t side)
{
	const struct wm_suite_path *path = &maker->delta->side[maker->item->side].suite.path[maker->item->path];
	const struct wm_story_unfinished *unfinished = wm_story_unfinished(path->function, path->id);
	uint64_t id = unfinished ? unfinished->sum : path->id;
	maker->item->word_count = 0;
	put(maker, (uint32_t)id);
	put(maker, (uint32_t)(id >> 32));
	put(maker, side);
	put(maker, unfinished ? unfinished->site : 0);
}

/* The pair of a function on the path.  SIZE_MAX: it is another body of an inline function, which has none. */
static size_t pair_of(const struct maker *maker, const struct wm_story_function *body)
{
	const struct wm_story *story = &maker->delta->side[maker->item->side].suite.story;
	if (body < story->function || body >= story->function + story->function_count)
		return SIZE_MAX;
	return maker->pair[maker->item->side][body - story->function];
}

/* Matches the blocks of a pair, when they are needed first. */
static const struct wm_match *match_of(struct wm_delta *delta, struct wm_delta_function *function)
{
	struct wm_match *match = &function->match;
	if (match->block[WM_OLD])
		return match;
	if (function->graph == WM_DELTA_SAME)
		wm_match_same(match, function->function[WM_NEW], &delta->arena);
	else
		wm_match_blocks(match, function->function, delta->sources, &delta->arena);
	return match;
}

uint32_t wm_delta_other_block(struct wm_delta *delta, struct wm_delta_function *function, uint32_t side, uint32_t block)
{
	if (!function->function[WM_OLD] || !function->function[WM_NEW])
		return WM_NONE;
	return function->graph == WM_DELTA_SAME ? block : match_of(delta, function)->block[side][block];
}

uint32_t wm_delta_other_edge(struct wm_delta *delta, struct wm_delta_function *function, uint32_t side, uint32_t edge)
{
	const struct wm_graph *own = &function->function[side]->map->graph;
	uint32_t block = own->edge_from[edge], other = wm_delta_other_block(delta, function, side, block);
	if (other == WM_NONE || function->graph == WM_DELTA_SAME)
		return other == WM_NONE ? WM_NONE : edge;
	const struct wm_graph *theirs = &function->function[!side]->map->graph;
	uint32_t at = theirs->first_edge[other] + edge - own->first_edge[block];
	bool same = at < theirs->first_edge[other + 1] &&
		    match_of(delta, function)->block[side][own->edge_to[edge]] == theirs->edge_to[at];
	return same ? at : WM_NONE;
}

/* The number that a block has in the words of ways: that in the old graph.  WM_NONE: the other side does not have the block. */
static uint32_t number_of(struct maker *maker, size_t pair, uint32_t block)
{
	if (pair == SIZE_MAX)
		return WM_NONE;
	uint32_t side = maker->item->side;
	uint32_t other = wm_delta_other_block(maker->delta, &maker->delta->function[pair], side, block);
	return other != WM_NONE && side == WM_OLD ? block : other;
}

static void put_step(struct maker *maker, const struct wm_trail_step *step, const struct wm_story_function *body)
{
	size_t pair = pair_of(maker, body);
	uint32_t number = number_of(maker, pair, step->block);
	if (number == WM_NONE) {
		maker->item->unmatched += step->kind == WM_TRAIL_BLOCK;
		return;
	}
	maker->matched += step->kind == WM_TRAIL_BLOCK;
	put(maker, step->kind);
	put(maker, (uint32_t)pair);
	put(maker, number);
	put(maker, step->edge == WM_NONE ? WM_NONE : step->edge - body->map->graph.first_edge[step->block]);
	struct wm_delta_function *function = &maker->delta->function[pair];
	if (step->edge != WM_NONE &&
		wm_delta_other_edge(maker->delta, function, maker->item->side, step->edge) == WM_NONE)
		maker->item->code_changed = true;
}

static void put_trail(struct maker *maker, const struct wm_suite_path *path)
{
	const struct wm_story_function *const *body = wm_story_bodies(&path->function);
	struct wm_arena arena;
	struct wm_trail trail;
	wm_arena_init(&arena);
	wm_story_decode(path->function, path->id, &trail, &arena);
	maker->word = need(WM_NEW(&maker->delta->arena, uint32_t, 4 * (size_t)trail.count + ID_WORDS));
	put(maker, trail.start);
	put(maker, trail.end);
	for (uint32_t i = 0; i < trail.count; i++)
		put_step(maker, &trail.step[i], body[trail.step[i].function]);
	maker->item->code_changed |= maker->item->unmatched;
	if (!maker->matched)
		put_id(maker, maker->item->side);
	wm_arena_release(&arena);
}

void wm_delta_find_way(struct wm_delta *delta, struct wm_delta_item *item, size_t *pair[WM_SIDES])
{
	struct maker maker = {.delta = delta, .item = item, .pair = pair};
	const struct wm_delta_function *function = &delta->function[item->pair];
	bool paired = function->function[WM_OLD] && function->function[WM_NEW];
	if (paired && !function->same_ids) {
		put_trail(&maker, &delta->side[item->side].suite.path[item->path]);
	} else {
		maker.word = need(WM_NEW(&delta->arena, uint32_t, ID_WORDS));
		put_id(&maker, paired ? WM_SIDES : item->side);
		item->code_changed = !paired;
	}
	item->word = maker.word;
}
