/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Maps: what is encoded is decoded; what is damaged is refused, never believed. */
#include "test/profile/random_map.h"
#include "test/profile/testing.h"

#include "core/graph/supergraph.h"
#include "profile/map/map.h"
#include "profile/map/map_layout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEY_OF_MAIN 0x825538EAA99AD769ull
#define HASH_OF_TWO_BLOCKS 0x4DCE4DABCA2B53FCull

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static void check_line(struct wm_map_line a, struct wm_map_line b)
{
	assert_int_equal(a.line, b.line);
	assert_int_equal(a.file, b.file);
	assert_int_equal(a.column, b.column);
}

static void check_block(const struct wm_map_block *a, const struct wm_map_block *b)
{
	assert_int_equal(a->line_count, b->line_count);
	for (uint32_t i = 0; i < a->line_count; i++)
		check_line(a->line[i], b->line[i]);
	assert_int_equal(a->terminator, b->terminator);
	assert_int_equal(a->true_edge, b->true_edge);
	check_line(a->decision, b->decision);
	assert_int_equal(a->condition.kind, b->condition.kind);
	if (a->condition.kind) {
		assert_memory_equal(a->condition.side, b->condition.side, sizeof a->condition.side);
		assert_string_equal(a->condition.name, b->condition.name);
	}
	assert_int_equal(a->case_count, b->case_count);
	assert_int_equal(a->default_edge, b->default_edge);
	for (uint32_t i = 0; i < a->case_count; i++) {
		assert_int_equal(a->cases[i].edge_ordinal, b->cases[i].edge_ordinal);
		assert_int_equal(a->cases[i].value, b->cases[i].value);
	}
}

static void check_graph(const struct wm_graph *a, const struct wm_graph *b)
{
	assert_int_equal(a->block_count, b->block_count);
	assert_int_equal(a->edge_count, b->edge_count);
	assert_memory_equal(a->first_edge, b->first_edge, (a->block_count + 1) * sizeof(uint32_t));
	if (a->block_count)
		assert_memory_equal(a->end, b->end, a->block_count);
	if (!a->edge_count)
		return;
	assert_memory_equal(a->edge_from, b->edge_from, a->edge_count * sizeof(uint32_t));
	assert_memory_equal(a->edge_to, b->edge_to, a->edge_count * sizeof(uint32_t));
}

static void check_calls(const struct wm_map_function *a, const struct wm_map_function *b)
{
	assert_int_equal(a->call_count, b->call_count);
	for (uint32_t i = 0; i < a->call_count; i++) {
		assert_true(a->call[i].block == b->call[i].block && a->call[i].position == b->call[i].position);
		assert_int_equal(a->call[i].callee, b->call[i].callee);
		assert_int_equal(a->call[i].may_not_return, b->call[i].may_not_return);
		assert_int_equal(a->call[i].unwinds, b->call[i].unwinds);
		assert_int_equal(a->call[i].opaque, b->call[i].opaque);
		assert_int_equal(a->call[i].tail, b->call[i].tail);
		assert_int_equal(a->call[i].followed, b->call[i].followed);
	}
	assert_int_equal(!a->call_line || !a->call_count, !b->call_line);
	for (uint32_t i = 0; b->call_line && i < a->call_count; i++)
		assert_int_equal(a->call_line[i], b->call_line[i]);
}

static void check_facts(const struct wm_map_function *a, const struct wm_map_function *b)
{
	assert_int_equal(a->facts.count, b->facts.count);
	assert_int_equal(a->facts.value_count, b->facts.value_count);
	for (uint32_t i = 0; i < a->facts.count; i++) {
		const struct wm_fact *x = &a->facts.fact[i], *y = &b->facts.fact[i];
		assert_int_equal(wm_fact_compare(x, y), 0);
		assert_true(x->range.high == y->range.high);
	}
}

static void check_values(const struct wm_map_function *a, const struct wm_map_function *b)
{
	assert_int_equal(a->value_count, b->value_count);
	for (uint32_t i = 0; i < a->value_count; i++) {
		const struct wm_map_value *x = &a->value[i], *y = &b->value[i];
		assert_true(x->kind == y->kind && x->use == y->use && x->disjunction == y->disjunction);
		assert_true(
			x->truth == y->truth && x->block == y->block && x->join == y->join && x->teller == y->teller);
		assert_true(x->place.file == y->place.file && x->place.line == y->place.line);
		assert_int_equal(x->place.column, y->place.column);
		assert_string_equal(x->name, y->name);
	}
}

static void check_unit(const struct wm_map_function *a, const struct wm_map_function *b)
{
	assert_int_equal(!a->unit, !b->unit);
	if (!a->unit)
		return;
	assert_int_equal(a->unit->edge_count, b->unit->edge_count);
	for (uint32_t i = 0; i < a->unit->edge_count; i++)
		assert_int_equal(a->unit->tree[i], b->unit->tree[i]);
	for (uint32_t i = 0; i < a->call_count; i++)
		assert_int_equal(a->unit->crossed[i], b->unit->crossed[i]);
}

static void check_inlined(const struct wm_map_function *a, const struct wm_map_function *b)
{
	assert_int_equal(!a->inlined, !b->inlined);
	assert_int_equal(wm_map_has_origins(a), wm_map_has_origins(b));
	if (!a->inlined)
		return;
	const struct wm_origins *x = &a->inlined->origins, *y = &b->inlined->origins;
	assert_memory_equal(a->inlined->kept, b->inlined->kept, a->call_count);
	assert_int_equal(x->context_count, y->context_count);
	if (!x->context_count)
		return;
	assert_memory_equal(x->context, y->context, x->context_count * sizeof *x->context);
	assert_int_equal(y->block_count, a->graph.block_count);
	assert_memory_equal(x->first_mark, y->first_mark, (x->block_count + 1) * sizeof *x->first_mark);
	for (uint32_t i = 0; i < x->first_mark[x->block_count]; i++) {
		assert_true(x->mark[i].context == y->mark[i].context && x->mark[i].block == y->mark[i].block);
		assert_true(x->mark[i].behind == y->mark[i].behind && x->mark[i].line == y->mark[i].line);
		assert_int_equal(x->mark[i].pad, y->mark[i].pad);
	}
}

static void check_function(const struct wm_map_function *a, const struct wm_map_function *b)
{
	assert_string_equal(a->name, b->name);
	assert_string_equal(a->scheme, b->scheme);
	assert_string_equal(a->reason, b->reason);
	assert_true(a->key == b->key && a->graph_hash == b->graph_hash);
	assert_true(a->file == b->file && a->line == b->line);
	assert_true(a->stage == b->stage && a->status == b->status && a->update == b->update);
	assert_true(a->has_entries == b->has_entries && a->has_resumed == b->has_resumed && a->local == b->local);
	check_graph(&a->graph, &b->graph);
	check_calls(a, b);
	check_facts(a, b);
	for (uint32_t e = 0; e < a->graph.edge_count; e++)
		assert_int_equal(a->failure ? a->failure[e] : 0, b->failure ? b->failure[e] : 0);
	check_values(a, b);
	check_unit(a, b);
	check_inlined(a, b);
	assert_int_equal(a->own_code, b->own_code);
	assert_true(a->own_source == b->own_source);
	for (uint32_t i = 0; i < a->graph.block_count; i++)
		check_block(&a->block[i], &b->block[i]);
}

static void check_module(const struct wm_map_module *a, const struct wm_map_module *b)
{
	assert_string_equal(a->source, b->source);
	assert_int_equal(a->file_count, b->file_count);
	for (uint32_t i = 0; i < a->file_count; i++)
		assert_string_equal(a->file[i], b->file[i]);
	assert_int_equal(a->function_count, b->function_count);
	for (uint32_t i = 0; i < a->function_count; i++)
		check_function(&a->function[i], &b->function[i]);
	assert_int_equal(a->outside_count, b->outside_count);
	for (uint32_t i = 0; i < a->outside_count; i++)
		assert_string_equal(a->outside[i], b->outside[i]);
	assert_int_equal(a->taken_count, b->taken_count);
	for (uint32_t i = 0; i < a->taken_count; i++)
		assert_string_equal(a->taken[i], b->taken[i]);
	assert_int_equal(a->crash_paths, b->crash_paths);
	assert_int_equal(!a->directory, !b->directory);
	if (a->directory)
		assert_string_equal(a->directory, b->directory);
	assert_int_equal(a->alias_count, b->alias_count);
	for (uint32_t i = 0; i < a->alias_count; i++) {
		assert_string_equal(a->alias[i].name, b->alias[i].name);
		assert_int_equal(a->alias[i].function, b->alias[i].function);
		assert_int_equal(a->alias[i].weak, b->alias[i].weak);
	}
	assert_int_equal(a->unseen_count, b->unseen_count);
	for (uint32_t i = 0; i < a->unseen_count; i++) {
		assert_int_equal(a->unseen[i].caller, b->unseen[i].caller);
		assert_int_equal(a->unseen[i].callee, b->unseen[i].callee);
	}
}

/* Modules one after another as a linker leaves them, padded with zeros. */
struct section {
	uint8_t *data;
	size_t size;
	struct wm_map_module module[3];
};

static void section_make(struct section *section, uint64_t seed, struct wm_arena *arena)
{
	*section = (struct section){0};
	for (size_t i = 0; i < COUNT(section->module); i++) {
		uint8_t *blob;
		size_t size, padding = random_below(&seed, 20);
		random_map_module(&seed, arena, &section->module[i]);
		assert_int_equal(wm_map_encode(&section->module[i], &blob, &size), WM_OK);
		section->data = realloc(section->data, section->size + padding + size);
		assert_non_null(section->data);
		memset(section->data + section->size, 0, padding);
		memcpy(section->data + section->size + padding, blob, size);
		section->size += padding + size;
		free(blob);
	}
}

static enum wm_status decode_copy(const uint8_t *data, size_t size, struct wm_map *map, struct wm_arena *arena)
{
	/* An exact copy on the heap, so that ASan sees every byte read beyond it. */
	char error[160];
	uint8_t *copy = malloc(size ? size : 1);
	assert_non_null(copy);
	if (size)
		memcpy(copy, data, size);
	enum wm_status status = wm_map_decode(map, copy, size, error, arena);
	assert_true(status == WM_OK ? !error[0] : status == WM_NO_MEMORY || error[0]);
	free(copy);
	return status;
}

static void round_trip(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 300; seed++) {
		struct wm_arena arena;
		struct section section;
		struct wm_map map;
		wm_arena_init(&arena);
		section_make(&section, seed * 7919, &arena);
		assert_int_equal(decode_copy(section.data, section.size, &map, &arena), WM_OK);
		assert_int_equal(map.module_count, COUNT(section.module));
		for (size_t i = 0; i < COUNT(section.module); i++)
			check_module(&section.module[i], &map.module[i]);
		free(section.data);
		wm_arena_release(&arena);
	}
}

static void empty_section(void **state)
{
	(void)state;
	static const uint8_t zeros[64];
	struct wm_arena arena;
	struct wm_map map;
	char error[160];
	wm_arena_init(&arena);
	assert_int_equal(wm_map_decode(&map, NULL, 0, error, &arena), WM_OK);
	assert_int_equal(map.module_count, 0);
	assert_int_equal(decode_copy(zeros, sizeof(zeros), &map, &arena), WM_OK);
	assert_int_equal(map.module_count, 0);
	wm_arena_release(&arena);
}

static void every_prefix(void **state)
{
	(void)state;
	struct wm_arena arena;
	struct section section;
	wm_arena_init(&arena);
	section_make(&section, 99, &arena);
	for (size_t size = 0; size < section.size; size++) {
		struct wm_arena own;
		struct wm_map map;
		wm_arena_init(&own);
		decode_copy(section.data, size, &map, &own);
		assert_true(map.module_count <= COUNT(section.module));
		for (uint32_t i = 0; i < map.module_count; i++)
			check_module(&section.module[i], &map.module[i]);
		wm_arena_release(&own);
	}
	free(section.data);
	wm_arena_release(&arena);
}

static void every_bit_flip(void **state)
{
	(void)state;
	struct wm_arena arena;
	struct section section;
	wm_arena_init(&arena);
	section_make(&section, 5, &arena);
	for (size_t bit = 0; bit < section.size * 8; bit += 3) {
		struct wm_arena own;
		struct wm_map map = {0};
		wm_arena_init(&own);
		section.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
		/* Padding may turn into rubbish, never a module into another one. */
		assert_int_equal(decode_copy(section.data, section.size, &map, &own), WM_BAD_GRAPH);
		section.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
		wm_arena_release(&own);
	}
	free(section.data);
	wm_arena_release(&arena);
}

static void damaged_module_in_the_middle(void **state)
{
	(void)state;
	struct wm_arena arena;
	struct wm_map map;
	uint8_t *blob;
	size_t size;
	uint64_t seed = 11;
	struct wm_map_module module;
	wm_arena_init(&arena);
	random_map_module(&seed, &arena, &module);
	assert_int_equal(wm_map_encode(&module, &blob, &size), WM_OK);
	uint8_t *section = malloc(size * 3);
	assert_non_null(section);
	for (size_t i = 0; i < 3; i++)
		memcpy(section + i * size, blob, size);
	section[2 * size - 1] ^= 1;
	assert_int_equal(decode_copy(section, size * 3, &map, &arena), WM_BAD_GRAPH);
	assert_int_equal(map.module_count, 2);
	check_module(&module, &map.module[1]);
	free(section);
	free(blob);
	wm_arena_release(&arena);
}

static void reseal(uint8_t *blob, size_t size)
{
	uint64_t sum = wm_map_blob_checksum(blob, size - WM_MAP_HEADER_SIZE);
	memcpy(blob + WM_MAP_CHECKSUM_OFFSET, &sum, sizeof(sum));
}

static void newer_version(void **state)
{
	(void)state;
	struct wm_arena arena;
	struct wm_map map;
	struct wm_map_module module = {.source = "a.c"};
	uint8_t *blob;
	size_t size;
	char error[160];
	wm_arena_init(&arena);
	assert_int_equal(wm_map_encode(&module, &blob, &size), WM_OK);
	blob[8]++;
	reseal(blob, size);
	assert_int_equal(wm_map_decode(&map, blob, size, error, &arena), WM_BAD_GRAPH);
	assert_non_null(strstr(error, "newer"));
	free(blob);
	wm_arena_release(&arena);
}

/* Random payloads under a true checksum: the checks after it must hold. */
static void random_payloads(void **state)
{
	(void)state;
	struct wm_arena arena;
	uint8_t payload[4096], blob[WM_MAP_HEADER_SIZE + sizeof(payload)];
	uint64_t seed = 3;
	wm_arena_init(&arena);
	for (int round = 0; round < 20000; round++) {
		struct wm_map map;
		size_t size = 1 + random_below(&seed, 60);
		/* source "a", one file "b", then random functions of small numbers */
		memcpy(payload, "\1a\1\1b\2", 6);
		for (size_t i = 6; i < 6 + size; i++)
			payload[i] = (uint8_t)(random_below(&seed, 4) ? random_below(&seed, 20) : random_next(&seed));
		uint32_t sizes[4] = {WM_MAP_VERSION, 0, (uint32_t)size + 6, (uint32_t)size + 6};
		uint64_t magic = WM_MAP_MAGIC;
		memcpy(blob, &magic, 8);
		memcpy(blob + 8, sizes, sizeof(sizes));
		memcpy(blob + WM_MAP_HEADER_SIZE, payload, size + 6);
		reseal(blob, WM_MAP_HEADER_SIZE + size + 6);
		decode_copy(blob, WM_MAP_HEADER_SIZE + size + 6, &map, &arena);
		wm_arena_release(&arena);
		wm_arena_init(&arena);
	}
	wm_arena_release(&arena);
}

static void memory_runs_out(void **state)
{
	(void)state;
	struct wm_arena arena;
	struct section section;
	wm_arena_init(&arena);
	section_make(&section, 21, &arena);
	for (size_t limit = 1; limit < 60000; limit += 97) {
		struct wm_arena own;
		struct wm_map map;
		wm_arena_init(&own);
		wm_arena_set_limit(&own, limit);
		enum wm_status status = decode_copy(section.data, section.size, &map, &own);
		assert_true(status == WM_OK || status == WM_NO_MEMORY);
		wm_arena_release(&own);
	}
	free(section.data);
	wm_arena_release(&arena);
}

static void long_regular_function_stays_within_budget(void **state)
{
	(void)state;
	enum { BLOCKS = 1000000 };
	struct wm_arena arena;
	struct wm_map map;
	struct wm_map_function f = {.name = "big", .scheme = "acyclic", .reason = "", .file = WM_NONE};
	struct wm_map_module module = {.source = "a.c", .function_count = 1, .function = &f};
	uint8_t *blob;
	size_t size;
	char error[160];
	wm_arena_init(&arena);
	f.graph = (struct wm_graph){.block_count = BLOCKS,
		.edge_count = BLOCKS - 1,
		.first_edge = WM_NEW(&arena, uint32_t, BLOCKS + 1),
		.edge_from = WM_NEW(&arena, uint32_t, BLOCKS),
		.edge_to = WM_NEW(&arena, uint32_t, BLOCKS),
		.end = WM_NEW(&arena, uint8_t, BLOCKS)};
	f.block = WM_NEW(&arena, struct wm_map_block, BLOCKS);
	for (uint32_t b = 0; b < BLOCKS; b++) {
		f.graph.first_edge[b + 1] = b + 1 < BLOCKS ? b + 1 : b;
		f.graph.edge_from[b] = b;
		f.graph.edge_to[b] = b + 1;
		f.block[b].default_edge = WM_NONE;
	}
	f.graph.end[BLOCKS - 1] = WM_END_RETURN;
	assert_int_equal(wm_map_encode(&module, &blob, &size), WM_OK);
	assert_true(size < 20000);
	assert_int_equal(wm_map_decode(&map, blob, size, error, &arena), WM_OK);
	assert_int_equal(map.module[0].function[0].graph.edge_count, BLOCKS - 1);
	free(blob);
	wm_arena_release(&arena);
}

static void keys_and_hashes(void **state)
{
	(void)state;
	uint32_t first[] = {0, 1, 1}, from[] = {0}, to[] = {1};
	uint8_t end[] = {WM_END_NONE, WM_END_RETURN};
	struct wm_graph graph = {2, 1, first, from, to, end, NULL};
	uint64_t hash = wm_map_graph_hash(&graph, "acyclic");
	assert_true(wm_function_key("f", NULL) != wm_function_key("f", "a.c"));
	assert_true(wm_function_key("fa", "b") != wm_function_key("f", "ab"));
	assert_true(hash != wm_map_graph_hash(&graph, "kiter=2"));
	end[1] = WM_END_NORETURN;
	assert_true(hash != wm_map_graph_hash(&graph, "acyclic"));
	/* Stored in profiles and binaries: these values must never change. */
	end[1] = WM_END_RETURN;
	assert_true(wm_function_key("main", NULL) == KEY_OF_MAIN);
	assert_true(hash == HASH_OF_TWO_BLOCKS);
}

static void encoder_refuses_what_it_could_not_read(void **state)
{
	(void)state;
	uint32_t first[] = {0, 1, 1}, from[] = {0}, to[] = {7};
	uint8_t end[] = {WM_END_NONE, WM_END_RETURN}, *data;
	size_t size;
	struct wm_map_block block[2] = {{.default_edge = WM_NONE}, {.default_edge = WM_NONE}};
	struct wm_map_function f = {.name = "f",
		.scheme = "acyclic",
		.reason = "",
		.file = WM_NONE,
		.graph = {2, 1, first, from, to, end, NULL},
		.block = block};
	struct wm_map_module module = {.source = "a.c", .function_count = 1, .function = &f};
	assert_int_equal(wm_map_encode(&module, &data, &size), WM_BAD_GRAPH);
	to[0] = 1;
	end[1] = WM_END_NONE;
	assert_int_equal(wm_map_encode(&module, &data, &size), WM_BAD_GRAPH);
	end[1] = WM_END_UNWIND;
	block[0].terminator = WM_TERM_BRANCH;
	block[0].true_edge = 1;
	assert_int_equal(wm_map_encode(&module, &data, &size), WM_BAD_GRAPH);
	block[0].true_edge = 0;
	assert_int_equal(wm_map_encode(&module, &data, &size), WM_OK);
	free(data);
	/* Call sites: a block or a callee that is not there, and orders that the format cannot tell. */
	const struct wm_call wrong[][2] = {
		{{.block = 2, .callee = WM_NONE}, {.block = 2, .position = 1, .callee = WM_NONE}},
		{{.callee = 1}, {.position = 1}},
		{{.position = 0}, {.position = 2}},
		{{.position = 1}, {.position = 2}},
		{{.block = 1}, {.block = 0}},
		{{.unwinds = true}, {.position = 1}},
		{{.tail = true}, {.block = 1}},
		{{.followed = true}, {.block = 1}},
		{{.block = 0}, {.block = 1, .followed = true}},
		{{.block = 1}, {.block = 1, .position = 1, .unwinds = true}},
	};
	struct wm_call call[2];
	f.call_count = 2;
	f.call = call;
	for (size_t i = 0; i < COUNT(wrong); i++) {
		memcpy(call, wrong[i], sizeof(call));
		assert_int_equal(wm_map_encode(&module, &data, &size), WM_BAD_GRAPH);
	}
	call[0] = (struct wm_call){.block = 0};
	call[1] = (struct wm_call){.block = 1};
	assert_int_equal(wm_map_encode(&module, &data, &size), WM_OK);
	free(data);
}

static void faults_are_of_one_function(void **state)
{
	(void)state;
	struct wm_arena arena;
	uint64_t seed = 5;
	struct wm_map_module module;
	struct wm_map_fault fault;
	wm_arena_init(&arena);
	do
		random_map_module(&seed, &arena, &module);
	while (module.function_count < 2 || module.function[1].facts.count < 2 || !module.function[1].call_count);
	assert_int_equal(wm_map_find_fault(&module, &fault), WM_OK);
	struct wm_map_function right = module.function[1];
	module.function[1].facts.value_count = right.facts.count + 1;
	assert_int_equal(wm_map_find_fault(&module, &fault), WM_BAD_GRAPH);
	assert_int_equal(fault.function, 1);
	assert_string_equal(fault.part, "facts about tested values");
	module.function[1] = right;
	module.function[1].call[0].block = right.graph.block_count;
	assert_int_equal(wm_map_find_fault(&module, &fault), WM_BAD_GRAPH);
	assert_int_equal(fault.function, 1);
	assert_string_equal(fault.part, "call sites");
	module.function[1].call_count = 0;
	module.function[1].file = module.file_count;
	assert_int_equal(wm_map_find_fault(&module, &fault), WM_BAD_GRAPH);
	assert_int_equal(fault.function, 1);
	assert_string_equal(fault.part, "graph and lines");
	/* A truth value that the reader would refuse. */
	module.function[1] = right;
	module.function[1].call_count = 0;
	module.has_values = true;
	module.function[1].value_count = 1;
	module.function[1].value = &(struct wm_map_value){
		.kind = WM_VALUE_CHOICE, .block = right.graph.block_count, .join = WM_NONE, .teller = WM_NONE};
	assert_int_equal(wm_map_find_fault(&module, &fault), WM_BAD_GRAPH);
	assert_string_equal(fault.part, "truth values");
	struct wm_map_alias alias = {"a", module.function_count, false};
	module.function[1].value_count = 0;
	module.alias = &alias;
	module.alias_count = 1;
	assert_int_equal(wm_map_find_fault(&module, &fault), WM_BAD_GRAPH);
	assert_int_equal(fault.function, WM_NONE);
	wm_arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trip),
		cmocka_unit_test(empty_section),
		cmocka_unit_test(every_prefix),
		cmocka_unit_test(every_bit_flip),
		cmocka_unit_test(damaged_module_in_the_middle),
		cmocka_unit_test(newer_version),
		cmocka_unit_test(random_payloads),
		cmocka_unit_test(memory_runs_out),
		cmocka_unit_test(long_regular_function_stays_within_budget),
		cmocka_unit_test(keys_and_hashes),
		cmocka_unit_test(encoder_refuses_what_it_could_not_read),
		cmocka_unit_test(faults_are_of_one_function),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
