/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A profile of pprof: profile.proto, encoded by protobuf-c and compressed by zlib.  A sample is a stack of lines with the
 * number of basic blocks that were executed there.  A profile knows no callers, so its stacks have one frame; the stacks of
 * a recording are whole, and recursive calls are folded (analysis/coverage/costs.h).
 */
#include "analysis/counts/sequences.h"
#include "analysis/coverage/costs.h"

#include "support/fail.h"
#include "support/printable.h"
#include "support/xalloc.h"
#include "view/document/deflated.h"
#include "view/export/export.h"
#include <pprof.pb-c.h>
#include <stdlib.h>

typedef Waymark__Pprof__Profile profile_t;
typedef Waymark__Pprof__Sample sample_t;
typedef Waymark__Pprof__Location location_t;
typedef Waymark__Pprof__Line line_t;
typedef Waymark__Pprof__Function function_t;
typedef Waymark__Pprof__Mapping mapping_t;

struct pprof {
	const struct wm_costs *costs;
	profile_t profile;
	struct wm_sequences functions, locations; /* {address of the function}, {function, line} */
};

/* The index of a new string.  proto3 demands UTF-8. */
static int64_t text(struct pprof *p, const char *value)
{
	WM_XGROW(p->profile.string_table, p->profile.n_string_table);
	p->profile.string_table[p->profile.n_string_table] = wm_printable(value);
	return (int64_t)p->profile.n_string_table++;
}

static Waymark__Pprof__ValueType *value_type(struct pprof *p, const char *type, const char *unit)
{
	Waymark__Pprof__ValueType *made = wm_xmalloc(sizeof *made);
	waymark__pprof__value_type__init(made);
	made->type = text(p, type);
	made->unit = text(p, unit);
	return made;
}

static void add_mapping(struct pprof *p, const struct wm_object *object)
{
	mapping_t *mapping = wm_xmalloc(sizeof *mapping);
	waymark__pprof__mapping__init(mapping);
	mapping->id = p->profile.n_mapping + 1;
	mapping->filename = text(p, object->path);
	mapping->has_functions = mapping->has_filenames = mapping->has_line_numbers = mapping->has_inline_frames = 1;
	WM_XGROW(p->profile.mapping, p->profile.n_mapping);
	p->profile.mapping[p->profile.n_mapping++] = mapping;
}

/* The id of a function; ids begin with 1. */
static uint64_t function_id(struct pprof *p, const struct wm_story_function *function)
{
	uint64_t key[] = {(uintptr_t)function};
	size_t index = wm_sequences_index(&p->functions, key, 1);
	if (index < p->profile.n_function)
		return index + 1;
	function_t *made = wm_xmalloc(sizeof *made);
	waymark__pprof__function__init(made);
	made->id = index + 1;
	made->name = text(p, function->display);
	made->system_name = text(p, function->map->name);
	made->start_line = function->map->line;
	if (function->map->file < function->module->file_count) {
		char *file = wm_absolute_file(function->module, function->map->file);
		made->filename = text(p, file);
		free(file);
	}
	WM_XGROW(p->profile.function, p->profile.n_function);
	p->profile.function[p->profile.n_function++] = made;
	return made->id;
}

/* The id of a line of a function. */
static uint64_t location_id(struct pprof *p, const struct wm_story_function *function, const struct wm_map_line *place)
{
	uint64_t key[] = {function_id(p, function), place ? place->line : 0};
	size_t index = wm_sequences_index(&p->locations, key, 2);
	if (index < p->profile.n_location)
		return index + 1;
	location_t *made = wm_xmalloc(sizeof *made);
	waymark__pprof__location__init(made);
	made->id = index + 1;
	made->mapping_id = function->program + 1;
	made->n_line = 1;
	made->line = wm_xmalloc(sizeof *made->line);
	made->line[0] = wm_xmalloc(sizeof *made->line[0]);
	waymark__pprof__line__init(made->line[0]);
	made->line[0]->function_id = key[0];
	made->line[0]->line = (int64_t)key[1];
	WM_XGROW(p->profile.location, p->profile.n_location);
	p->profile.location[p->profile.n_location++] = made;
	return made->id;
}

/* The stack of a sample, innermost first. */
static void add_stack(struct pprof *p, sample_t *sample, const struct wm_cost_place *place)
{
	const struct wm_cost_node *node = &p->costs->node[place->node];
	const struct wm_map_line *line = place->line;
	for (;;) {
		WM_XGROW(sample->location_id, sample->n_location_id);
		sample->location_id[sample->n_location_id++] = location_id(p, node->function, line);
		if (node->parent == WM_NONE)
			return;
		const struct wm_cost_node *parent = &p->costs->node[node->parent];
		line = wm_call_place(parent->function, node->site);
		node = parent;
	}
}

static void add_sample(struct pprof *p, const struct wm_cost_place *place)
{
	sample_t *sample = wm_xmalloc(sizeof *sample);
	waymark__pprof__sample__init(sample);
	add_stack(p, sample, place);
	sample->n_value = 1;
	sample->value = wm_xmalloc(sizeof *sample->value);
	sample->value[0] = (int64_t)place->blocks;
	WM_XGROW(p->profile.sample, p->profile.n_sample);
	p->profile.sample[p->profile.n_sample++] = sample;
}

static void write_compressed(const uint8_t *data, size_t size, FILE *out)
{
	if (size > UINT32_MAX)
		wm_fail("the profile has %zu bytes, of which at most 4294967295 can be compressed; `--format "
			"callgrind` "
			"writes the costs of functions and calls without this limit",
			size);
	size_t compressed;
	uint8_t *packed = wm_deflated(data, size, WM_DEFLATED_GZIP, &compressed);
	fwrite(packed, 1, compressed, out);
	free(packed);
}

void wm_export_pprof(const struct wm_export *export, FILE *out)
{
	struct pprof *p = &(struct pprof){.costs = export->costs};
	waymark__pprof__profile__init(&p->profile);
	text(p, "");
	WM_XGROW(p->profile.sample_type, p->profile.n_sample_type);
	p->profile.sample_type[p->profile.n_sample_type++] = value_type(p, "blocks", "count");
	p->profile.period_type = value_type(p, "blocks", "count");
	p->profile.period = 1;
	for (size_t i = 0; i < export->story->object_count; i++)
		add_mapping(p, &export->story->object[i]);
	for (size_t i = 0; i < p->costs->place_count; i++)
		add_sample(p, &p->costs->place[i]);
	size_t size = waymark__pprof__profile__get_packed_size(&p->profile);
	uint8_t *data = wm_xmalloc(size + 1);
	waymark__pprof__profile__pack(&p->profile, data);
	write_compressed(data, size, out);
	free(data);
	wm_sequences_release(&p->functions);
	wm_sequences_release(&p->locations);
}
