/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The profile of a scheme across calls, computed from a recording.  Which calls are crossed, and so what the numbers of
 * paths mean, was decided when the instrumented build was linked: --like names that build, and its units are read from
 * it.  A recorded function is the function of a unit with the same key and the same graph.
 */
#include "analysis/join/units.h"
#include "analysis/recording/as.h"
#include "analysis/replay/recount.h"
#include "support/tool.h"
#include <string.h>

struct conversion {
	const struct wm_wpp_view *view;
	const struct wm_scheme *scheme;
	struct wm_binaries binaries; /* of --like */
	struct wm_units *units; /* per binary */
	const struct wm_binary_unit **unit; /* those of this scheme */
	struct wm_tally_member *member; /* per recorded function */
	struct wm_tallies tallies; /* of the units of this scheme */
	struct wm_arena arena;
};

static void *obtain(struct conversion *c, size_t count, size_t size)
{
	void *memory = wm_arena_alloc(&c->arena, count, size);
	if (!memory)
		wm_bug("out of memory");
	return memory;
}

/* ---- The units of the instrumented build ------------------------------------------------ */

static void open_unit(struct conversion *c, const struct wm_binary_unit *unit)
{
	struct wm_probed *probed;
	if (wm_unit_probes_make(&unit->plan, NULL, NULL, &probed, &c->arena) != WM_OK)
		wm_bug("out of memory");
	c->unit[c->tallies.unit_count] = unit;
	wm_tally_unit_init(
		&c->tallies.unit[c->tallies.unit_count++], unit->unit.function_count, &unit->plan, probed, &c->arena);
}

static void open_units(struct conversion *c)
{
	size_t all = 0;
	c->units = obtain(c, c->binaries.count, sizeof *c->units);
	for (size_t i = 0; i < c->binaries.count; i++) {
		wm_units_read(&c->units[i], &c->binaries.object[i], &c->arena);
		all += c->units[i].count;
		if (*c->units[i].trouble)
			wm_fail("the paths of %s cannot be numbered: %s", c->binaries.object[i].path,
				c->units[i].trouble);
	}
	c->unit = obtain(c, all, sizeof *c->unit);
	c->tallies.unit = obtain(c, all, sizeof *c->tallies.unit);
	for (size_t i = 0; i < c->binaries.count; i++)
		for (uint32_t u = 0; u < c->units[i].count; u++)
			if (c->units[i].unit[u]->scheme == c->scheme)
				open_unit(c, c->units[i].unit[u]);
	if (!c->tallies.unit_count)
		wm_fail("%s does not count paths of the scheme %s; compile it with -fwaymark-scheme=%s",
			c->binaries.object[0].path, c->scheme->name, c->scheme->name);
}

/* ---- Recorded functions and functions of units --------------------------------------------- */

static const struct wm_map_function *find_in_maps(const struct wm_binaries *binaries, uint64_t key)
{
	for (size_t i = 0; i < binaries->count; i++)
		for (uint32_t m = 0; m < binaries->object[i].map.module_count; m++) {
			const struct wm_map_module *module = &binaries->object[i].map.module[m];
			for (uint32_t f = 0; f < module->function_count; f++)
				if (module->function[f].key == key)
					return &module->function[f];
		}
	return NULL;
}

static bool has_same_calls(const struct wm_map_function *a, const struct wm_map_function *b)
{
	for (uint32_t i = 0; a->call_count == b->call_count && i < a->call_count; i++)
		if (a->call[i].block != b->call[i].block || a->call[i].unwinds != b->call[i].unwinds ||
			a->call[i].followed != b->call[i].followed)
			return false;
	return a->call_count == b->call_count;
}

/* Whether `like` is the other build of the object that has a recorded function: an inline function may be in a program
 * and in its shared objects.  If no binary has the name of the object, because the other build is called differently, every
 * binary is taken. */
static bool is_like(const struct conversion *c, const struct wm_object *like, uint32_t function)
{
	const char *name = c->view->wpp.table.object[c->view->wpp.table.function[function].object].program;
	for (size_t i = 0; i < c->binaries.count; i++)
		if (!strcmp(c->binaries.object[i].program, name))
			return !strcmp(like->program, name);
	return true;
}

static const struct wm_unit_index *find_index(const struct conversion *c, uint32_t function)
{
	const struct wm_map_function *recorded = c->view->told[function]->map;
	const struct wm_map_function wanted = {
		.key = recorded->key, .graph_hash = wm_map_graph_hash(&recorded->graph, c->scheme->name)};
	for (size_t i = 0; i < c->binaries.count; i++) {
		const struct wm_unit_index *found =
			is_like(c, &c->binaries.object[i], function) ? wm_units_of(&c->units[i], &wanted) : NULL;
		if (found && has_same_calls(recorded, found->map))
			return found;
	}
	return NULL;
}

/* Of a function that a library defines, the recorded build may have an inline body; for the other build it is outside. */
static bool is_outside(const struct wm_binaries *binaries, uint64_t key)
{
	for (size_t i = 0; i < binaries->count; i++)
		if (wm_map_find_outside(&binaries->object[i].map, key))
			return true;
	return false;
}

/* A function that ran must be in the other build with the same graph, unless that build left it out by a decision of
 * its own. */
static void refuse_stranger(const struct conversion *c, const struct wm_map_function *recorded)
{
	const struct wm_map_function *other = find_in_maps(&c->binaries, recorded->key);
	const char *path = c->binaries.object[0].path;
	if (!other && is_outside(&c->binaries, recorded->key))
		return;
	if (!other)
		wm_fail("the recording has the function %s, and %s does not; both must be builds of the same program",
			recorded->name, path);
	if (other->status != WM_SKIPPED)
		wm_fail("the graph of the function %s in %s is not the recorded one; compile both builds with the same "
			"options except -fwaymark-wpp and -fwaymark-scheme",
			recorded->name, path);
}

static struct wm_tally_unit *find_unit(const struct conversion *c, const struct wm_binary_unit *unit)
{
	size_t u = 0;
	while (c->unit[u] != unit)
		u++;
	return &c->tallies.unit[u];
}

static void match_function(struct conversion *c, uint32_t f)
{
	const struct wm_map_function *recorded = c->view->told[f]->map;
	const struct wm_unit_index *index = find_index(c, f);
	struct wm_tally_unit *unit = index ? find_unit(c, index->unit) : NULL;
	/* The map of a recording does not tell which calls may return twice, only that the function has such calls. */
	if (unit) {
		c->member[f] = (struct wm_tally_member){unit, index->function, recorded};
		unit->tally[index->function].twice |= recorded->has_resumed;
	} else if (c->view->function[f].plan) {
		refuse_stranger(c, recorded);
	}
}

static void match_functions(struct conversion *c)
{
	uint32_t count = c->view->wpp.table.function_count;
	c->tallies.member = c->member = obtain(c, count, sizeof *c->member);
	for (uint32_t f = 0; f < count; f++)
		if (c->view->told[f])
			match_function(c, f);
}

/* Functions that count in the instrumented build and are not recorded: what they did is not known. */
static void warn_of_unrecorded(const struct conversion *c)
{
	for (size_t u = 0; u < c->tallies.unit_count; u++)
		for (uint32_t f = 0; f < c->unit[u]->unit.function_count; f++) {
			const struct wm_map_function *map = c->unit[u]->member[f].map;
			const struct wm_map_function *recorded =
				map->status == WM_SKIPPED ? NULL : find_in_maps(&c->view->binaries, map->key);
			if (recorded && recorded->status == WM_SKIPPED)
				wm_warn("function %s is not recorded: %s; its paths and those that cross into it are "
					"missing",
					map->name, recorded->reason);
		}
}

/* ---- The profile -------------------------------------------------------------------------- */

static void add_function(const struct conversion *c, struct wm_profile_object *object, size_t u, uint32_t f)
{
	const struct wm_binary_unit *unit = c->unit[u];
	const struct wm_map_function *map = unit->member[f].map;
	struct wm_tally_sums *own = &c->tallies.unit[u].tally[f].sums[WM_OWN];
	struct wm_tally_sums *inherited = &c->tallies.unit[u].tally[f].sums[WM_INHERITED];
	struct wm_profile_function function = {.key = map->key,
		.graph_hash = unit->hash,
		.source = unit->source,
		.flags = (map->has_entries ? WM_FUNC_ENTRIES : 0) | (map->has_resumed ? WM_FUNC_RESUMED : 0),
		.entries = own->entries,
		.resumed = own->resumed,
		.base_entries = inherited->entries,
		.base_resumed = inherited->resumed};
	wm_wpp_add_counts(&function, &own->ids, false);
	wm_wpp_add_counts(&function, &inherited->ids, true);
	wm_wpp_add_function(object, &function);
}

static void add_object(const struct conversion *c, struct wm_profile *profile, const struct wm_object *from)
{
	struct wm_profile_object object =
		wm_wpp_make_object(c->view, from->build_id, from->build_id_size, from->program);
	for (size_t u = 0; u < c->tallies.unit_count; u++)
		for (uint32_t f = 0; c->unit[u]->object == from && f < c->unit[u]->unit.function_count; f++)
			add_function(c, &object, u, f);
	wm_wpp_add_object(profile, &object);
}

void wm_wpp_across(const struct wm_wpp_view *view, const struct wm_wpp_as *as, const struct wm_scheme *scheme,
	struct wm_profile *profile)
{
	struct conversion c = {.view = view, .scheme = scheme};
	wm_arena_init(&c.arena);
	wm_binaries_open(&c.binaries, as->like, as->debug_dir);
	open_units(&c);
	match_functions(&c);
	warn_of_unrecorded(&c);
	const struct wm_sink sink = wm_tallies_sink(&c.tallies);
	wm_wpp_count(
		view, &sink, &c.tallies.activations, "their paths are not counted, and calls from them begin paths");
	for (size_t i = 0; i < c.binaries.count; i++)
		add_object(&c, profile, &c.binaries.object[i]);
	wm_tallies_release(&c.tallies);
	wm_binaries_release(&c.binaries);
	wm_arena_release(&c.arena);
}
