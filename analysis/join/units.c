/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/join/units.h"
#include "core/base/search.h"
#include "core/probes/unit_program.h"
#include "core/scheme/unit_plan.h"
#include "policy/roots.h"
#include "support/attempt.h"
#include "support/fail.h"
#include "support/xalloc.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A link record and the numbering of its function. */
struct numbered {
	uint64_t hash, key;
	uint32_t link;
};

struct reading {
	const struct wm_links *links;
	struct wm_units *units;
	struct wm_arena *arena;
	size_t numbered_count;
	struct numbered *numbered;
};

static void *obtain(const struct reading *r, size_t count, size_t size)
{
	void *memory = wm_arena_alloc(r->arena, count, size);
	if (!memory)
		wm_no_memory();
	return memory;
}

/* ---- Which sites are crossed ----------------------------------------------------- */

/* What the tables and the map say; the arrays of a request. */
struct answers {
	bool *entry;
	bool **over;
};

/* A fate that a table may hold. */
static bool is_fate(uint64_t word)
{
	return (word > WM_CROSSED && word <= WM_OVER_UNREACHED) ||
	       (word >= WM_SITE_INDIRECT && word < WM_SITE_FATE_END);
}

/* The words of the table of a function, up to its last call site, or NULL.  `at` receives the first word of every site. */
static const uint64_t *open_table(
	const struct reading *r, const struct wm_binary_unit *unit, uint32_t f, uint32_t *at, struct wm_arena *scratch)
{
	const struct wm_unit_function *in_unit = &unit->unit.function[f];
	struct wm_plan plan = {.in_unit = in_unit};
	uint32_t words = WM_UNIT_HEADER_WORDS;
	if (wm_dfs_run(&plan.dfs, in_unit->graph, scratch) != WM_OK)
		wm_no_memory();
	for (uint32_t i = 0; i < in_unit->call_count; i++) {
		at[i] = wm_plan_may_cross(&plan, i) ? words : WM_NONE;
		words += at[i] == WM_NONE ? 0 : wm_unit_site_words(unit->scheme);
	}
	return wm_links_table(r->links, unit->member[f].link[0], words);
}

/* False: the file does not have the table. */
static bool read_table(const struct reading *r, struct wm_binary_unit *unit, uint32_t f, struct answers *answers,
	struct wm_arena *scratch)
{
	uint32_t calls = unit->unit.function[f].call_count;
	uint32_t *at = WM_NEW(scratch, uint32_t, calls);
	if (!at)
		wm_no_memory();
	const uint64_t *word = open_table(r, unit, f, at, scratch);
	if (!word)
		return false;
	answers->entry[f] = word[WM_UNIT_FIRST] != WM_POISON;
	for (uint32_t i = 0; i < calls; i++) {
		uint8_t *fate = &unit->fate[f][i];
		bool crossed = at[i] != WM_NONE && word[at[i] + WM_SITE_TOKEN] != 0;
		if (*fate == WM_CROSSED && !crossed && at[i] != WM_NONE && is_fate(word[at[i] + WM_SITE_BEHIND]))
			*fate = (uint8_t)word[at[i] + WM_SITE_BEHIND];
		answers->over[f][i] = !crossed;
	}
	return true;
}

static bool answer_from_tables(const struct reading *r, struct wm_binary_unit *unit, struct answers *answers)
{
	bool whole = true;
	for (uint32_t f = 0; f < unit->unit.function_count && whole; f++) {
		struct wm_arena scratch;
		wm_arena_init(&scratch);
		whole = read_table(r, unit, f, answers, &scratch);
		wm_arena_release(&scratch);
	}
	return whole;
}

static int by_text(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static bool has_alias(const struct wm_map_module *module, const struct wm_map_function *function)
{
	for (uint32_t i = 0; i < module->alias_count; i++)
		if (&module->function[module->alias[i].function] == function)
			return true;
	return false;
}

/* For a file that is numbered alone: what the compiler knew (plugin/across/module_unit.h), from the map. */
static bool answer_from_map(const struct reading *r, struct wm_binary_unit *unit, struct answers *answers)
{
	uint32_t taken_count = unit->module->taken_count;
	const char **taken = obtain(r, taken_count, sizeof *taken);
	if (taken_count)
		memcpy(taken, unit->module->taken, taken_count * sizeof *taken);
	qsort(taken, taken_count, sizeof *taken, by_text);
	for (uint32_t f = 0; f < unit->unit.function_count; f++) {
		const struct wm_map_function *map = unit->member[f].map;
		answers->entry[f] = wm_is_entry((struct wm_entry_facts){.main = strcmp(map->name, "main") == 0,
			.visible = !map->local || has_alias(unit->module, map),
			.taken = bsearch(&map->name, taken, taken_count, sizeof *taken, by_text)});
		for (uint32_t i = 0; i < map->call_count; i++)
			answers->over[f][i] = !map->unit->crossed[i];
	}
	return true;
}

/* ---- Units ------------------------------------------------------------------------- */

static struct answers make_answers(const struct reading *r, const struct wm_binary_unit *unit)
{
	uint32_t count = unit->unit.function_count;
	struct answers answers = {obtain(r, count, sizeof(bool)), obtain(r, count, sizeof(bool *))};
	for (uint32_t f = 0; f < count; f++)
		answers.over[f] = obtain(r, unit->unit.function[f].call_count, sizeof(bool));
	return answers;
}

/* Whether all sites are crossed that the answers do not step over: else they are not those of this unit. */
static bool obeys(const struct wm_binary_unit *unit, const struct answers *answers)
{
	for (uint32_t f = 0; f < unit->unit.function_count; f++)
		for (uint32_t i = 0; i < unit->unit.function[f].call_count; i++)
			if ((unit->plan.function[f].pairs->site[i].crossing == WM_CROSSED) == answers->over[f][i])
				return false;
	return true;
}

static bool plan(const struct reading *r, struct wm_binary_unit *unit)
{
	struct answers answers = make_answers(r, unit);
	if (!(unit->linked ? answer_from_tables : answer_from_map)(r, unit, &answers))
		return false;
	struct wm_unit_request request = {.unit = &unit->unit,
		.scheme = unit->scheme,
		.share = WM_UNIT_SHARE,
		.entry = answers.entry,
		.over = (const bool *const *)answers.over};
	enum wm_status status = wm_unit_plan_make(&unit->plan, &request, r->arena);
	if (status == WM_NO_MEMORY)
		wm_no_memory();
	if (status != WM_OK || !obeys(unit, &answers))
		return false;
	wm_gather_finish(unit);
	return true;
}

/* Link records by the numbering that their function has: of several copies of a function that is numbered alone, the
 * numbering says which one the linker took. */
static int by_numbering(const void *left, const void *right)
{
	const struct numbered *a = left, *b = right;
	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	return a->key < b->key ? -1 : a->key > b->key;
}

static void sort_records(struct reading *r)
{
	for (uint32_t i = 0; i < r->links->count; i++) {
		const struct wm_func *func = wm_links_func(r->links, i);
		if (!func)
			continue;
		WM_XGROW(r->numbered, r->numbered_count);
		r->numbered[r->numbered_count++] = (struct numbered){func->graph_hash, r->links->link[i].record.key, i};
	}
	if (r->numbered_count)
		qsort(r->numbered, r->numbered_count, sizeof *r->numbered, by_numbering);
}

static void find_records(const struct reading *r, struct wm_binary_unit *unit)
{
	for (uint32_t f = 0; f < unit->unit.function_count; f++) {
		struct numbered wanted = {.hash = unit->hash, .key = unit->member[f].map->key};
		const struct numbered *found = r->numbered_count ? bsearch(&wanted, r->numbered, r->numbered_count,
									   sizeof wanted, by_numbering)
								 : NULL;
		if (!found)
			continue;
		unit->member[f].link = obtain(r, 1, sizeof *unit->member[f].link);
		unit->member[f].link[unit->member[f].link_count++] = found->link;
	}
}

static bool has_numbering(const struct reading *r, const struct wm_unit_member *member, uint64_t hash)
{
	for (uint32_t i = 0; i < member->link_count; i++) {
		const struct wm_func *func = wm_links_func(r->links, member->link[i]);
		if (!func || func->graph_hash != hash)
			return false;
	}
	return true;
}

/* Whether the compiled code has the numbers that the plan has. */
static bool agrees(const struct reading *r, const struct wm_binary_unit *unit)
{
	for (uint32_t f = 0; unit->linked && f < unit->unit.function_count; f++)
		if (!has_numbering(r, &unit->member[f], unit->hash))
			return false;
	return true;
}

static bool is_linked(const struct wm_links *links)
{
	for (uint32_t i = 0; i < links->count; i++)
		if (!(links->link[i].record.flags & WM_LINK_LINKED))
			return false;
	return links->located && links->count;
}

static void keep_whole_units(struct reading *r)
{
	struct wm_units *units = r->units;
	uint32_t kept = 0;
	for (uint32_t i = 0; i < units->count; i++) {
		struct wm_binary_unit *unit = units->unit[i];
		if (!plan(r, unit) || !agrees(r, unit)) {
			snprintf(units->trouble, sizeof units->trouble, "the numbering of %s does not fit its map",
				unit->module ? unit->module->source : "the program");
			continue;
		}
		if (!unit->linked)
			find_records(r, unit);
		units->unit[kept++] = unit;
	}
	units->count = kept;
}

static bool has_units(const struct wm_object *object)
{
	for (uint32_t m = 0; m < object->map.module_count; m++)
		for (uint32_t i = 0; i < object->map.module[m].function_count; i++)
			if (wm_counts_across(&object->map.module[m].function[i]))
				return true;
	return false;
}

/* By key, which wm_units_of searches for; the numbering of the whole file comes first. */
static int by_function(const void *left, const void *right)
{
	const struct wm_unit_index *a = left, *b = right;
	if (a->map->key != b->map->key)
		return a->map->key < b->map->key ? -1 : 1;
	if (a->unit->linked != b->unit->linked)
		return a->unit->linked ? -1 : 1;
	return (a->map > b->map) - (a->map < b->map);
}

static void make_index(struct reading *r)
{
	struct wm_units *units = r->units;
	for (uint32_t i = 0; i < units->count; i++)
		units->index_count += units->unit[i]->unit.function_count;
	struct wm_unit_index *next = units->index = obtain(r, units->index_count, sizeof *units->index);
	for (uint32_t i = 0; i < units->count; i++)
		for (uint32_t f = 0; f < units->unit[i]->unit.function_count; f++)
			*next++ = (struct wm_unit_index){units->unit[i]->member[f].map, units->unit[i], f};
	qsort(units->index, units->index_count, sizeof *units->index, by_function);
}

void wm_units_build(
	struct wm_units *units, const struct wm_object *object, const struct wm_links *links, struct wm_arena *arena)
{
	struct reading r = {.links = links, .units = units, .arena = arena};
	if (is_linked(links))
		wm_gather_whole(units, object, links, arena);
	else
		wm_gather_alone(units, object, arena);
	sort_records(&r);
	keep_whole_units(&r);
	make_index(&r);
	free(r.numbered);
}

static void close_links(void *links)
{
	wm_links_close(links);
}

void wm_units_read(struct wm_units *units, const struct wm_object *object, struct wm_arena *arena)
{
	struct wm_links links = {0};
	struct wm_guard guard;
	*units = (struct wm_units){0};
	if (!has_units(object))
		return;
	wm_guard_begin(&guard, close_links, &links);
	if (wm_links_open(&links, object->path))
		wm_units_build(units, object, &links, arena);
	else
		snprintf(units->trouble, sizeof units->trouble, "the file cannot be read (%s)", strerror(errno));
	wm_guard_end(&guard);
}

const struct wm_unit_index *wm_units_of(const struct wm_units *units, const struct wm_map_function *function)
{
	const struct wm_unit_index *copy = NULL;
	size_t i;
	WM_LOWER_BOUND(i, 0, units->index_count, units->index[i].map->key < function->key);
	for (; i < units->index_count && units->index[i].map->key == function->key; i++) {
		const struct wm_unit_index *at = &units->index[i];
		if (at->map == function)
			return at;
		if (!copy && at->map->graph_hash == function->graph_hash)
			copy = at;
	}
	return copy;
}
