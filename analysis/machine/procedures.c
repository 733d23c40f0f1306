/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/machine/procedures.h"
#include "analysis/join/names.h"
#include "analysis/machine/descriptor_walk.h"
#include "core/base/search.h"
#include "support/xalloc.h"
#include <stdlib.h>
#include <string.h>

enum { INSNS_MAX = 1 << 16 }; /* of a block */

/* The index of the first place that is not before the address. */
static uint32_t find_place(const struct wm_hw_place *place, uint32_t count, uint64_t address)
{
	uint32_t i;
	WM_LOWER_BOUND(i, 0, count, place[i].address < address);
	return i;
}

/* Inserts index `count` at `at`; the array has room. */
static void insert_place(struct wm_hw_place *place, uint32_t count, uint32_t at, uint64_t address)
{
	memmove(&place[at + 1], &place[at], (count - at) * sizeof *place);
	place[at] = (struct wm_hw_place){address, count};
}

/* ---- Procedures -------------------------------------------------------------------------- */

static struct wm_hw_procedure *new_procedure(struct wm_hw_procedures *all, const char *name, uint64_t address)
{
	struct wm_hw_procedure *procedure = wm_xmalloc(sizeof *procedure);
	*procedure = (struct wm_hw_procedure){.address = address,
		.map = {.name = name, .scheme = "", .reason = "", .file = WM_NONE, .stage = WM_CFG_OPTIMISED}};
	procedure->map.graph.first_edge = wm_xmalloc(8 * sizeof *procedure->map.graph.first_edge);
	procedure->map.graph.first_edge[0] = 0;
	procedure->told = (struct wm_story_function){
		.map = &procedure->map, .module = &all->module, .object = &all->object, .display = wm_demangle(name)};
	procedure->told.brief = wm_name_shortened(procedure->told.display);
	return procedure;
}

uint32_t wm_hw_procedure_at(struct wm_hw_procedures *all, uint64_t address)
{
	uint64_t behind = 0;
	const char *name = wm_code_function(all->code, address, &behind);
	uint64_t start = name ? address - behind : UINT64_MAX;
	uint32_t at = find_place(all->place, all->count, start);
	if (at < all->count && all->place[at].address == start)
		return all->place[at].index;
	WM_XGROW(all->place, all->count);
	WM_XGROW(all->procedure, all->count);
	WM_XGROW(all->body, all->count);
	insert_place(all->place, all->count, at, start);
	all->procedure[all->count] = new_procedure(all, name ? name : "code without a symbol", start);
	all->body[all->count] = &all->procedure[all->count]->told;
	return all->count++;
}

static void free_procedure(struct wm_hw_procedure *procedure)
{
	struct wm_map_function *map = &procedure->map;
	for (uint32_t b = 0; b < map->graph.block_count; b++) {
		free(map->block[b].line);
		free(procedure->line[b]);
	}
	free(map->block);
	free(map->graph.first_edge);
	free(map->graph.edge_from);
	free(map->graph.edge_to);
	free(map->graph.end);
	free(map->call);
	free(map->call_line);
	free(procedure->told.display);
	free(procedure->told.brief);
	free(procedure->place);
	free(procedure->branch);
	free(procedure->line);
	free(procedure->site);
	free(procedure);
}

struct wm_hw_procedures *wm_hw_procedures_new(const struct wm_code *code)
{
	struct wm_hw_procedures *all = wm_xmalloc(sizeof *all);
	*all = (struct wm_hw_procedures){.code = code, .object.path = code->path};
	return all;
}

void wm_hw_procedures_free(struct wm_hw_procedures *all)
{
	if (!all)
		return;
	for (uint32_t i = 0; i < all->count; i++)
		free_procedure(all->procedure[i]);
	free(all->procedure);
	free(all->body);
	free(all->place);
	free(all->module.file);
	free(all);
}

const struct wm_story_function *const *wm_hw_procedures_bodies(const struct wm_hw_procedures *all)
{
	return all->body;
}

/* ---- Blocks -------------------------------------------------------------------------------- */

/* The last file comes first, because neighbouring instructions are of one file. */
static uint32_t find_file(struct wm_map_module *module, const char *name)
{
	for (uint32_t i = module->file_count; i-- > 0;)
		if (strcmp(module->file[i], name) == 0)
			return i;
	WM_XGROW(module->file, module->file_count);
	module->file[module->file_count] = name;
	return module->file_count++;
}

static struct wm_map_line line_of(struct wm_hw_procedures *all, uint64_t address)
{
	struct wm_map_line line = {.file = WM_NONE};
	const char *file;
	if (wm_code_line(all->code, address, &file, &line.line) && file)
		line.file = find_file(&all->module, file);
	return line;
}

/* An empty block, both of whose edges lead to itself. */
static uint32_t add_block(struct wm_hw_procedure *procedure, uint32_t at, uint64_t address)
{
	struct wm_map_function *map = &procedure->map;
	struct wm_graph *graph = &map->graph;
	uint32_t b = graph->block_count;
	WM_XGROW(procedure->place, b);
	WM_XGROW(procedure->branch, b);
	WM_XGROW(procedure->line, b);
	WM_XGROW(map->block, b);
	WM_XGROW(graph->end, b);
	WM_XGROW(graph->first_edge, b + (size_t)1);
	for (uint32_t e = 2 * b; e < 2 * b + 2; e++) {
		WM_XGROW(graph->edge_from, e);
		WM_XGROW(graph->edge_to, e);
		graph->edge_from[e] = graph->edge_to[e] = b;
	}
	insert_place(procedure->place, b, at, address);
	map->block[b] = (struct wm_map_block){.default_edge = WM_NONE};
	procedure->branch[b] = address;
	procedure->line[b] = NULL;
	graph->end[b] = WM_END_RETURN;
	graph->first_edge[b + 1] = 2 * b + 2;
	graph->block_count++;
	graph->edge_count = 2 * graph->block_count;
	procedure->told.machine = (struct wm_story_machine){procedure->branch, procedure->line};
	return b;
}

/* Runs of one line are folded; an unknown line is 0. */
static void add_line(struct wm_hw_procedure *procedure, uint32_t b, struct wm_map_line line, uint64_t address)
{
	struct wm_map_block *block = &procedure->map.block[b];
	const struct wm_map_line *last = block->line_count ? &block->line[block->line_count - 1] : NULL;
	if (last && last->line == line.line && last->file == line.file)
		return;
	WM_XGROW(block->line, block->line_count);
	WM_XGROW(procedure->line[b], block->line_count);
	procedure->told.machine.line = procedure->line;
	block->line[block->line_count] = line;
	procedure->line[b][block->line_count++] = address;
}

static void add_site(struct wm_hw_procedure *procedure, uint32_t b, uint64_t address)
{
	struct wm_map_function *map = &procedure->map;
	uint32_t i = map->call_count, position = 0;
	while (position < i && map->call[i - 1 - position].block == b)
		position++;
	WM_XGROW(map->call, i);
	WM_XGROW(map->call_line, i);
	WM_XGROW(procedure->site, i);
	map->call[i] = (struct wm_call){.block = b, .position = position, .callee = WM_NONE};
	map->call_line[i] = map->block[b].line_count;
	procedure->site[i] = address;
	map->call_count++;
}

/* Decodes the instructions of a block. */
static void fill_block(struct wm_hw_procedures *all, struct wm_hw_procedure *procedure, uint32_t b, uint64_t address)
{
	struct wm_map_block *block = &procedure->map.block[b];
	struct wm_hw_insn insn;
	for (size_t i = 0; i < INSNS_MAX && wm_hw_fetch(all->code, address, &insn); i++, address += insn.size) {
		const struct wm_map_line line = line_of(all, address);
		add_line(procedure, b, line, address);
		procedure->branch[b] = address;
		if (insn.branch == WM_HW_CALL || insn.branch == WM_HW_CALL_INDIRECT) {
			add_site(procedure, b, address);
		} else if (insn.branch != WM_HW_NO_BRANCH) {
			block->terminator = insn.branch == WM_HW_CONDITIONAL ? WM_TERM_INSTRUCTION : WM_TERM_NONE;
			block->decision = line;
			return;
		}
	}
}

uint32_t wm_hw_block_at(struct wm_hw_procedures *all, uint32_t index, uint64_t address)
{
	struct wm_hw_procedure *procedure = all->procedure[index];
	uint32_t count = procedure->map.graph.block_count, at = find_place(procedure->place, count, address);
	if (at < count && procedure->place[at].address == address)
		return procedure->place[at].index;
	uint32_t b = add_block(procedure, at, address);
	fill_block(all, procedure, b, address);
	return b;
}

uint32_t wm_hw_site_at(const struct wm_hw_procedure *procedure, uint32_t block, uint64_t address)
{
	for (uint32_t i = 0; i < procedure->map.call_count; i++)
		if (procedure->map.call[i].block == block && procedure->site[i] == address)
			return i;
	return WM_NONE;
}
