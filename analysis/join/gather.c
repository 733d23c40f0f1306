/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/join/gather.h"
#include "core/base/search.h"
#include "profile/map/unit_identity.h"
#include "support/fail.h"
#include "support/xalloc.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *wm_site_fate_text(uint8_t fate)
{
	switch ((enum wm_site_fate)fate) {
	case WM_SITE_INDIRECT:
		return "the call is indirect";
	case WM_SITE_OUTSIDE:
		return "the callee is outside of the unit";
	case WM_SITE_NOT_PREPARED:
		return "the call cannot be crossed";
	case WM_SITE_REPLACEABLE:
		return "another shared object may replace the callee";
	case WM_SITE_SEVERAL:
		return "the callee has several definitions";
	case WM_SITE_HANDLER:
		return "the callee may run as a signal handler";
	case WM_SITE_WRAPPED:
		return "--wrap replaces the callee";
	case WM_SITE_LISTED:
		return "-fwaymark-cross says so";
	case WM_SITE_NOT_LEAF:
		return "the callee calls functions itself";
	case WM_SITE_OF_LINK:
		return "the callee may be replaced at link time or run as a signal handler, or ids would be too large";
	case WM_SITE_FATE_END:
		break;
	}
	return wm_crossing_text((enum wm_crossing)fate);
}

/* A function of the map that may be a member of a unit. */
struct candidate {
	struct wm_unit_member member;
	const struct wm_scheme *scheme;
	uint64_t layout; /* wm_unit_layout() */
};
struct candidates {
	size_t count;
	struct candidate *candidate; /* malloc'd */
};

static void *obtain(struct wm_arena *arena, size_t count, size_t size)
{
	void *memory = wm_arena_alloc(arena, count, size);
	if (!memory)
		wm_no_memory();
	return memory;
}

static const struct wm_scheme *scheme_of(const struct wm_map_function *function)
{
	struct wm_scheme_choice choice;
	return wm_scheme_parse(function->scheme, &choice) == WM_OK && choice.scheme->crosses ? choice.scheme : NULL;
}

/* A function that is skipped after its unit was numbered stays in the unit. */
static bool is_member(const struct wm_map_function *function)
{
	return function->graph.block_count && function->unit && scheme_of(function);
}

bool wm_counts_across(const struct wm_map_function *function)
{
	return function->status != WM_SKIPPED && is_member(function);
}

static void add_candidate(
	struct candidates *list, const struct wm_map_module *module, const struct wm_map_function *function)
{
	WM_XGROW(list->candidate, list->count);
	list->candidate[list->count++] = (struct candidate){
		{.map = function, .module = module}, scheme_of(function), wm_unit_layout(module, function)};
}

static void add_module(struct candidates *list, const struct wm_map_module *module)
{
	for (uint32_t i = 0; i < module->function_count; i++)
		if (is_member(&module->function[i]))
			add_candidate(list, module, &module->function[i]);
}

/* ---- Orders -------------------------------------------------------------------- */

static int compare_words(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/* By key and layout, which a link record has; then by source, so that the order of the link does not matter. */
static int by_key(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;
	int order = compare_words(a->member.map->key, b->member.map->key);
	order = order ? order : compare_words(a->layout, b->layout);
	return order ? order : strcmp(a->member.module->source, b->member.module->source);
}

/* The canonical order of the functions of a unit, unit by unit. */
static int by_name(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;
	int order = strcmp(a->scheme->name, b->scheme->name);
	order = order ? order : strcmp(a->member.map->name, b->member.map->name);
	return order ? order : by_key(left, right);
}

static void sort_candidates(struct candidates *list, int (*order)(const void *, const void *))
{
	if (list->count)
		qsort(list->candidate, list->count, sizeof *list->candidate, order);
}

/* ---- Callees --------------------------------------------------------------------- */

static int by_word(const void *left, const void *right)
{
	const struct wm_keyed *a = left, *b = right;
	int order = compare_words(a->key, b->key);
	return order ? order : compare_words(a->function, b->function);
}

struct wm_keyed *wm_unit_keys(const struct wm_binary_unit *unit, struct wm_arena *arena)
{
	uint32_t count = unit->unit.function_count;
	struct wm_keyed *keyed = obtain(arena, count, sizeof *keyed);
	for (uint32_t f = 0; f < count; f++)
		keyed[f] = (struct wm_keyed){unit->member[f].map->key, f, unit->member[f].flags & WM_LINK_WEAK};
	qsort(keyed, count, sizeof *keyed, by_word);
	return keyed;
}

uint32_t wm_keyed_find(const struct wm_keyed *keyed, uint32_t count, uint64_t key)
{
	uint32_t i;
	WM_LOWER_BOUND(i, 0, count, keyed[i].key < key);
	return i < count && keyed[i].key == key ? i : count;
}

uint64_t wm_callee_key(const struct wm_map_module *module, uint32_t callee)
{
	if (callee < module->function_count)
		return module->function[callee].key;
	return wm_function_key(module->outside[callee - module->function_count], NULL);
}

/* The names of the functions of a unit, aliases included, by key. */
struct names {
	uint32_t count, capacity;
	struct wm_keyed *name;
};

static void add_name(struct names *names, struct wm_keyed name, struct wm_arena *arena)
{
	names->name = wm_arena_grow(arena, names->name, &names->capacity, names->count, sizeof *names->name);
	if (!names->name)
		wm_no_memory();
	names->name[names->count++] = name;
}

static bool is_aliased(
	const struct wm_binary_unit *unit, uint32_t f, const struct wm_map_function *function, uint64_t layout)
{
	const struct wm_unit_member *member = &unit->member[f];
	if (!unit->linked)
		return member->map == function;
	return !(member->flags & WM_LINK_COPY) && wm_unit_layout(member->module, member->map) == layout;
}

/* The alias names the definition beside which it stands, whatever other definitions there are. */
static void add_alias(struct names *names, const struct wm_binary_unit *unit, const struct wm_keyed *keyed,
	const struct wm_map_module *module, const struct wm_map_alias *alias, struct wm_arena *arena)
{
	const struct wm_map_function *function = &module->function[alias->function];
	uint32_t count = unit->unit.function_count;
	if (!is_member(function))
		return;
	uint64_t layout = wm_unit_layout(module, function);
	for (uint32_t i = wm_keyed_find(keyed, count, function->key); i < count && keyed[i].key == function->key; i++)
		if (is_aliased(unit, keyed[i].function, function, layout))
			add_name(names,
				(struct wm_keyed){wm_function_key(alias->name, NULL), keyed[i].function, alias->weak},
				arena);
}

/* Copies of an inline function have the same alias: one name. */
static void sort_names(struct names *names)
{
	uint32_t kept = 0;
	qsort(names->name, names->count, sizeof *names->name, by_word);
	for (uint32_t i = 0; i < names->count; i++)
		if (!kept || by_word(&names->name[kept - 1], &names->name[i]))
			names->name[kept++] = names->name[i];
	names->count = kept;
}

static struct names make_names(const struct wm_binary_unit *unit, struct wm_arena *arena)
{
	const struct wm_map *map = &unit->object->map;
	const struct wm_keyed *keyed = wm_unit_keys(unit, arena);
	struct names names = {0};
	for (uint32_t f = 0; f < unit->unit.function_count; f++)
		add_name(&names, keyed[f], arena);
	for (uint32_t m = 0; m < map->module_count; m++)
		for (uint32_t i = 0; i < map->module[m].alias_count; i++)
			if (unit->linked || unit->module == &map->module[m])
				add_alias(&names, unit, keyed, &map->module[m], &map->module[m].alias[i], arena);
	sort_names(&names);
	return names;
}

/* The function with this key, or WM_NONE with the reason. */
static uint32_t find_callee(const struct wm_binary_unit *unit, const struct names *names, uint64_t key, uint8_t *fate)
{
	uint32_t count = names->count, first = wm_keyed_find(names->name, count, key);
	uint32_t found = WM_NONE, definitions = 0, strong = 0;
	for (uint32_t i = first; i < count && names->name[i].key == key; i++) {
		bool weak = names->name[i].weak;
		definitions++;
		strong += !weak;
		found = found == WM_NONE || !weak ? names->name[i].function : found;
	}
	if (definitions == 0 || (definitions == 1 && unit->member[found].flags & WM_LINK_COPY))
		*fate = WM_SITE_OUTSIDE;
	else if (definitions > 1 && strong != 1)
		*fate = WM_SITE_SEVERAL;
	return *fate == WM_CROSSED ? found : WM_NONE;
}

static void resolve_calls(struct wm_binary_unit *unit, const struct names *names, uint32_t function)
{
	const struct wm_map_module *module = unit->member[function].module;
	const struct wm_unit_function *f = &unit->unit.function[function];
	for (uint32_t i = 0; i < f->call_count; i++) {
		uint8_t *fate = &unit->fate[function][i];
		*fate = f->call[i].callee == WM_NONE ? WM_SITE_INDIRECT : WM_CROSSED;
		if (*fate == WM_CROSSED)
			f->call[i].callee = find_callee(unit, names, wm_callee_key(module, f->call[i].callee), fate);
		if (*fate == WM_CROSSED && f->call[i].opaque)
			*fate = WM_SITE_NOT_PREPARED;
	}
}

/* ---- Units ------------------------------------------------------------------------ */

static void set_function(struct wm_binary_unit *unit, uint32_t function, struct wm_arena *arena)
{
	const struct wm_map_function *map = unit->member[function].map;
	struct wm_call *call = obtain(arena, map->call_count, sizeof *call);
	if (map->call_count)
		memcpy(call, map->call, map->call_count * sizeof *call);
	unit->unit.function[function] = (struct wm_unit_function){map->name, &map->graph, map->call_count, call};
	unit->fate[function] = obtain(arena, map->call_count, 1);
}

/* A unit of these candidates, which have one scheme. */
static void add_unit(
	struct wm_units *units, const struct candidates *list, struct wm_binary_unit like, struct wm_arena *arena)
{
	struct wm_binary_unit *unit = obtain(arena, 1, sizeof *unit);
	uint32_t count = (uint32_t)list->count;
	*unit = like;
	unit->scheme = list->candidate[0].scheme;
	unit->member = obtain(arena, count, sizeof *unit->member);
	unit->fate = obtain(arena, count, sizeof *unit->fate);
	unit->unit = (struct wm_unit){count, obtain(arena, count, sizeof *unit->unit.function)};
	for (uint32_t f = 0; f < count; f++) {
		unit->member[f] = list->candidate[f].member;
		set_function(unit, f, arena);
	}
	struct names names = make_names(unit, arena);
	for (uint32_t f = 0; f < count; f++)
		resolve_calls(unit, &names, f);
	units->unit = wm_arena_grow(arena, units->unit, &units->capacity, units->count, sizeof(*units->unit));
	if (!units->unit)
		wm_no_memory();
	units->unit[units->count++] = unit;
}

static void add_units(
	struct wm_units *units, struct candidates *list, struct wm_binary_unit like, struct wm_arena *arena)
{
	sort_candidates(list, by_name);
	for (size_t low = 0, high; low < list->count; low = high) {
		for (high = low; high < list->count && list->candidate[high].scheme == list->candidate[low].scheme;)
			high++;
		add_unit(units, &(struct candidates){high - low, list->candidate + low}, like, arena);
	}
}

static int compare_record(const struct candidate *candidate, const struct wm_link *record)
{
	int order = compare_words(candidate->member.map->key, record->key);
	return order ? order : compare_words(candidate->layout, record->layout);
}

/* The first function that a link record describes, or NULL. */
static const struct candidate *described(const struct candidates *list, const struct wm_link *record)
{
	size_t i;
	WM_LOWER_BOUND(i, 0, list->count, compare_record(&list->candidate[i], record) < 0);
	bool found = i < list->count && compare_record(&list->candidate[i], record) == 0;
	return found ? &list->candidate[i] : NULL;
}

/* A link record by what it describes. */
struct keyed_link {
	uint64_t key, layout;
	uint32_t link;
};

static int by_described(const void *left, const void *right)
{
	const struct keyed_link *a = left, *b = right;
	int order = compare_words(a->key, b->key);
	order = order ? order : compare_words(a->layout, b->layout);
	return order ? order : compare_words(a->link, b->link);
}

static struct keyed_link *sort_links(const struct wm_links *links)
{
	struct keyed_link *sorted = wm_xmalloc((links->count + (size_t)1) * sizeof *sorted);
	for (uint32_t i = 0; i < links->count; i++)
		sorted[i] = (struct keyed_link){links->link[i].record.key, links->link[i].record.layout, i};
	qsort(sorted, links->count, sizeof *sorted, by_described);
	return sorted;
}

/* The first `count` records describe this function. */
static void add_present(struct candidates *present, const struct candidate *found, const struct wm_links *links,
	const struct keyed_link *sorted, uint32_t count, struct wm_arena *arena)
{
	struct candidate member = *found;
	uint64_t any = 0, all = UINT64_MAX, common = WM_LINK_WEAK | WM_LINK_COPY;
	member.member.link = obtain(arena, count, sizeof *member.member.link);
	member.member.link_count = count;
	for (uint32_t i = 0; i < count; i++) {
		member.member.link[i] = sorted[i].link;
		any |= links->link[sorted[i].link].record.flags;
		all &= links->link[sorted[i].link].record.flags;
	}
	member.member.flags = (any & ~common) | (all & common);
	WM_XGROW(present->candidate, present->count);
	present->candidate[present->count++] = member;
}

/* Returns how many records the map does not know. */
static uint32_t find_present(
	struct candidates *present, const struct candidates *all, const struct wm_links *links, struct wm_arena *arena)
{
	struct keyed_link *sorted = sort_links(links);
	uint32_t unknown = 0;
	for (uint32_t low = 0, high; low < links->count; low = high) {
		const struct wm_link *record = &links->link[sorted[low].link].record;
		const struct candidate *found = described(all, record);
		for (high = low; high < links->count && sorted[high].key == record->key &&
				 sorted[high].layout == record->layout;)
			high++;
		if (found)
			add_present(present, found, links, &sorted[low], high - low, arena);
		else
			unknown += high - low;
	}
	free(sorted);
	return unknown;
}

void wm_gather_whole(
	struct wm_units *units, const struct wm_object *object, const struct wm_links *links, struct wm_arena *arena)
{
	struct candidates all = {0}, present = {0};
	*units = (struct wm_units){0};
	for (uint32_t m = 0; m < object->map.module_count; m++)
		add_module(&all, &object->map.module[m]);
	sort_candidates(&all, by_key);
	uint32_t unknown = find_present(&present, &all, links, arena);
	if (unknown)
		snprintf(units->trouble, sizeof units->trouble, "the map does not describe %u of %u functions", unknown,
			links->count);
	add_units(units, &present, (struct wm_binary_unit){.object = object, .linked = true}, arena);
	free(all.candidate);
	free(present.candidate);
}

void wm_gather_alone(struct wm_units *units, const struct wm_object *object, struct wm_arena *arena)
{
	*units = (struct wm_units){0};
	for (uint32_t m = 0; m < object->map.module_count; m++) {
		const struct wm_map_module *module = &object->map.module[m];
		struct candidates list = {0};
		add_module(&list, module);
		add_units(units, &list, (struct wm_binary_unit){.object = object, .module = module}, arena);
		free(list.candidate);
	}
}

static void identify(struct wm_binary_unit *unit)
{
	uint32_t count = unit->unit.function_count;
	uint64_t *key = wm_xmalloc(3 * (count + (size_t)1) * sizeof *key), *graph_hash = key + count,
		 *source = graph_hash + count;
	uint32_t *code = wm_xmalloc((count + (size_t)1) * sizeof *code);
	for (uint32_t f = 0; f < count; f++) {
		key[f] = unit->member[f].map->key;
		graph_hash[f] = unit->member[f].map->graph_hash;
		source[f] = unit->member[f].map->source;
		code[f] = unit->member[f].map->code;
	}
	unit->hash = wm_unit_graph_hash(&unit->plan, key, graph_hash);
	unit->source = wm_unit_source(&unit->plan, source, code);
	free(code);
	free(key);
}

static uint8_t final_fate(const struct wm_binary_unit *unit, enum wm_crossing crossing)
{
	return crossing == WM_OVER_CHOSEN && !unit->linked ? WM_SITE_OF_LINK : (uint8_t)crossing;
}

void wm_gather_finish(struct wm_binary_unit *unit)
{
	for (uint32_t f = 0; f < unit->unit.function_count; f++)
		for (uint32_t i = 0; i < unit->unit.function[f].call_count; i++)
			if (unit->fate[f][i] == WM_CROSSED)
				unit->fate[f][i] = final_fate(unit, unit->plan.function[f].pairs->site[i].crossing);
	identify(unit);
}
