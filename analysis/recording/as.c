/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The profile of a scheme, computed from a recording (analysis/replay/recount.h).
 *
 * The functions of the recording are one unit if paths do not cross calls.  If they do, which calls are crossed, and so what
 * the numbers of paths mean, was decided when the instrumented build was linked: --like names that build, and its units are
 * read from it.  A recorded function is the function of a unit with the same key and the same graph.
 */
#include "analysis/recording/as.h"
#include "analysis/join/units.h"
#include "analysis/replay/recount.h"
#include "core/probes/pieces_probes.h"
#include "profile/base/scheme_name.h"
#include "profile/collect.h"
#include "profile/map/identity.h"
#include "support/fail.h"
#include "support/output.h"
#include "support/xalloc.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct conversion {
	const struct wm_wpp_view *view;
	const char *scheme; /* as the user wrote it */
	struct wm_tallies *tallies; /* those of `inside`, or `across` */
	struct wm_recount inside; /* of a scheme of single functions */
	/* Of a scheme across calls: */
	struct wm_tallies across;
	struct wm_arena arena;
	struct wm_binaries binaries; /* of --like */
	struct wm_units *units; /* per binary */
	const struct wm_binary_unit **unit; /* those of this scheme, as in tallies; NULL: paths do not cross calls */
	struct wm_tally_member *member; /* per recorded function */
};

static void *obtain(struct conversion *c, size_t count, size_t size)
{
	void *memory = wm_arena_alloc(&c->arena, count, size);
	if (!memory)
		wm_no_memory();
	return memory;
}

static void count_functions(struct conversion *c)
{
	c->inside = (struct wm_recount){.view = c->view, .scheme = c->scheme};
	wm_recount_take(&c->inside);
	c->tallies = &c->inside.tallies;
}

/* ---- The units of the instrumented build ------------------------------------------------ */

static void open_unit(struct conversion *c, const struct wm_binary_unit *unit)
{
	struct wm_probed *probed;
	if (wm_unit_probes_make(&unit->plan, NULL, NULL, &probed, &c->arena) != WM_OK)
		wm_no_memory();
	c->unit[c->tallies->unit_count] = unit;
	wm_tally_unit_init(
		&c->tallies->unit[c->tallies->unit_count++], unit->unit.function_count, &unit->plan, probed, &c->arena);
}

static void open_units(struct conversion *c, const struct wm_scheme *scheme)
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
	c->tallies->unit = obtain(c, all, sizeof *c->tallies->unit);
	for (size_t i = 0; i < c->binaries.count; i++)
		for (uint32_t u = 0; u < c->units[i].count; u++)
			if (c->units[i].unit[u]->scheme == scheme)
				open_unit(c, c->units[i].unit[u]);
	if (!c->tallies->unit_count)
		wm_fail("%s does not count paths of the scheme %s; compile it with -fwaymark-scheme=%s",
			c->binaries.object[0].path, c->scheme, c->scheme);
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
		.key = recorded->key, .graph_hash = wm_map_graph_hash(&recorded->graph, c->scheme)};
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
	return &c->tallies->unit[u];
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
	c->tallies->member = c->member = obtain(c, count, sizeof *c->member);
	for (uint32_t f = 0; f < count; f++)
		if (c->view->told[f])
			match_function(c, f);
}

/* Functions that count in the instrumented build and are not recorded: what they did is not known. */
static void warn_of_unrecorded(const struct conversion *c)
{
	for (size_t u = 0; u < c->tallies->unit_count; u++)
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

static void count_units(struct conversion *c, const struct wm_wpp_as *as, const struct wm_scheme *scheme)
{
	c->tallies = &c->across;
	wm_arena_init(&c->arena);
	wm_binaries_open(&c->binaries, as->like, as->debug_dir);
	open_units(c, scheme);
	match_functions(c);
	warn_of_unrecorded(c);
	const struct wm_sink sink = wm_tallies_sink(c->tallies);
	wm_wpp_count(c->view, &sink, &c->tallies->activations,
		"their paths are not counted, and calls from them begin paths");
}

static void release(struct conversion *c)
{
	if (!c->unit) {
		wm_recount_release(&c->inside);
		return;
	}
	wm_tallies_release(&c->across);
	wm_binaries_release(&c->binaries);
	wm_arena_release(&c->arena);
}

/* ---- The profile -------------------------------------------------------------------------- */

static void add_name(struct wm_profile_function *function, const struct wm_sequence_name *name, uint64_t count)
{
	struct wm_pieces *pieces = wm_xmalloc(sizeof *pieces + name->length * sizeof *pieces->piece);
	bool alone = name->length == 1 && name->piece[0] < WM_ALONE_BIT;
	pieces->length = name->length;
	memcpy(pieces->piece, name->piece, name->length * sizeof *name->piece);
	uint64_t id = alone ? WM_ALONE_BIT + name->piece[0] : wm_name_hash(pieces);
	bool done = wm_function_append(function, id, count, 0);
	for (uint32_t i = 0; !alone && done && i <= name->length; i++)
		done = wm_function_append(function, wm_name_key(id, i), (i ? name->piece[i - 1] : name->length) + 1, 0);
	if (!done)
		wm_no_memory();
	free(pieces);
}

static void add_names(struct wm_profile_function *function, struct wm_tally *tally)
{
	struct wm_id_counts *counts = &tally->sums[WM_OWN].ids;
	wm_id_counts_sort(counts, wm_by_id);
	for (size_t i = 0; i < counts->used; i++)
		add_name(function, &tally->names.name[counts->slot[i].id], counts->slot[i].count);
}

/* What the function counted, or, if `inherited`, what it had counted before a fork. */
static void add_counts(struct wm_profile_function *function, struct wm_id_counts *counts, bool inherited)
{
	wm_id_counts_sort(counts, wm_by_id);
	for (size_t i = 0; i < counts->used; i++) {
		const struct wm_id_count *slot = &counts->slot[i];
		if (!wm_function_append(function, slot->id, inherited ? 0 : slot->count, inherited ? slot->count : 0))
			wm_no_memory();
	}
}

static struct wm_profile_function record_inside(const struct conversion *c, uint32_t f)
{
	struct wm_tally *tally = &c->tallies->unit->tally[f];
	const struct wm_map_function *map = c->view->told[f]->map;
	char *scheme = wm_xprintf("%s%s", c->scheme, wm_plan_has_pieces(&tally->plan) ? WM_SEQUENCES : "");
	struct wm_profile_function function = {.key = map->key,
		.graph_hash = wm_map_graph_hash(&map->graph, scheme),
		.source = wm_map_source(map),
		.flags = WM_FUNC_ENTRIES | (map->has_resumed ? WM_FUNC_RESUMED : 0),
		.scheme = wm_scheme_name(scheme),
		.base_entries = tally->inherited};
	if (wm_plan_has_pieces(&tally->plan))
		add_names(&function, tally);
	else
		add_counts(&function, &tally->sums[WM_OWN].ids, false);
	free(scheme);
	return function;
}

static struct wm_profile_function record_across(const struct conversion *c, size_t u, uint32_t f)
{
	const struct wm_map_function *map = c->unit[u]->member[f].map;
	struct wm_tally_sums *sums = c->tallies->unit[u].tally[f].sums;
	struct wm_profile_function function = {.key = map->key,
		.graph_hash = c->unit[u]->hash,
		.source = c->unit[u]->source,
		.flags = (map->has_entries ? WM_FUNC_ENTRIES : 0) | (map->has_resumed ? WM_FUNC_RESUMED : 0),
		.scheme = wm_scheme_name(map->scheme),
		.base_entries = sums[WM_INHERITED].entries,
		.base_resumed = sums[WM_INHERITED].resumed};
	add_counts(&function, &sums[WM_OWN].ids, false);
	add_counts(&function, &sums[WM_INHERITED].ids, true);
	return function;
}

static void add_function(const struct conversion *c, struct wm_profile_object *object, size_t u, uint32_t f)
{
	const struct wm_tally_sums *own = &c->tallies->unit[u].tally[f].sums[WM_OWN];
	struct wm_profile_function function = c->unit ? record_across(c, u, f) : record_inside(c, f);
	function.entries = own->entries;
	function.resumed = own->resumed;
	WM_XGROW(object->function, object->function_count);
	object->function[object->function_count++] = function;
}

/* Whether a function of a unit was counted in this object.  A recorded function that was not entered has no name. */
static bool is_in(const struct conversion *c, size_t object, size_t u, uint32_t f)
{
	if (c->unit)
		return c->unit[u]->object == &c->binaries.object[object];
	return c->view->wpp.table.function[f].object == object && c->tallies->unit->tally[f].name;
}

static struct wm_profile_object make_object(
	const struct conversion *c, const uint8_t *build_id, uint32_t build_id_size, const char *program)
{
	struct wm_profile_object object = {.build_id_size = build_id_size, .runs = c->view->wpp.table.process_count};
	memcpy(object.build_id, build_id, sizeof object.build_id);
	memcpy(object.program, program, sizeof object.program);
	return object;
}

/* Takes over what the object points to. */
static void merge_object(struct wm_profile *profile, struct wm_profile_object *object)
{
	struct wm_profile one;
	wm_profile_init(&one);
	struct wm_profile_object *into = wm_profile_append_object(&one, object->build_id, object->build_id_size);
	object->function_capacity = object->function_count;
	if (!into || !wm_object_sort(object))
		wm_no_memory();
	*into = *object;
	if (wm_profile_merge(profile, &one))
		wm_no_memory();
	wm_profile_release(&one);
}

static void add_object(const struct conversion *c, struct wm_profile *profile, size_t index)
{
	const struct wm_wpp_object *recorded = c->unit ? NULL : &c->view->wpp.table.object[index];
	const struct wm_object *like = c->unit ? &c->binaries.object[index] : NULL;
	struct wm_profile_object object =
		like ? make_object(c, like->build_id, like->build_id_size, like->program)
		     : make_object(c, recorded->build_id, recorded->build_id_size, recorded->program);
	for (size_t u = 0; u < c->tallies->unit_count; u++)
		for (uint32_t f = 0; f < c->tallies->unit[u].function_count; f++)
			if (is_in(c, index, u, f))
				add_function(c, &object, u, f);
	merge_object(profile, &object);
}

static void write_profile(struct wm_profile *profile, uint64_t runs, const char *path)
{
	uint8_t *data;
	size_t size;
	profile->runs = runs;
	if (wm_indexed_write(profile, &data, &size))
		wm_no_memory();
	wm_write_file(path, data, size);
	free(data);
	wm_profile_release(profile);
}

void wm_wpp_as(const struct wm_wpp_view *view, const struct wm_wpp_as *as)
{
	struct conversion c = {.view = view, .scheme = as->scheme};
	struct wm_scheme_choice choice;
	struct wm_profile profile;
	wm_scheme_option(as->scheme, &choice);
	if (choice.scheme->crosses != (as->like->binary_count > 0))
		wm_fail("--like belongs to --as context and --as piecewise, which need it: it names a build with "
			"-fwaymark-scheme=context or piecewise, whose link decided which calls are crossed");
	wm_profile_init(&profile);
	if (choice.scheme->crosses)
		count_units(&c, as, choice.scheme);
	else
		count_functions(&c);
	size_t count = c.unit ? c.binaries.count : view->wpp.table.object_count;
	for (size_t i = 0; i < count; i++)
		add_object(&c, &profile, i);
	release(&c);
	write_profile(&profile, view->wpp.table.process_count, as->output);
}
