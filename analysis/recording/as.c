/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The profile of a scheme, computed from a recording (analysis/replay/recount.h).
 */
#include "analysis/recording/as.h"
#include "analysis/replay/recount.h"
#include "core/probes/pieces_probes.h"
#include "profile/collect.h"
#include "profile/map/identity.h"
#include "support/tool.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- All schemes ---------------------------------------------------------------------- */

struct wm_profile_object wm_wpp_make_object(
	const struct wm_wpp_view *view, const uint8_t *build_id, uint32_t build_id_size, const char *program)
{
	struct wm_profile_object object = {.build_id_size = build_id_size, .runs = view->wpp.table.process_count};
	memcpy(object.build_id, build_id, sizeof object.build_id);
	memcpy(object.program, program, sizeof object.program);
	return object;
}

void wm_wpp_add_function(struct wm_profile_object *object, const struct wm_profile_function *function)
{
	WM_XGROW(object->function, object->function_count);
	object->function[object->function_count++] = *function;
}

void wm_wpp_add_object(struct wm_profile *profile, struct wm_profile_object *object)
{
	struct wm_profile one;
	wm_profile_init(&one);
	struct wm_profile_object *into = wm_profile_append_object(&one, object->build_id, object->build_id_size);
	object->function_capacity = object->function_count;
	if (!into || !wm_object_sort(object))
		wm_bug("out of memory");
	*into = *object;
	*object = (struct wm_profile_object){0};
	if (wm_profile_merge(profile, &one))
		wm_bug("out of memory");
	wm_profile_release(&one);
}

void wm_wpp_add_counts(struct wm_profile_function *function, struct wm_id_counts *counts, bool inherited)
{
	wm_id_counts_sort(counts, wm_by_id);
	for (size_t i = 0; i < counts->used; i++) {
		const struct wm_id_count *slot = &counts->slot[i];
		if (!wm_function_append(function, slot->id, inherited ? 0 : slot->count, inherited ? slot->count : 0))
			wm_bug("out of memory");
	}
}

static void write_profile(struct wm_profile *profile, uint64_t runs, const char *path)
{
	uint8_t *data;
	size_t size;
	profile->runs = runs;
	if (wm_indexed_write(profile, &data, &size))
		wm_bug("out of memory");
	wm_write_file(path, data, size);
	free(data);
	wm_profile_release(profile);
}

/* ---- Schemes of single functions ------------------------------------------------------ */

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
		wm_bug("out of memory");
	free(pieces);
}

static void add_names(struct wm_profile_function *function, struct wm_tally *tally)
{
	struct wm_id_counts *counts = &tally->sums[WM_OWN].ids;
	wm_id_counts_sort(counts, wm_by_id);
	for (size_t i = 0; i < counts->used; i++)
		add_name(function, &tally->names.name[counts->slot[i].id], counts->slot[i].count);
}

static struct wm_profile_function make_record(const struct wm_recount *c, uint32_t f)
{
	struct wm_tally *tally = &c->unit.tally[f];
	const struct wm_map_function *map = c->view->told[f]->map;
	char *scheme = wm_xprintf("%s%s", c->scheme, wm_plan_has_pieces(&tally->plan) ? WM_SEQUENCES : "");
	struct wm_profile_function function = {.key = map->key,
		.graph_hash = wm_map_graph_hash(&map->graph, scheme),
		.source = wm_map_source(map),
		.flags = WM_FUNC_ENTRIES | (map->has_resumed ? WM_FUNC_RESUMED : 0),
		.entries = tally->sums[WM_OWN].entries,
		.base_entries = tally->inherited,
		.resumed = tally->sums[WM_OWN].resumed};
	if (wm_plan_has_pieces(&tally->plan))
		add_names(&function, tally);
	else
		wm_wpp_add_counts(&function, &tally->sums[WM_OWN].ids, false);
	free(scheme);
	return function;
}

static void add_object(const struct wm_recount *c, struct wm_profile *profile, uint32_t index)
{
	const struct wm_wpp_table *table = &c->view->wpp.table;
	const struct wm_wpp_object *from = &table->object[index];
	struct wm_profile_object object =
		wm_wpp_make_object(c->view, from->build_id, from->build_id_size, from->program);
	for (uint32_t f = 0; f < table->function_count; f++)
		if (table->function[f].object == index && c->unit.tally[f].name) {
			struct wm_profile_function function = make_record(c, f);
			wm_wpp_add_function(&object, &function);
		}
	wm_wpp_add_object(profile, &object);
}

static void count_functions(const struct wm_wpp_view *view, const struct wm_wpp_as *as, struct wm_profile *profile)
{
	struct wm_recount c = {.view = view, .scheme = as->scheme};
	wm_recount_take(&c);
	for (uint32_t i = 0; i < view->wpp.table.object_count; i++)
		add_object(&c, profile, i);
	wm_recount_release(&c);
}

void wm_wpp_as(const struct wm_wpp_view *view, const struct wm_wpp_as *as)
{
	struct wm_scheme_choice choice;
	struct wm_profile profile;
	wm_scheme_option(as->scheme, &choice);
	if (choice.scheme->crosses != (as->like->binary_count > 0))
		wm_fail("--like belongs to --as context and --as piecewise, which need it: it names a build with "
			"-fwaymark-scheme=context or piecewise, whose link decided which calls are crossed");
	wm_profile_init(&profile);
	if (choice.scheme->crosses)
		wm_wpp_across(view, as, choice.scheme, &profile);
	else
		count_functions(view, as, &profile);
	write_profile(&profile, view->wpp.table.process_count, as->output);
}
