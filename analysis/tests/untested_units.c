/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/story/trails.h"
#include "analysis/tests/untested.h"
#include "support/tool.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void decode(
	const struct wm_story_function *function, uint64_t id, struct wm_trail *visits, struct wm_arena *arena)
{
	if (wm_story_find_trail(function, id, visits, arena) != WM_OK)
		wm_bug("path %" PRIu64 " cannot be decoded", id);
}

static int by_id(const void *left, const void *right)
{
	const struct wm_story_path *a = *(const struct wm_story_path *const *)left;
	const struct wm_story_path *b = *(const struct wm_story_path *const *)right;
	return (a->id > b->id) - (a->id < b->id);
}

/* ---- Paths ---------------------------------------------------------------------- */

struct tested {
	size_t count;
	const struct wm_story_path **path; /* ascending ids */
};

static struct tested sort_tested(const struct wm_story_function *tests)
{
	struct tested tested = {tests ? tests->ran_count : 0, NULL};
	tested.path = wm_xmalloc((tested.count + 1) * sizeof *tested.path);
	for (size_t i = 0; i < tested.count; i++)
		tested.path[i] = &tests->path[i];
	qsort(tested.path, tested.count, sizeof *tested.path, by_id);
	return tested;
}

/* The first tested path whose id is not below this one. */
static size_t find(const struct tested *tested, uint64_t id)
{
	size_t low = 0, high = tested->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		*(tested->path[middle]->id < id ? &low : &high) = tested->path[middle]->id < id ? middle + 1 : middle;
	}
	return low;
}

static bool same_visit(const struct wm_trail_step *a, const struct wm_trail_step *b)
{
	return a->kind == b->kind && a->function == b->function && a->block == b->block && a->site == b->site;
}

static uint32_t common_visits(const struct wm_trail *a, const struct wm_trail *b)
{
	uint32_t common = 0;
	while (common < a->count && common < b->count && same_visit(&a->step[common], &b->step[common]))
		common++;
	return common;
}

/* Of two tested paths on both sides of this one the nearest has more visits in common with it: ids are in the order of
 * the edges, so no other has more. */
static void try_nearest(struct wm_untested_path *path, const struct wm_trail *own, const struct wm_trail *other,
	const struct wm_story_path *tested, const struct wm_story_unit *unit)
{
	uint32_t common = common_visits(own, other), at = common;
	if (path->nearest && common <= path->common)
		return;
	path->nearest = tested;
	path->common = common;
	path->distance = own->count + other->count - 2 * common;
	path->block = path->position = path->edge = path->nearest_edge = WM_NONE;
	while (at-- > 0) {
		if (own->step[at].edge == other->step[at].edge)
			continue;
		path->function = unit->body[own->step[at].function];
		path->block = own->step[at].block;
		path->position = at;
		path->edge = own->step[at].edge;
		path->nearest_edge = other->step[at].edge;
		break;
	}
	/* One of them ends or returns here: nothing is decided between two edges. */
	if (path->edge == WM_NONE || path->nearest_edge == WM_NONE)
		path->block = path->position = WM_NONE;
}

static void find_nearest(struct wm_untested_function *f, struct wm_untested_path *path, const struct tested *tested)
{
	struct wm_arena arena;
	struct wm_trail own, other;
	size_t at = find(tested, path->path->id);
	wm_arena_init(&arena);
	decode(f->field, path->path->id, &own, &arena);
	for (size_t i = at ? at - 1 : 0; i <= at && i < tested->count; i++) {
		decode(f->field, tested->path[i]->id, &other, &arena);
		try_nearest(path, &own, &other, tested->path[i], f->field->across.unit);
	}
	wm_arena_release(&arena);
}

void wm_untested_compare_across(struct wm_untested_function *f, bool tests_known)
{
	struct tested tested = sort_tested(f->tests);
	bool entered = f->tests && f->tests->state == WM_STORY_RAN;
	f->tested = !tests_known   ? WM_TESTED_UNKNOWN
		    : tested.count ? WM_TESTED
		    : entered	   ? WM_TESTED_ENTERED
				   : WM_TESTED_NEVER;
	f->path = wm_xmalloc((f->field->ran_count + 1) * sizeof *f->path);
	for (size_t i = 0; i < f->field->ran_count; i++) {
		const struct wm_story_path *path = &f->field->path[i];
		size_t at = find(&tested, path->id);
		if (at < tested.count && tested.path[at]->id == path->id)
			continue;
		struct wm_untested_path *untested = &f->path[f->path_count++];
		*untested = (struct wm_untested_path){
			.path = path, .block = WM_NONE, .position = WM_NONE, .edge = WM_NONE, .nearest_edge = WM_NONE};
		f->executions += path->count;
		if (tested.count)
			find_nearest(f, untested, &tested);
	}
	free(tested.path);
}

/* ---- Edges ---------------------------------------------------------------------- */

/* Per function of a unit, per control-flow edge; the last one is the entry. */
struct marks {
	bool **edge;
	struct wm_arena arena;
};

static void marks_init(struct marks *marks, const struct wm_story_unit *unit)
{
	uint32_t count = unit->binary->unit.function_count;
	wm_arena_init(&marks->arena);
	marks->edge = WM_NEW(&marks->arena, bool *, count);
	for (uint32_t f = 0; marks->edge && f < count; f++) {
		marks->edge[f] =
			WM_NEW(&marks->arena, bool, (size_t)unit->binary->unit.function[f].graph->edge_count + 1);
		if (!marks->edge[f])
			wm_bug("out of memory");
	}
	if (!marks->edge)
		wm_bug("out of memory");
}

static bool is_entry(const struct wm_trail *visits, uint32_t i)
{
	return visits->step[i].block == 0 && !visits->step[i].restart &&
	       (i == 0 || visits->step[i - 1].kind == WM_TRAIL_CALL);
}

static void mark(struct marks *marks, const struct wm_story_function *function, uint64_t id)
{
	const struct wm_unit *unit = &function->across.unit->binary->unit;
	struct wm_arena arena;
	struct wm_trail visits;
	wm_arena_init(&arena);
	decode(function, id, &visits, &arena);
	for (uint32_t i = 0; i < visits.count; i++) {
		const struct wm_trail_step *visit = &visits.step[i];
		if (visit->kind == WM_TRAIL_CALL)
			continue;
		if (visit->edge != WM_NONE)
			marks->edge[visit->function][visit->edge] = true;
		if (visit->kind == WM_TRAIL_BLOCK && is_entry(&visits, i))
			marks->edge[visit->function][unit->function[visit->function].graph->edge_count] = true;
	}
	wm_arena_release(&arena);
}

static void mark_tested(struct marks *marks, const struct wm_story *tests, const struct wm_binary_unit *binary)
{
	for (size_t u = 0; u < tests->units.count; u++) {
		const struct wm_story_unit *unit = &tests->units.unit[u];
		for (uint32_t f = 0; unit->binary->hash == binary->hash && f < binary->unit.function_count; f++) {
			const struct wm_story_function *function = unit->function[f];
			if (!function || function->state != WM_STORY_RAN)
				continue;
			/* A frame that was abandoned entered too. */
			marks->edge[f][binary->unit.function[f].graph->edge_count] |= function->balance.entries != 0;
			for (size_t i = 0; i < function->ran_count; i++)
				mark(marks, function, function->path[i].id);
		}
	}
}

static void collect_edges(struct wm_untested_function *f, const struct marks *tested, const struct marks *field)
{
	uint32_t index = f->field->across.index;
	uint32_t count = f->field->across.unit->binary->unit.function[index].graph->edge_count;
	bool same_graph =
		count == f->field->map->graph.edge_count; /* if not, it is another body of an inline function */
	f->edge = wm_xmalloc(((size_t)count + 1) * sizeof *f->edge);
	if (field->edge[index][count] && !tested->edge[index][count])
		f->edge[f->edge_count++] = WM_NONE;
	for (uint32_t e = 0; same_graph && e < count; e++)
		if (field->edge[index][e] && !tested->edge[index][e])
			f->edge[f->edge_count++] = e;
}

static void say_whether_tested(struct wm_untested_function *f, const struct marks *tested)
{
	for (size_t i = 0; i < f->path_count; i++) {
		struct wm_untested_path *path = &f->path[i];
		if (path->function && path->edge != WM_NONE)
			path->edge_tested = tested->edge[path->function->across.index][path->edge];
	}
}

static bool has_untested_edge(
	const struct wm_story_unit *unit, uint32_t function, const struct marks *tested, const struct marks *field)
{
	for (uint32_t e = 0; e <= unit->binary->unit.function[function].graph->edge_count; e++)
		if (field->edge[function][e] && !tested->edge[function][e])
			return true;
	return false;
}

static bool is_hidden(
	const struct wm_story_function *function, uint64_t id, const struct marks *tested, const struct marks *field)
{
	struct wm_arena arena;
	struct wm_trail visits;
	bool hidden = true;
	wm_arena_init(&arena);
	decode(function, id, &visits, &arena);
	for (uint32_t i = 0; hidden && i < visits.count; i++)
		hidden = !has_untested_edge(function->across.unit, visits.step[i].function, tested, field);
	wm_arena_release(&arena);
	return hidden;
}

/* A path lies in all functions that it goes through, not only in the one under which it is listed. */
static void count_hidden(struct wm_untested_function *f, const struct marks *tested, const struct marks *field)
{
	for (size_t i = 0; i < f->path_count; i++)
		f->hidden_count += is_hidden(f->field, f->path[i].path->id, tested, field);
}

static void compare_unit(struct wm_untested *untested, const struct wm_story_unit *unit)
{
	struct marks tested, field;
	marks_init(&tested, unit);
	marks_init(&field, unit);
	mark_tested(&tested, untested->tests, unit->binary);
	for (size_t i = 0; i < untested->function_count; i++) {
		struct wm_untested_function *f = &untested->function[i];
		for (size_t p = 0; f->field->across.unit == unit && p < f->path_count; p++)
			mark(&field, f->field, f->path[p].path->id);
	}
	for (size_t i = 0; i < untested->function_count; i++) {
		struct wm_untested_function *f = &untested->function[i];
		if (f->field->across.unit != unit)
			continue;
		collect_edges(f, &tested, &field);
		say_whether_tested(f, &tested);
		count_hidden(f, &tested, &field);
	}
	wm_arena_release(&tested.arena);
	wm_arena_release(&field.arena);
}

void wm_untested_unit_edges(struct wm_untested *untested)
{
	for (size_t u = 0; u < untested->field->units.count; u++)
		compare_unit(untested, &untested->field->units.unit[u]);
}
