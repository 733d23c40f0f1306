/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * project edges MAP PROFILE    how often every control-flow edge ran, as the paths of a profile have it
 * project paths MAP PROFILE    every path with its count
 *
 * MAP is the section .waymark.map of the program.  Paths of the schemes `acyclic`, `context`, `piecewise` and their
 * variants with cuts are known, so that profiles of different schemes can be compared.  Of a context path only its active
 * part is counted.  An edge to a landing pad is left out: no path has it if the call is crossed.
 *
 * Of paths across calls the tool checks, and fails otherwise (exit code 1): that the graph hash of the unit is that of its
 * numbering, that every id is one of the numbering, that every path is counted in the function in which it ends, and
 * that no more paths begin at the entry of a function than the function was entered, and after back edges to a block than
 * have ended there, unless setjmp returned twice.  Lines "abandoned FUNCTION N" say how many fewer.
 */
#include "core/scheme/unit_plan.h"
#include "core/trail/trail.h"
#include "profile/base/function_counts.h"
#include "profile/map/unit_identity.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void fail(const char *what, const char *which)
{
	fprintf(stderr, "project: %s %s\n", what, which);
	exit(1);
}

static uint8_t *read_file(const char *name, size_t *size)
{
	enum { MOST = 1 << 28 };
	FILE *file = fopen(name, "rb");
	uint8_t *data = malloc(MOST);
	if (!file || !data)
		fail("cannot read", name);
	*size = fread(data, 1, MOST, file);
	fclose(file);
	return data;
}

/* What the paths of a profile say about one function. */
struct tally {
	uint64_t entries; /* as the profile counts them */
	uint64_t *edge; /* per control-flow edge */
	uint64_t begun; /* at the entry */
	uint64_t *restarted,
		*stopped; /* per block: paths that begin there, or have ended before it, at a loop head or cut */
};

struct projection {
	bool paths;
	const struct wm_map_module *module;
	const struct wm_profile *profile;
	struct tally *tally; /* per function of the module */
	struct wm_arena arena; /* of the module */
};

static const struct wm_profile_function *find_record(
	const struct projection *p, const struct wm_map_function *f, uint64_t graph_hash)
{
	for (size_t i = 0; i < p->profile->object_count; i++)
		for (size_t k = 0; k < p->profile->object[i].function_count; k++) {
			const struct wm_profile_function *record = &p->profile->object[i].function[k];
			if (record->key == f->key && record->graph_hash == graph_hash)
				return record;
			if (record->key == f->key)
				fail("the profile has another graph hash for", f->name);
		}
	return NULL;
}

static bool is_pad_edge(const struct wm_map_function *f, uint32_t edge)
{
	uint32_t block = f->graph.edge_from[edge];
	return f->block[block].terminator == WM_TERM_INVOKE && edge + 1 == f->graph.first_edge[block + 1];
}

/* ---- Acyclic paths ------------------------------------------------------------------------ */

static void add_acyclic(
	struct projection *p, uint32_t index, const struct wm_plan *plan, const struct wm_counted_path *counted)
{
	const struct wm_map_function *f = &p->module->function[index];
	struct tally *tally = &p->tally[index];
	struct wm_block_path path = {0};
	if (wm_plan_decode(plan, counted->id, &path, &p->arena) != WM_OK)
		fail("there is no such path in", f->name);
	for (uint32_t i = 0; i + 1 < path.length; i++)
		tally->edge[wm_graph_find_edge(&f->graph, path.block[i], path.block[i + 1])] += counted->count;
	if (path.last_edge != WM_NONE)
		tally->edge[path.last_edge] += counted->count;
	if (!p->paths)
		return;
	printf("%" PRIu64 " %s%s", counted->count, path.start == WM_START_ENTRY ? "" : "+ ", f->name);
	for (uint32_t i = 0; i < path.length; i++)
		printf(" %u", path.block[i]);
	if (path.last_edge != WM_NONE)
		printf(" > %u", f->graph.edge_to[path.last_edge]);
	putchar('\n');
}

static void project_acyclic(struct projection *p, uint32_t index)
{
	const struct wm_map_function *f = &p->module->function[index];
	const struct wm_profile_function *record = find_record(p, f, f->graph_hash);
	struct wm_plan plan;
	if (strcmp(f->scheme, wm_scheme_acyclic.name) ||
		wm_plan_make(&plan, &f->graph, &wm_scheme_acyclic, 0, &p->arena) != WM_OK)
		fail("cannot plan", f->name);
	for (size_t i = 0; record && i < record->path_count; i++)
		add_acyclic(p, index, &plan, &record->path[i]);
}

/* ---- Paths across calls ---------------------------------------------------------------------- */

struct unit {
	struct wm_unit unit;
	uint32_t *index; /* per function: in the map */
	uint64_t *key, *graph_hash;
	bool *entry, **over;
	struct wm_unit_plan plan;
};

static bool is_taken(const struct wm_map_module *module, const char *name)
{
	for (uint32_t i = 0; i < module->taken_count; i++)
		if (!strcmp(module->taken[i], name))
			return true;
	return false;
}

static void *room(struct projection *p, size_t count, size_t size)
{
	void *memory = wm_arena_alloc(&p->arena, count, size);
	if (!memory)
		fail("out of", "memory");
	return memory;
}

static void add_function(struct projection *p, struct unit *u, uint32_t index, const uint32_t *place)
{
	const struct wm_map_function *f = &p->module->function[index];
	uint32_t at = place[index];
	u->unit.function[at] = (struct wm_unit_function){
		.name = f->name, .graph = &f->graph, .call_count = f->call_count, .call = f->call};
	u->index[at] = index;
	u->key[at] = f->key;
	u->graph_hash[at] = f->graph_hash;
	u->entry[at] = !f->local || is_taken(p->module, f->name) || !strcmp(f->name, "main");
	u->over[at] = room(p, f->call_count, sizeof(bool));
	for (uint32_t i = 0; i < f->call_count; i++) {
		uint32_t callee = f->call[i].callee;
		u->over[at][i] = !f->unit->crossed[i];
		f->call[i].callee = callee < p->module->function_count ? place[callee] : WM_NONE;
	}
}

static void plan_unit(struct projection *p, struct unit *u)
{
	uint32_t count = p->module->function_count, *place = room(p, count, sizeof *place);
	const char *scheme = NULL;
	*u = (struct unit){.index = room(p, count, sizeof *u->index),
		.key = room(p, count, sizeof *u->key),
		.graph_hash = room(p, count, sizeof *u->graph_hash),
		.entry = room(p, count, sizeof *u->entry),
		.over = room(p, count, sizeof *u->over)};
	u->unit.function = room(p, count, sizeof *u->unit.function);
	for (uint32_t i = 0; i < count; i++) {
		place[i] = p->module->function[i].unit ? u->unit.function_count++ : WM_NONE;
		scheme = p->module->function[i].unit ? p->module->function[i].scheme : scheme;
	}
	for (uint32_t i = 0; i < count; i++)
		if (place[i] != WM_NONE)
			add_function(p, u, i, place);
	struct wm_unit_request request = {
		.unit = &u->unit, .share = WM_UNIT_SHARE, .entry = u->entry, .over = (const bool *const *)u->over};
	struct wm_scheme_choice choice;
	if (wm_scheme_parse(scheme, &choice) != WM_OK || !choice.scheme->crosses)
		fail("cannot plan", p->module->source);
	request.scheme = choice.scheme;
	if (wm_unit_plan_make(&u->plan, &request, &p->arena) != WM_OK)
		fail("cannot plan", p->module->source);
}

static void print_path(const struct projection *p, const struct unit *u, const struct wm_trail *trail, uint64_t count)
{
	const struct wm_trail_step *end = &trail->step[trail->last];
	uint32_t last = WM_NONE;
	printf("%" PRIu64, count);
	for (uint32_t i = 0; i < trail->count; i++) {
		const struct wm_trail_step *step = &trail->step[i];
		if (step->restart)
			printf(" +");
		if (step->kind != WM_TRAIL_BLOCK)
			printf(step->kind == WM_TRAIL_CALL ? " (" : " )");
		if (step->function != last)
			printf(" %s", p->module->function[u->index[step->function]].name);
		last = step->function;
		if (step->kind == WM_TRAIL_BLOCK && step->site == WM_NONE)
			printf(" %u", step->block);
	}
	if (trail->end == WM_END_CALL)
		printf(" pending");
	else if (trail->cut == WM_NONE && end->edge != WM_NONE)
		printf(" > %u", u->unit.function[end->function].graph->edge_to[end->edge]);
	putchar('\n');
}

/* The edges of the active part: each leads to a block, or is the last. */
static void add_edges(struct projection *p, const struct unit *u, const struct wm_trail *trail, uint64_t count)
{
	const struct wm_trail_step *end = &trail->step[trail->last];
	uint32_t *from = WM_NEW(&p->arena, uint32_t, trail->count + 1); /* per depth: the step of its block */
	if (!from)
		fail("out of memory", p->module->source);
	for (uint32_t i = 0; i < trail->count; i++) {
		const struct wm_trail_step *step = &trail->step[i];
		bool by_edge = step->kind == WM_TRAIL_BLOCK && i > trail->fresh && step[-1].kind != WM_TRAIL_CALL;
		if (by_edge)
			p->tally[u->index[step->function]].edge[trail->step[from[step->depth]].edge] += count;
		if (step->kind == WM_TRAIL_BLOCK || step->lone)
			from[step->depth] = i;
	}
	if (trail->cut != WM_NONE || end->edge == WM_NONE)
		return;
	struct tally *tally = &p->tally[u->index[end->function]];
	tally->edge[end->edge] += count;
	tally->stopped[u->unit.function[end->function].graph->edge_to[end->edge]] += count;
}

static void add_across(struct projection *p, const struct unit *u, const struct wm_trail *trail, uint64_t count)
{
	const struct wm_trail_step *first = &trail->step[trail->fresh];
	struct tally *tally = &p->tally[u->index[first->function]];
	add_edges(p, u, trail, count);
	if (!first->restart)
		tally->begun += count;
	else if (first->site == WM_NONE)
		tally->restarted[first->block] += count;
}

static void check_balance(const struct projection *p, const struct unit *u, uint32_t at)
{
	const struct wm_map_function *f = &p->module->function[u->index[at]];
	const struct tally *tally = &p->tally[u->index[at]];
	const bool *pad = u->plan.function[at].also_starts;
	int64_t abandoned = f->has_entries ? (int64_t)(tally->entries - tally->begun) : 0;
	if (abandoned < 0)
		fail("more paths begin at the entry than there were entries of", f->name);
	for (uint32_t b = 0; b < f->graph.block_count; b++) {
		if (pad && pad[b])
			continue;
		int64_t more = (int64_t)(tally->stopped[b] - tally->restarted[b]);
		if (more < 0)
			fail("more paths restart than have ended in", f->name);
		abandoned += more;
	}
	if (abandoned)
		printf("abandoned %s %" PRId64 "\n", f->name, abandoned);
}

/* A path that goes on after a second return of setjmp may have begun in any caller. */
static bool returns_twice(const struct projection *p)
{
	for (uint32_t i = 0; i < p->module->function_count; i++)
		if (p->module->function[i].has_resumed)
			return true;
	return false;
}

static void project_unit(struct projection *p)
{
	struct unit u;
	struct wm_trail path;
	plan_unit(p, &u);
	uint64_t hash = wm_unit_graph_hash(&u.plan, u.key, u.graph_hash);
	for (uint32_t f = 0; f < u.unit.function_count; f++) {
		const struct wm_map_function *function = &p->module->function[u.index[f]];
		const struct wm_profile_function *record = find_record(p, function, hash);
		p->tally[u.index[f]].entries = record ? record->entries : 0;
		for (size_t i = 0; record && i < record->path_count; i++) {
			if (wm_trail_decode(u.plan.function, record->path[i].id, &path, &p->arena) != WM_OK)
				fail("there is no such path in", function->name);
			if (path.step[path.last].function != f)
				fail("a path that ends elsewhere is counted in", function->name);
			add_across(p, &u, &path, record->path[i].count);
			if (p->paths)
				print_path(p, &u, &path, record->path[i].count);
		}
	}
	for (uint32_t f = 0; f < u.unit.function_count && !returns_twice(p); f++)
		check_balance(p, &u, f);
}

/* ---- Modules ------------------------------------------------------------------------------------ */

static void print_edges(const struct projection *p)
{
	for (uint32_t i = 0; i < p->module->function_count; i++) {
		const struct wm_map_function *f = &p->module->function[i];
		for (uint32_t e = 0; e < f->graph.edge_count; e++)
			if (p->tally[i].edge[e] && !is_pad_edge(f, e))
				printf("%s %u %u %" PRIu64 "\n", f->name, f->graph.edge_from[e], f->graph.edge_to[e],
					p->tally[i].edge[e]);
	}
}

static void project_module(struct projection *p)
{
	bool across = false;
	p->tally = room(p, p->module->function_count, sizeof *p->tally);
	for (uint32_t i = 0; i < p->module->function_count; i++) {
		const struct wm_graph *graph = &p->module->function[i].graph;
		p->tally[i] = (struct tally){.edge = room(p, graph->edge_count, sizeof(uint64_t)),
			.restarted = room(p, graph->block_count, sizeof(uint64_t)),
			.stopped = room(p, graph->block_count, sizeof(uint64_t))};
		across |= p->module->function[i].unit != NULL;
	}
	for (uint32_t i = 0; i < p->module->function_count && !across; i++)
		if (p->module->function[i].status != WM_SKIPPED)
			project_acyclic(p, i);
	if (across)
		project_unit(p);
	if (!p->paths)
		print_edges(p);
}

int main(int argc, char **argv)
{
	struct wm_arena arena;
	struct wm_map map;
	struct wm_profile profile;
	struct wm_profile_error why = {{0}};
	char error[160];
	size_t size;
	if (argc != 4 || (strcmp(argv[1], "edges") && strcmp(argv[1], "paths")))
		fail("usage: project edges|paths MAP", "PROFILE");
	wm_arena_init(&arena);
	uint8_t *data = read_file(argv[2], &size);
	if (wm_map_decode(&map, data, size, error, &arena) != WM_OK)
		fail(error, argv[2]);
	free(data);
	data = read_file(argv[3], &size);
	wm_profile_init(&profile);
	if (wm_profile_read(&profile, data, size, &why) != WM_PROFILE_OK)
		fail(why.text, argv[3]);
	free(data);
	for (uint32_t m = 0; m < map.module_count; m++) {
		struct projection p = {
			.paths = !strcmp(argv[1], "paths"), .module = &map.module[m], .profile = &profile};
		wm_arena_init(&p.arena);
		project_module(&p);
		wm_arena_release(&p.arena);
	}
	wm_profile_release(&profile);
	wm_arena_release(&arena);
	return 0;
}
