/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test/profile/random_map.h"

#include "abi/crash.h"
#include "core/graph/supergraph.h"
#include "profile/map/identity.h"
#include "test/profile/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static const char *outside[] = {"printf", "_ZN1a1bEv"};
static const char *files[] = {"main.c", "/usr/include/x.h", "käse.h"};

static uint32_t *chosen(uint64_t *seed, struct wm_arena *arena, uint32_t blocks, uint32_t *count)
{
	uint32_t *successor = WM_NEW(arena, uint32_t, blocks);
	uint32_t wanted = random_below(seed, 5), found = 0;
	for (uint32_t i = 0; i < wanted; i++) {
		uint32_t to = random_below(seed, blocks), known = 0;
		for (uint32_t k = 0; k < found; k++)
			known |= successor[k] == to;
		if (!known)
			successor[found++] = to;
	}
	*count = found;
	return successor;
}

static void random_graph(uint64_t *seed, struct wm_arena *arena, struct wm_graph *graph, uint32_t blocks)
{
	graph->block_count = blocks;
	graph->first_edge = WM_NEW(arena, uint32_t, blocks + 1);
	graph->end = WM_NEW(arena, uint8_t, blocks);
	graph->edge_from = WM_NEW(arena, uint32_t, blocks * 5);
	graph->edge_to = WM_NEW(arena, uint32_t, blocks * 5);
	for (uint32_t b = 0; b < blocks; b++) {
		uint32_t count, *successor = chosen(seed, arena, blocks, &count);
		for (uint32_t i = 0; i < count; i++) {
			graph->edge_from[graph->edge_count] = b;
			graph->edge_to[graph->edge_count++] = successor[i];
		}
		graph->first_edge[b + 1] = graph->edge_count;
		graph->end[b] = count ? WM_END_NONE : (uint8_t)(WM_END_RETURN + random_below(seed, 3));
	}
}

static struct wm_map_line random_line(uint64_t *seed)
{
	return (struct wm_map_line){
		random_below(seed, COUNT(files)), 1 + random_below(seed, 4000), random_below(seed, 90)};
}

static void random_cases(uint64_t *seed, struct wm_arena *arena, struct wm_map_block *block, uint32_t degree)
{
	block->case_count = random_below(seed, 6);
	block->cases = WM_NEW(arena, struct wm_map_case, block->case_count);
	for (uint32_t i = 0; i < block->case_count; i++)
		block->cases[i] = (struct wm_map_case){random_below(seed, degree), (int64_t)random_next(seed)};
	block->default_edge = random_below(seed, 2) ? WM_NONE : random_below(seed, degree);
}

static void random_block(uint64_t *seed, struct wm_arena *arena, struct wm_map_block *block, uint32_t degree)
{
	block->line_count = random_below(seed, 4);
	block->line = WM_NEW(arena, struct wm_map_line, block->line_count);
	for (uint32_t i = 0; i < block->line_count; i++)
		block->line[i] = random_line(seed);
	block->terminator = degree ? (uint8_t)random_below(seed, WM_TERM_ASM_GOTO + 1) : WM_TERM_NONE;
	block->default_edge = WM_NONE;
	if (block->terminator == WM_TERM_BRANCH)
		block->true_edge = degree > 1 ? random_below(seed, 2) : 0;
	if (block->terminator == WM_TERM_BRANCH)
		block->condition = (struct wm_map_condition){(uint8_t)random_below(seed, WM_CONDITION_CASES + 1),
			{(uint8_t)random_below(seed, WM_SIDE_OTHER + 1), WM_SIDE_HOLDS},
			random_below(seed, 2) ? "flag" : ""};
	if (block->terminator == WM_TERM_SWITCH)
		random_cases(seed, arena, block, degree);
	if (block->terminator != WM_TERM_NONE && random_below(seed, 2))
		block->decision = block->line_count && random_below(seed, 2) ? block->line[block->line_count - 1]
									     : random_line(seed);
}

static void random_function(uint64_t *seed, struct wm_arena *arena, struct wm_map_function *f, const char *source)
{
	char *name = WM_NEW(arena, char, 24);
	snprintf(name, 24, "f%u", random_below(seed, 100000));
	uint32_t blocks = 1 + random_below(seed, 30);
	f->name = name;
	f->scheme = random_below(seed, 8) ? "acyclic" : "kiter=3";
	f->status = (uint8_t)random_below(seed, 3);
	f->reason = f->status == WM_SKIPPED ? "it is naked" : "";
	f->stage = (uint8_t)random_below(seed, 2);
	f->update = (uint8_t)random_below(seed, 3);
	f->has_entries = random_below(seed, 2);
	f->has_resumed = random_below(seed, 2);
	f->local = random_below(seed, 2);
	f->file = random_below(seed, 2) ? random_below(seed, COUNT(files)) : WM_NONE;
	f->line = random_below(seed, 5000);
	random_graph(seed, arena, &f->graph, f->status == WM_SKIPPED ? 0 : blocks);
	f->block = WM_NEW(arena, struct wm_map_block, f->graph.block_count);
	for (uint32_t b = 0; b < f->graph.block_count; b++)
		random_block(seed, arena, &f->block[b], f->graph.first_edge[b + 1] - f->graph.first_edge[b]);
	f->key = random_below(seed, 4) ? wm_function_key(name, f->local ? source : NULL) : random_next(seed);
	f->graph_hash = random_below(seed, 4) ? wm_map_graph_hash(&f->graph, f->scheme) : random_next(seed);
}

/* Callees by index: functions of the module, then names outside; WM_NONE sometimes. */
static void random_calls(uint64_t *seed, struct wm_arena *arena, struct wm_map_function *f, uint32_t callees)
{
	f->call = WM_NEW(arena, struct wm_call, f->graph.block_count * 3);
	for (uint32_t b = 0; b < f->graph.block_count; b++) {
		uint32_t count = random_below(seed, 4);
		for (uint32_t i = 0; i < count; i++) {
			uint32_t callee = random_below(seed, callees + 1);
			bool exits = f->graph.first_edge[b] == f->graph.first_edge[b + 1];
			bool noreturn = exits && f->graph.end[b] == WM_END_NORETURN;
			bool last = i + 1 == count && random_below(seed, 2);
			f->call[f->call_count++] = (struct wm_call){.block = b,
				.position = i,
				.callee = callee < callees ? callee : WM_NONE,
				.may_not_return = random_below(seed, 2),
				.unwinds = last && !exits,
				.tail = last && exits && !noreturn,
				.followed = last && noreturn};
		}
	}
	if (random_below(seed, 2))
		return;
	f->call_line = WM_NEW(arena, uint32_t, f->call_count);
	for (uint32_t i = 0; i < f->call_count; i++)
		f->call_line[i] = random_below(seed, f->block[f->call[i].block].line_count + 1);
}

static struct wm_value_range random_range(uint64_t *seed)
{
	int64_t low = (int64_t)random_next(seed) >> random_below(seed, 64), size = random_below(seed, 1000);
	return random_below(seed, 3)   ? (struct wm_value_range){low, low > INT64_MAX - size ? INT64_MAX : low + size}
	       : random_below(seed, 2) ? (struct wm_value_range){INT64_MIN, low}
				       : (struct wm_value_range){low, low};
}

static void random_facts(uint64_t *seed, struct wm_arena *arena, struct wm_map_function *f)
{
	struct wm_facts *facts = &f->facts;
	facts->fact = WM_NEW(arena, struct wm_fact, 3 * (f->graph.block_count + f->graph.edge_count));
	for (uint32_t b = 0; b < f->graph.block_count; b++)
		if (random_below(seed, 2))
			facts->fact[facts->count++] = (struct wm_fact){
				b, random_below(seed, 2) ? WM_FACT_BEFORE : WM_FACT_AFTER, 0, WM_NONE, WM_ANYTHING};
	for (uint32_t e = 0; e < f->graph.edge_count; e++)
		for (uint32_t i = random_below(seed, 3); i > 0; i--) {
			bool test = random_below(seed, 2);
			facts->fact[facts->count++] =
				(struct wm_fact){test ? f->graph.edge_from[e] : f->graph.edge_to[e],
					test ? WM_FACT_TEST : WM_FACT_FROM, i, e, random_range(seed)};
		}
	facts->value_count = facts->count < 3 ? 0 : 3;
	facts->count = facts->value_count ? facts->count : 0;
	qsort(facts->fact, facts->count, sizeof *facts->fact, wm_fact_compare);
}

static void random_failures(uint64_t *seed, struct wm_arena *arena, struct wm_map_function *f)
{
	uint8_t *failure = WM_NEW(arena, uint8_t, f->graph.edge_count);
	for (uint32_t e = 0; e < f->graph.edge_count; e++)
		failure[e] = (uint8_t)(random_below(seed, 3) ? 0 : random_below(seed, WM_CHECKS + 1));
	f->failure = failure;
}

static bool has_branch(const struct wm_map_function *f, uint32_t block)
{
	return f->block[block].terminator == WM_TERM_BRANCH &&
	       f->graph.first_edge[block + 1] - f->graph.first_edge[block] == 2;
}

/* A value that the graph allows. */
static void random_value(uint64_t *seed, const struct wm_map_function *f, struct wm_map_value *value, uint32_t count)
{
	uint32_t blocks = f->graph.block_count, teller = random_below(seed, blocks);
	bool branch = has_branch(f, value->block);
	value->kind = (uint8_t)random_below(seed, WM_VALUE_FIXED + 1);
	if ((value->kind == WM_VALUE_SPLIT || value->kind == WM_VALUE_FIXED) && !branch)
		value->kind = WM_VALUE_OPERAND;
	bool joined = value->kind != WM_VALUE_CHOICE && value->kind != WM_VALUE_FIXED;
	value->join = joined ? random_below(seed, blocks) : WM_NONE;
	value->teller = WM_NONE;
	if (joined && has_branch(f, teller)) {
		value->use = (uint8_t)(WM_USE_BRANCH + random_below(seed, 2));
		value->teller = teller;
	}
	value->disjunction = random_below(seed, 2);
	value->truth = random_below(seed, 2);
	value->place = (struct wm_map_line){WM_NONE, 0, 0};
	if (count && random_below(seed, 3))
		value->place = (struct wm_map_line){
			random_below(seed, count), 1 + random_below(seed, 300), random_below(seed, 90)};
	value->name = random_below(seed, 2) ? "value" : "";
}

static void random_values(uint64_t *seed, struct wm_arena *arena, struct wm_map_function *f, uint32_t count)
{
	f->value = WM_NEW(arena, struct wm_map_value, 2 * (size_t)f->graph.block_count);
	for (uint32_t b = 0; b < f->graph.block_count; b++)
		for (uint32_t i = random_below(seed, 3); i > 0; i--) {
			f->value[f->value_count].block = b;
			random_value(seed, f, &f->value[f->value_count++], count);
		}
}

static bool *random_bits(uint64_t *seed, struct wm_arena *arena, uint32_t count)
{
	bool *bit = WM_NEW(arena, bool, count);
	for (uint32_t i = 0; i < count; i++)
		bit[i] = random_below(seed, 2);
	return bit;
}

static void random_unit(uint64_t *seed, struct wm_arena *arena, struct wm_map_function *f)
{
	if (random_below(seed, 3) == 0)
		return;
	f->unit = WM_NEW(arena, struct wm_map_unit, 1);
	f->unit->edge_count = random_below(seed, 40);
	f->unit->tree = random_bits(seed, arena, f->unit->edge_count);
	f->unit->crossed = random_bits(seed, arena, f->call_count);
	for (uint32_t i = 0; i < f->call_count; i++)
		f->call[i].opaque = random_below(seed, 2);
}

static void random_contexts(uint64_t *seed, struct wm_arena *arena, struct wm_origins *origins, uint32_t functions)
{
	origins->context = WM_NEW(arena, struct wm_context, origins->context_count);
	for (uint32_t i = 1; i < origins->context_count; i++)
		origins->context[i] = (struct wm_context){random_below(seed, i), random_below(seed, functions),
			random_below(seed, 9), random_below(seed, 3)};
}

static void random_marks(uint64_t *seed, struct wm_arena *arena, struct wm_map_function *f)
{
	struct wm_origins *origins = &f->inlined->origins;
	uint32_t count = 0;
	origins->block_count = f->graph.block_count;
	origins->first_mark = WM_NEW(arena, uint32_t, f->graph.block_count + 1);
	origins->mark = WM_NEW(arena, struct wm_mark, 3 * f->graph.block_count);
	for (uint32_t b = 0; b < f->graph.block_count; b++) {
		uint32_t line = 0;
		for (uint32_t i = random_below(seed, 4); i > 0; i--) {
			line += random_below(seed, f->block[b].line_count - line + 1);
			origins->mark[count++] = (struct wm_mark){random_below(seed, origins->context_count),
				random_below(seed, 300), random_below(seed, 2), line, random_below(seed, 2)};
		}
		origins->first_mark[b + 1] = count;
	}
}

static void random_inlined(uint64_t *seed, struct wm_arena *arena, struct wm_map_function *f, uint32_t own,
	const struct wm_map_module *module)
{
	if (random_below(seed, 3) == 0)
		return;
	f->inlined = WM_NEW(arena, struct wm_map_inlined, 1);
	f->inlined->kept = WM_NEW(arena, uint8_t, f->call_count);
	for (uint32_t i = 0; i < f->call_count; i++)
		f->inlined->kept[i] = (uint8_t)(1 + random_below(seed, WM_INLINE_CHOICES - 1));
	f->inlined->origins.context_count = random_below(seed, 20);
	if (!f->inlined->origins.context_count)
		return;
	random_contexts(seed, arena, &f->inlined->origins, module->function_count + module->outside_count);
	f->inlined->origins.context[0] = (struct wm_context){WM_NONE, own, WM_NONE, WM_NONE};
	random_marks(seed, arena, f);
	f->graph_hash = wm_map_inlined_hash(module, f);
}

/* Some files have checksums, and the main file stands for some. */
static void random_sources(uint64_t *seed, struct wm_arena *arena, struct wm_map_module *module)
{
	struct wm_map_checksum *sum = WM_NEW(arena, struct wm_map_checksum, module->file_count);
	bool *in_main = WM_NEW(arena, bool, module->file_count);
	module->source_sum = (struct wm_map_checksum){.size = 2, .byte = "ab"};
	for (uint32_t i = 0; i < module->file_count; i++) {
		sum[i].size = (uint8_t)random_below(seed, 3);
		memset(sum[i].byte, 'c', sum[i].size);
		in_main[i] = random_below(seed, 2);
	}
	module->file_sum = random_below(seed, 2) ? sum : NULL;
	module->in_main = random_below(seed, 2) ? in_main : NULL;
	for (uint32_t i = 0; i < module->function_count; i++)
		module->function[i].own_code = (uint32_t)random_below(seed, 3);
	for (uint32_t i = 0; i < module->function_count; i++)
		wm_map_set_own_source(module, &module->function[i]);
}

void random_map_module(uint64_t *seed, struct wm_arena *arena, struct wm_map_module *module)
{
	*module = (struct wm_map_module){.source = "main.c", .file_count = COUNT(files), .file = files};
	module->function_count = random_below(seed, 8);
	module->function = WM_NEW(arena, struct wm_map_function, module->function_count);
	for (uint32_t i = 0; i < module->function_count; i++)
		random_function(seed, arena, &module->function[i], module->source);
	if (random_below(seed, 2))
		random_sources(seed, arena, module);
	module->has_values = random_below(seed, 2);
	for (uint32_t i = 0; module->has_values && i < module->function_count; i++)
		random_values(seed, arena, &module->function[i], module->file_count);
	for (uint32_t i = 0; i < module->function_count && random_below(seed, 2); i++)
		random_failures(seed, arena, &module->function[i]);
	if (!random_below(seed, 3))
		return;
	module->outside_count = random_below(seed, COUNT(outside) + 1);
	module->outside = outside;
	for (uint32_t i = 0; i < module->function_count; i++)
		random_calls(seed, arena, &module->function[i], module->function_count + module->outside_count);
	for (uint32_t i = 0; i < module->function_count && random_below(seed, 2); i++)
		random_facts(seed, arena, &module->function[i]);
	if (!random_below(seed, 3))
		return;
	module->taken_count = random_below(seed, COUNT(outside) + 1);
	module->taken = outside;
	for (uint32_t i = 0; i < module->function_count; i++)
		random_unit(seed, arena, &module->function[i]);
	module->directory = random_below(seed, 2) ? "/some/place" : NULL;
	module->crash_paths = (uint32_t)random_below(seed, 2) * (uint32_t)random_below(seed, WM_CRASH_PATHS + 1);
	module->alias_count = module->function_count ? random_below(seed, COUNT(outside) + 1) : 0;
	module->alias = WM_NEW(arena, struct wm_map_alias, module->alias_count);
	for (uint32_t i = 0; i < module->alias_count; i++)
		module->alias[i] = (struct wm_map_alias){
			outside[i], random_below(seed, module->function_count), random_below(seed, 2)};
	uint32_t callers = module->function_count + module->outside_count;
	module->unseen_count = callers ? random_below(seed, 4) : 0;
	module->unseen = WM_NEW(arena, struct wm_map_unseen_call, module->unseen_count);
	for (uint32_t i = 0, caller = 0; i < module->unseen_count; i++) {
		caller += random_below(seed, callers - caller);
		module->unseen[i] = (struct wm_map_unseen_call){
			caller, random_below(seed, 3) ? random_below(seed, callers) : WM_NONE};
	}
	for (uint32_t i = 0; i < module->function_count; i++)
		random_inlined(seed, arena, &module->function[i], i, module);
}
