/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/replay/recording_view.h"
#include "abi/stream.h"
#include "analysis/join/recorded_plan.h"
#include "core/grammar/hot.h"
#include "support/fail.h"
#include "support/interrupt.h"
#include "support/progress.h"
#include "support/xalloc.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool wm_wpp_goes_on(const char *what, uint64_t done, uint64_t total)
{
	enum { OFTEN = 4096 };
	if (done % OFTEN == 0)
		wm_progress(what, done, total);
	return !wm_interrupted();
}

/* ---- Joining ------------------------------------------------------------------------- */

static const struct wm_object *find_object(const struct wm_wpp_view *view, const struct wm_wpp_object *wanted)
{
	for (size_t i = 0; i < view->binaries.count; i++) {
		const struct wm_object *object = &view->binaries.object[i];
		if (object->build_id_size == wanted->build_id_size &&
			!memcmp(object->build_id, wanted->build_id, wanted->build_id_size))
			return object;
	}
	return NULL;
}

static int by_identity(const void *a, const void *b)
{
	const struct wm_story_function *x = *(const struct wm_story_function *const *)a,
				       *y = *(const struct wm_story_function *const *)b;
	if (x->object != y->object)
		return x->object < y->object ? -1 : 1;
	if (x->map->key != y->map->key)
		return x->map->key < y->map->key ? -1 : 1;
	return (x->map->graph_hash > y->map->graph_hash) - (x->map->graph_hash < y->map->graph_hash);
}

static const struct wm_story_function *find_function(const struct wm_story_function **sorted, size_t count,
	const struct wm_object *object, const struct wm_wpp_function *wanted)
{
	const struct wm_map_function map = {.key = wanted->key, .graph_hash = wanted->graph_hash};
	const struct wm_story_function key = {.map = &map, .object = object}, *pointer = &key;
	const struct wm_story_function **found = bsearch(&pointer, sorted, count, sizeof *sorted, by_identity);
	return found ? *found : NULL;
}

static const struct wm_object **find_objects(const struct wm_wpp_view *view)
{
	const struct wm_wpp_table *table = &view->wpp.table;
	const struct wm_object **object = wm_xmalloc((table->object_count + 1) * sizeof(*object));
	for (uint32_t i = 0; i < table->object_count; i++) {
		char id[2 * WM_BUILD_ID_MAX + 1];
		object[i] = find_object(view, &table->object[i]);
		wm_build_id_text(table->object[i].build_id, table->object[i].build_id_size, id);
		if (!object[i])
			wm_fail("the recording is of %s with the build-id %s, and none of the binaries given is that "
				"build",
				table->object[i].program[0] ? table->object[i].program : "a program", id);
	}
	return object;
}

static void join_functions(struct wm_wpp_view *view)
{
	const struct wm_wpp_table *table = &view->wpp.table;
	const struct wm_object **object = find_objects(view);
	size_t count = view->story.function_count;
	const struct wm_story_function **sorted = wm_xmalloc((count + 1) * sizeof(*sorted));
	for (size_t i = 0; i < count; i++)
		sorted[i] = &view->story.function[i];
	qsort(sorted, count, sizeof *sorted, by_identity);
	for (uint32_t f = 0; f < table->function_count; f++) {
		const struct wm_wpp_function *function = &table->function[f];
		view->told[f] = find_function(sorted, count, object[function->object], function);
	}
	free(sorted);
	free(object);
}

/* ---- Plans --------------------------------------------------------------------------- */

static void plan_function(struct wm_wpp_view *view, uint32_t f)
{
	if (wm_recorded_plan(&view->function[f], view->told[f]->map, &view->arena) == WM_NO_MEMORY)
		wm_no_memory();
}

static void plan_functions(struct wm_wpp_view *view)
{
	const struct wm_grammar *grammar = &view->wpp.grammar;
	for (uint32_t w = 0; w < grammar->word_count; w++) {
		uint32_t f = wm_stream_function(grammar->word[w]);
		bool subpath = !wm_stream_is_special(grammar->word[w]) && f < view->wpp.table.function_count;
		if (subpath && view->told[f] && !view->function[f].plan)
			plan_function(view, f);
	}
}

static void *allocate_array(struct wm_wpp_view *view, size_t count, size_t size)
{
	void *memory = wm_arena_alloc(&view->arena, count, size);
	if (!memory)
		wm_no_memory();
	return memory;
}

static void open_subpaths(struct wm_wpp_view *view, const struct wm_operands *operands, const char *debug_dir)
{
	uint32_t count = view->wpp.table.function_count;
	wm_binaries_open(&view->binaries, operands, debug_dir);
	wm_story_build_bare(&view->story, view->binaries.object, view->binaries.count);
	view->told = allocate_array(view, count, sizeof *view->told);
	view->function = allocate_array(view, count, sizeof *view->function);
	join_functions(view);
	plan_functions(view);
}

void wm_wpp_view_open(
	struct wm_wpp_view *view, struct wm_wpp *wpp, const struct wm_operands *operands, const char *debug_dir)
{
	*view = (struct wm_wpp_view){.wpp = *wpp};
	*wpp = (struct wm_wpp){0};
	const struct wm_wpp_table *table = &view->wpp.table;
	uint64_t position = 0;
	wm_arena_init(&view->arena);
	enum wm_status status = wm_grammar_index_make(&view->index, &view->wpp.grammar);
	if (status == WM_TOO_MANY)
		wm_fail("the grammar of the recording makes no sense: a rule occurs 2^64 times or more");
	if (status != WM_OK)
		wm_no_memory();
	view->start = allocate_array(view, table->stream_count + 1, sizeof *view->start);
	view->warned = allocate_array(view, table->stream_count + 1, sizeof *view->warned);
	for (uint32_t s = 0; s < table->stream_count; s++, view->start[s] = position)
		position += table->stream[s].length;
	switch (table->kind) {
	case WM_WPP_SUBPATHS:
		open_subpaths(view, operands, debug_dir);
		break;
	case WM_WPP_BRANCHES:
		view->branches = allocate_array(view, 1, sizeof *view->branches);
		wm_wpp_branches_open(view->branches, table, operands, debug_dir);
		break;
	}
}

void wm_wpp_view_release(struct wm_wpp_view *view)
{
	if (view->branches) {
		wm_wpp_branches_release(view->branches);
	} else {
		wm_story_release(&view->story);
		wm_binaries_release(&view->binaries);
	}
	wm_grammar_index_release(&view->index);
	wm_wpp_release(&view->wpp);
	wm_arena_release(&view->arena);
}

/* ---- Entries ------------------------------------------------------------------------- */

static void find_trail(struct wm_wpp_subpath *subpath, const struct wm_parts *parts, struct wm_block_path *path,
	struct wm_arena *arena)
{
	uint32_t first = path->block[0], last = path->block[path->length - 1];
	for (uint32_t i = 0; i < path->length; i++)
		path->block[i] = parts->block[path->block[i]];
	if (path->last_edge != WM_NONE)
		path->last_edge = parts->edge[path->last_edge];
	wm_story_block_trail(subpath->function, path, &subpath->trail, arena);
	subpath->trail.step[0].site = parts->behind[first];
	subpath->trail.cut = path->end == WM_END_CALL ? parts->before[last] : WM_NONE;
}

uint32_t wm_wpp_function(const struct wm_wpp_view *view, uint64_t entry)
{
	uint32_t f = wm_stream_function(entry);
	return view->branches && f < view->wpp.table.function_count ? view->branches->procedure[f] : f;
}

char *wm_wpp_function_name(const struct wm_wpp_view *view, uint32_t function)
{
	return view->branches ? wm_wpp_branches_name(view->branches, function)
			      : wm_xstrdup(view->told[function]->brief);
}

bool wm_wpp_subpath(
	const struct wm_wpp_view *view, uint64_t entry, struct wm_wpp_subpath *subpath, struct wm_arena *arena)
{
	uint32_t f = wm_stream_function(entry);
	if (wm_stream_is_special(entry) || f >= view->wpp.table.function_count || !view->function[f].plan)
		return false;
	*subpath = (struct wm_wpp_subpath){.function = view->told[f], .index = f, .id = wm_stream_id(entry)};
	struct wm_block_path path = {0};
	enum wm_status status = wm_plan_decode(view->function[f].plan, subpath->id, &path, arena);
	if (status == WM_NO_MEMORY)
		wm_no_memory();
	if (status == WM_OK)
		find_trail(subpath, view->function[f].parts, &path, arena);
	return status == WM_OK;
}

/* NULL: the site is WM_NONE. */
static char *callee_name(const struct wm_wpp_subpath *subpath, uint32_t site)
{
	if (site == WM_NONE)
		return NULL;
	const char *name = wm_map_callee(subpath->function->module, &subpath->function->map->call[site]);
	return name ? wm_demangle(name) : wm_xstrdup("a function pointer");
}

char *wm_wpp_way(const struct wm_wpp_subpath *subpath)
{
	const struct wm_trail *trail = &subpath->trail;
	char *behind = callee_name(subpath, trail->step[0].site), *before = callee_name(subpath, trail->cut);
	char *way = wm_xprintf("%s%s to %s%s",
		behind				 ? "after the call of "
		: trail->start == WM_START_ENTRY ? "from the entry"
		: trail->start == WM_START_LOOP	 ? "from the loop"
						 : "from a cut",
		behind ? behind : "", before ? "the call of " : wm_end_text(trail->end), before ? before : "");
	free(behind);
	free(before);
	return way;
}

const char *wm_wpp_stop_text(uint64_t why)
{
	switch (why) {
	case WM_STREAM_STOP_LIMIT:
		return "WAYMARK_WPP_LIMIT was reached";
	case WM_STREAM_STOP_FULL:
		return "the file could not grow";
	case WM_STREAM_STOP_FOREIGN:
		return "a process that was forked without fork handlers wrote to it";
	case WM_STREAM_STOP_DAMAGED:
		return "what follows is damaged or missing";
	case WM_STREAM_STOP_READER:
		return "waymark was interrupted while it read the raw profile";
	}
	return "the reason is not known";
}

char *wm_wpp_special_text(uint64_t entry)
{
	static const char *const names[WM_STREAM_KINDS] = {[WM_STREAM_START] = "thread started",
		[WM_STREAM_FORK] = "forked, entries of the parent",
		[WM_STREAM_PARENT] = "stream of the parent",
		[WM_STREAM_CREATE] = "created thread",
		[WM_STREAM_JOIN] = "joined thread",
		[WM_STREAM_STAMP] = "stamp",
		[WM_STREAM_FRAME] = "activation",
		[WM_STREAM_LAND] = "control is back in activation",
		[WM_STREAM_WAIT] = "waited for the spooler",
		[WM_STREAM_STOP] = "recording stopped"};
	unsigned kind = wm_stream_kind(entry);
	if (!entry)
		return wm_xstrdup("hole");
	if (!wm_stream_is_special(entry) || kind >= WM_STREAM_KINDS)
		return wm_xprintf("unknown entry %#" PRIx64, entry);
	if (kind == WM_STREAM_WAIT)
		return wm_xprintf("%s, %" PRIu64 " microseconds", names[kind], wm_stream_value(entry));
	if (kind == WM_STREAM_STOP)
		return wm_xprintf("%s: %s", names[kind], wm_wpp_stop_text(wm_stream_value(entry)));
	return wm_xprintf("%s %#" PRIx64, names[kind], wm_stream_value(entry));
}

static bool is_identity(uint64_t entry)
{
	unsigned kind = wm_stream_kind(entry);
	return wm_stream_is_special(entry) && (kind == WM_STREAM_FRAME || kind == WM_STREAM_LAND);
}

uint64_t *wm_wpp_weights(const struct wm_wpp_view *view)
{
	const struct wm_grammar *grammar = &view->wpp.grammar;
	uint64_t *weight = wm_xmalloc((grammar->word_count + 1) * sizeof *weight);
	for (uint32_t w = 0; view->branches && w < grammar->word_count; w++)
		weight[w] = wm_wpp_branches_weight(view->branches, grammar->word[w]);
	for (uint32_t w = 0; !view->branches && w < grammar->word_count; w++) {
		struct wm_arena arena;
		struct wm_wpp_subpath subpath;
		wm_arena_init(&arena);
		weight[w] = is_identity(grammar->word[w]) ? 0 : WM_HOT_NEVER;
		if (wm_wpp_subpath(view, grammar->word[w], &subpath, &arena))
			weight[w] = subpath.trail.count;
		wm_arena_release(&arena);
	}
	return weight;
}
