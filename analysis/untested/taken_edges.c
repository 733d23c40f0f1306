/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/untested/taken_edges.h"
#include "analysis/tell/trails.h"
#include "support/fail.h"

uint32_t wm_taken_edges_entry(const struct wm_taken_edges *marks, uint32_t function)
{
	return marks->body[function]->map->graph.edge_count;
}

void wm_taken_edges_init(struct wm_taken_edges *marks, const struct wm_story_function *const *body, uint32_t count,
	struct wm_arena *arena)
{
	*marks = (struct wm_taken_edges){.body = body, .count = count, .taken = WM_NEW(arena, bool *, count)};
	bool memory = marks->taken;
	for (uint32_t f = 0; memory && f < count; f++)
		memory = (marks->taken[f] = WM_NEW(arena, bool, (size_t)wm_taken_edges_entry(marks, f) + 1));
	if (!memory)
		wm_no_memory();
}

void wm_taken_edges_path(struct wm_taken_edges *marks, const struct wm_story_function *function, uint64_t id)
{
	struct wm_arena arena;
	struct wm_trail trail;
	wm_arena_init(&arena);
	wm_story_decode(function, id, &trail, &arena);
	for (uint32_t i = 0; i < trail.count; i++) {
		const struct wm_trail_step *step = &trail.step[i];
		if (step->edge != WM_NONE)
			marks->taken[step->function][step->edge] = true;
		if (wm_trail_is_entry(&trail, i))
			marks->taken[step->function][wm_taken_edges_entry(marks, step->function)] = true;
	}
	wm_arena_release(&arena);
}

void wm_taken_edges_function(struct wm_taken_edges *marks, uint32_t index, const struct wm_story_function *function)
{
	if (!function || function->state != WM_STORY_RAN)
		return;
	/* So did an activation of whose abandoned path nothing is known. */
	marks->taken[index][wm_taken_edges_entry(marks, index)] |= function->balance.entries != 0;
	for (size_t i = 0; i < wm_story_taken_count(function); i++)
		wm_taken_edges_path(marks, function, wm_story_taken(function, i)->id);
}

void wm_taken_edges_unit(struct wm_taken_edges *marks, const struct wm_story *story, uint64_t hash)
{
	for (size_t u = 0; u < story->units.count; u++) {
		const struct wm_story_unit *unit = &story->units.unit[u];
		for (uint32_t f = 0; unit->binary->hash == hash && f < marks->count; f++)
			wm_taken_edges_function(marks, f, unit->function[f]);
	}
}
