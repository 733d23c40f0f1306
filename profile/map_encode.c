/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The map, encoder.  Keys and graph hashes can be computed from what is stored anyway, and they are the only data
 * that does not compress.  So they are stored only if they differ from what the decoder would compute.
 */
#include "profile/bytes.h"
#include "profile/map.h"
#include "profile/map_layout.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { COMPRESSION_LEVEL = 6 };

/* Position in the source that the next one is told relative to. */
struct encoder {
	struct wm_bytes out;
	const struct wm_map_module *module;
	const char *scheme;
	uint32_t file, line;
	bool bad; /* the module breaks an invariant of map.h */
};

static void put_position(struct encoder *encoder, const struct wm_map_line *at)
{
	if (at->file >= encoder->module->file_count) {
		encoder->bad = true;
		return;
	}
	int64_t delta = (int64_t)at->line - encoder->line;
	uint64_t zigzag = (uint64_t)delta << 1 ^ (delta < 0 ? UINT64_MAX : 0);
	wm_bytes_put_uleb(&encoder->out, zigzag << 1 | (at->file != encoder->file));
	if (at->file != encoder->file)
		wm_bytes_put_uleb(&encoder->out, at->file);
	wm_bytes_put_uleb(&encoder->out, at->column);
	encoder->file = at->file;
	encoder->line = at->line;
}

static void put_shape(
	struct encoder *encoder, const struct wm_graph *graph, const struct wm_map_block *block, uint32_t b)
{
	uint32_t first = graph->first_edge[b], count = graph->first_edge[b + 1] - first;
	bool branch = block->terminator == WM_TERM_BRANCH;
	if (block->terminator > WM_TERM_ASM_GOTO || (branch && (block->true_edge >= count || block->true_edge > 1)))
		encoder->bad = true;
	uint64_t word = (uint64_t)count << WM_MAP_SUCCESSOR_SHIFT | block->terminator;
	wm_bytes_put_uleb(&encoder->out, word | (branch && block->true_edge ? WM_MAP_TRUE_EDGE : 0));
	if (!count)
		wm_bytes_put_uleb(&encoder->out, graph->end[b]);
	if (count ? graph->end[b] != WM_END_NONE : graph->end[b] < WM_END_RETURN || graph->end[b] > WM_END_UNWIND)
		encoder->bad = true;
	for (uint32_t e = first; e < first + count; e++) {
		encoder->bad |= graph->edge_to[e] >= graph->block_count;
		wm_bytes_put_delta(&encoder->out, (int64_t)graph->edge_to[e] - b - 1);
	}
}

static void put_cases(struct encoder *encoder, const struct wm_map_block *block, uint32_t successors)
{
	uint64_t last = 0;
	wm_bytes_put_uleb(&encoder->out, block->default_edge == WM_NONE ? 0 : (uint64_t)block->default_edge + 1);
	encoder->bad |= block->default_edge != WM_NONE && block->default_edge >= successors;
	wm_bytes_put_uleb(&encoder->out, block->case_count);
	for (uint32_t i = 0; i < block->case_count; i++) {
		encoder->bad |= block->cases[i].edge_ordinal >= successors;
		wm_bytes_put_uleb(&encoder->out, block->cases[i].edge_ordinal);
		wm_bytes_put_delta(&encoder->out, (int64_t)((uint64_t)block->cases[i].value - last));
		last = (uint64_t)block->cases[i].value;
	}
}

static bool same_line(const struct wm_map_line *a, const struct wm_map_line *b)
{
	return a->file == b->file && a->line == b->line && a->column == b->column;
}

static void put_decision(struct encoder *encoder, const struct wm_map_block *block)
{
	if (!block->decision.line) {
		wm_bytes_put_uleb(&encoder->out, WM_MAP_NO_DECISION);
	} else if (block->line_count && same_line(&block->decision, &block->line[block->line_count - 1])) {
		wm_bytes_put_uleb(&encoder->out, WM_MAP_DECISION_AT_LAST_LINE);
	} else {
		wm_bytes_put_uleb(&encoder->out, WM_MAP_DECISION_FOLLOWS);
		put_position(encoder, &block->decision);
	}
}

static void put_source(struct encoder *encoder, const struct wm_map_block *block, uint32_t successors)
{
	wm_bytes_put_uleb(&encoder->out, block->line_count);
	for (uint32_t i = 0; i < block->line_count; i++)
		put_position(encoder, &block->line[i]);
	if (block->terminator != WM_TERM_NONE)
		put_decision(encoder, block);
	if (block->terminator == WM_TERM_SWITCH)
		put_cases(encoder, block, successors);
}

static void put_blocks(struct encoder *encoder, const struct wm_map_function *function)
{
	const struct wm_graph *graph = &function->graph;
	wm_bytes_put_uleb(&encoder->out, graph->block_count);
	wm_bytes_put_uleb(&encoder->out, graph->block_count ? graph->edge_count : 0);
	for (uint32_t b = 0; b < graph->block_count; b++)
		put_shape(encoder, graph, &function->block[b], b);
	for (uint32_t b = 0; b < graph->block_count; b++)
		put_source(encoder, &function->block[b], graph->first_edge[b + 1] - graph->first_edge[b]);
}

static uint64_t function_flags(const struct encoder *encoder, const struct wm_map_function *f)
{
	const char *source = f->local ? encoder->module->source : NULL;
	uint64_t flags = (uint64_t)f->stage << WM_MAP_STAGE_SHIFT | (uint64_t)f->status << WM_MAP_STATUS_SHIFT |
			 (uint64_t)f->update << WM_MAP_UPDATE_SHIFT;
	flags |= (f->has_entries ? WM_MAP_ENTRIES : 0) | (f->has_resumed ? WM_MAP_RESUMED : 0);
	flags |= (f->local ? WM_MAP_LOCAL : 0) | (f->file != WM_NONE ? WM_MAP_HAS_FILE : 0);
	flags |= f->key != wm_function_key(f->name, source) ? WM_MAP_OWN_KEY : 0;
	flags |= f->graph_hash != wm_map_graph_hash(&f->graph, f->scheme) ? WM_MAP_OWN_HASH : 0;
	flags |= encoder->scheme && !strcmp(encoder->scheme, f->scheme) ? WM_MAP_SAME_SCHEME : 0;
	return flags;
}

static void put_function(struct encoder *encoder, const struct wm_map_function *f)
{
	uint64_t flags = function_flags(encoder, f);
	encoder->bad |= f->stage > WM_CFG_OPTIMISED || f->status > WM_SKIPPED || f->update > WM_UPDATE_GS ||
			(f->file != WM_NONE && f->file >= encoder->module->file_count);
	wm_bytes_put_uleb(&encoder->out, flags);
	wm_bytes_put_string(&encoder->out, f->name);
	if (!(flags & WM_MAP_SAME_SCHEME))
		wm_bytes_put_string(&encoder->out, f->scheme);
	if (f->status == WM_SKIPPED)
		wm_bytes_put_string(&encoder->out, f->reason);
	if (flags & WM_MAP_OWN_KEY)
		wm_bytes_put_u64(&encoder->out, f->key);
	if (flags & WM_MAP_OWN_HASH)
		wm_bytes_put_u64(&encoder->out, f->graph_hash);
	if (flags & WM_MAP_HAS_FILE)
		wm_bytes_put_uleb(&encoder->out, f->file);
	wm_bytes_put_uleb(&encoder->out, f->line);
	encoder->scheme = f->scheme;
	encoder->file = f->file == WM_NONE ? 0 : f->file;
	encoder->line = f->line;
	put_blocks(encoder, f);
}

/* Whether no call site follows in the block, for one of the reasons that the map tells. */
static bool ends_block(const struct wm_call *call)
{
	return call->unwinds || call->tail || call->followed;
}

/* In a block, the call sites stand by position, and nothing follows an invoke. */
static bool follows_in_block(const struct wm_call *call, const struct wm_call *before)
{
	return call->block == before->block && call->position == before->position + 1 && !ends_block(before);
}

static void put_calls_of(struct encoder *encoder, const struct wm_map_function *f, uint32_t callee_count)
{
	uint32_t block = 0;
	wm_bytes_put_uleb(&encoder->out, f->call_count);
	for (uint32_t i = 0; i < f->call_count; i++) {
		const struct wm_call *call = &f->call[i];
		bool first = call->position == 0 && (i == 0 || call->block > block);
		encoder->bad |= !first && (i == 0 || !follows_in_block(call, call - 1));
		encoder->bad |= call->block >= f->graph.block_count;
		bool exits = !encoder->bad && f->graph.first_edge[call->block] == f->graph.first_edge[call->block + 1];
		bool noreturn = exits && f->graph.end[call->block] == WM_END_NORETURN;
		encoder->bad |= (call->unwinds && exits) || (call->tail && (!exits || noreturn)) ||
				(call->followed && !noreturn);
		encoder->bad |= call->callee != WM_NONE && call->callee >= callee_count;
		wm_bytes_put_uleb(&encoder->out, (uint64_t)(call->block - block) << WM_MAP_CALL_SHIFT |
							 (call->may_not_return ? WM_MAP_MAY_NOT_RETURN : 0) |
							 (ends_block(call) ? WM_MAP_ENDS_BLOCK : 0));
		wm_bytes_put_uleb(&encoder->out, call->callee == WM_NONE ? 0 : (uint64_t)call->callee + 1);
		block = call->block;
	}
}

static void put_calls(struct encoder *encoder)
{
	const struct wm_map_module *module = encoder->module;
	wm_bytes_put_uleb(&encoder->out, module->outside_count);
	for (uint32_t i = 0; i < module->outside_count; i++)
		wm_bytes_put_string(&encoder->out, module->outside[i]);
	for (uint32_t i = 0; i < module->function_count; i++)
		put_calls_of(encoder, &module->function[i], module->function_count + module->outside_count);
}

/* Bits fill bytes from the lowest on. */
struct bits {
	struct encoder *encoder;
	uint8_t byte;
	unsigned used;
};

static void put_bit(struct bits *bits, bool bit)
{
	bits->byte |= (uint8_t)(bit << bits->used);
	if (++bits->used < 8)
		return;
	wm_bytes_put(&bits->encoder->out, &bits->byte, 1);
	*bits = (struct bits){.encoder = bits->encoder};
}

static void put_unit_of(struct encoder *encoder, const struct wm_map_function *f)
{
	const struct wm_map_unit *unit = f->unit;
	struct bits bits = {.encoder = encoder};
	wm_bytes_put_uleb(&encoder->out, unit ? (uint64_t)unit->edge_count + 1 : 0);
	for (uint32_t i = 0; unit && i < f->call_count; i++) {
		put_bit(&bits, f->call[i].opaque);
		put_bit(&bits, unit->crossed[i]);
	}
	for (uint32_t i = 0; unit && i < unit->edge_count; i++)
		put_bit(&bits, unit->tree[i]);
	while (bits.used)
		put_bit(&bits, false);
}

static void put_unit(struct encoder *encoder)
{
	const struct wm_map_module *module = encoder->module;
	wm_bytes_put_uleb(&encoder->out, module->taken_count);
	for (uint32_t i = 0; i < module->taken_count; i++)
		wm_bytes_put_string(&encoder->out, module->taken[i]);
	for (uint32_t i = 0; i < module->function_count; i++)
		put_unit_of(encoder, &module->function[i]);
}

static void put_aliases(struct encoder *encoder)
{
	const struct wm_map_module *module = encoder->module;
	wm_bytes_put_uleb(&encoder->out, module->alias_count);
	for (uint32_t i = 0; i < module->alias_count; i++) {
		encoder->bad |= module->alias[i].function >= module->function_count;
		wm_bytes_put_string(&encoder->out, module->alias[i].name);
		wm_bytes_put_uleb(&encoder->out, (uint64_t)module->alias[i].function << 1 | module->alias[i].weak);
	}
}

static void put_unseen(struct encoder *encoder)
{
	const struct wm_map_module *module = encoder->module;
	uint32_t functions = module->function_count + module->outside_count, before = 0;
	wm_bytes_put_uleb(&encoder->out, module->unseen_count);
	for (uint32_t i = 0; i < module->unseen_count; i++) {
		const struct wm_map_unseen_call *call = &module->unseen[i];
		encoder->bad |= call->caller >= functions || call->caller < before ||
				(call->callee != WM_NONE && call->callee >= functions);
		wm_bytes_put_uleb(&encoder->out, call->caller - before);
		wm_bytes_put_uleb(&encoder->out, call->callee == WM_NONE ? 0 : (uint64_t)call->callee + 1);
		before = call->caller;
	}
}

static void put_contexts(struct encoder *encoder, const struct wm_origins *origins)
{
	uint32_t callees = encoder->module->function_count + encoder->module->outside_count;
	for (uint32_t i = 1; i < origins->context_count; i++) {
		const struct wm_context *context = &origins->context[i];
		encoder->bad |= context->parent >= i || context->function >= callees || context->block == WM_NONE ||
				context->position == WM_NONE || wm_context_depth(origins, i) > WM_CONTEXT_DEPTH;
		wm_bytes_put_uleb(&encoder->out, i - context->parent - 1);
		wm_bytes_put_uleb(&encoder->out, context->function);
		wm_bytes_put_uleb(&encoder->out, context->block);
		wm_bytes_put_uleb(&encoder->out, context->position);
	}
}

static void put_marks(struct encoder *encoder, const struct wm_map_function *f)
{
	const struct wm_origins *origins = &f->inlined->origins;
	encoder->bad |= origins->block_count != f->graph.block_count;
	for (uint32_t b = 0; b < f->graph.block_count && !encoder->bad; b++) {
		uint32_t first = origins->first_mark[b], line = 0;
		wm_bytes_put_uleb(&encoder->out, origins->first_mark[b + 1] - first);
		for (uint32_t i = first; i < origins->first_mark[b + 1]; i++) {
			const struct wm_mark *mark = &origins->mark[i];
			encoder->bad |= mark->context >= origins->context_count || mark->line < line ||
					mark->line > f->block[b].line_count || mark->block == WM_NONE;
			wm_bytes_put_uleb(&encoder->out, (uint64_t)mark->context << 1 | mark->behind);
			wm_bytes_put_uleb(&encoder->out, mark->block);
			wm_bytes_put_uleb(&encoder->out, mark->line - line);
			line = mark->line;
		}
	}
}

static void put_inlined(struct encoder *encoder)
{
	const struct wm_map_module *module = encoder->module;
	for (uint32_t i = 0; i < module->function_count; i++) {
		const struct wm_map_function *f = &module->function[i];
		uint64_t contexts = f->inlined ? f->inlined->origins.context_count : 0;
		wm_bytes_put_uleb(&encoder->out, f->inlined ? contexts + 1 : 0);
		if (f->inlined)
			wm_bytes_put(&encoder->out, f->inlined->kept, f->call_count);
		if (!contexts)
			continue;
		encoder->bad |= f->inlined->origins.context[0].function != i;
		put_contexts(encoder, &f->inlined->origins);
		put_marks(encoder, f);
	}
}

/* The number of marks of a function into which calls were inlined. */
static uint32_t mark_count(const struct wm_map_function *f)
{
	return wm_map_has_origins(f) ? f->inlined->origins.first_mark[f->inlined->origins.block_count] : 0;
}

static void put_pads(struct encoder *encoder)
{
	struct bits bits = {.encoder = encoder};
	for (uint32_t i = 0; i < encoder->module->function_count; i++)
		for (uint32_t m = 0; m < mark_count(&encoder->module->function[i]); m++)
			put_bit(&bits, encoder->module->function[i].inlined->origins.mark[m].pad);
	while (bits.used)
		put_bit(&bits, false);
}

static void put_crash(struct encoder *encoder)
{
	wm_bytes_put_uleb(&encoder->out, encoder->module->crash_paths);
}

static void put_directory(struct encoder *encoder)
{
	wm_bytes_put_string(&encoder->out, encoder->module->directory);
}

/* Whether the map describes the condition of this block. */
static bool has_condition(const struct wm_map_block *block)
{
	return block->terminator == WM_TERM_BRANCH && block->condition.kind != WM_CONDITION_UNSAID;
}

static bool has_conditions(const struct wm_map_function *f)
{
	for (uint32_t b = 0; b < f->graph.block_count; b++)
		if (has_condition(&f->block[b]))
			return true;
	return false;
}

static void put_condition(struct encoder *encoder, const struct wm_map_condition *condition)
{
	bool named = condition->name && *condition->name;
	encoder->bad |= condition->kind > WM_CONDITION_CASES || condition->side[0] > WM_SIDE_OTHER ||
			condition->side[1] > WM_SIDE_OTHER;
	wm_bytes_put_uleb(
		&encoder->out, (uint64_t)condition->kind | (uint64_t)condition->side[0] << WM_MAP_SIDE_SHIFT |
				       (uint64_t)condition->side[1] << (WM_MAP_SIDE_SHIFT + WM_MAP_SIDE_BITS) |
				       (named ? WM_MAP_NAMED : 0));
	if (named)
		wm_bytes_put_string(&encoder->out, condition->name);
}

static void put_conditions(struct encoder *encoder)
{
	for (uint32_t i = 0; i < encoder->module->function_count; i++) {
		const struct wm_map_function *f = &encoder->module->function[i];
		for (uint32_t b = 0; b < f->graph.block_count; b++)
			if (f->block[b].terminator == WM_TERM_BRANCH)
				put_condition(encoder, &f->block[b].condition);
	}
}

static void put_value(struct encoder *encoder, const struct wm_map_value *value, uint32_t before)
{
	bool named = value->name && *value->name;
	encoder->bad |= value->kind > WM_VALUE_FIXED || value->use > WM_USE_INVERTED || value->block < before;
	wm_bytes_put_uleb(&encoder->out, (uint64_t)value->kind | (uint64_t)value->use << WM_MAP_USE_SHIFT |
						 (value->disjunction ? WM_MAP_DISJUNCTION : 0) |
						 (value->truth ? WM_MAP_TRUTH : 0) | (named ? WM_MAP_VALUE_NAMED : 0) |
						 (uint64_t)(value->block - before) << WM_MAP_VALUE_SHIFT);
	wm_bytes_put_uleb(&encoder->out, value->join == WM_NONE ? 0 : (uint64_t)value->join + 1);
	if (value->use != WM_USE_OTHER)
		wm_bytes_put_uleb(&encoder->out, value->teller);
	wm_bytes_put_uleb(&encoder->out, value->place.line);
	if (value->place.line) {
		wm_bytes_put_uleb(&encoder->out, value->place.file);
		wm_bytes_put_uleb(&encoder->out, value->place.column);
	}
	if (named)
		wm_bytes_put_string(&encoder->out, value->name);
}

static void put_values(struct encoder *encoder)
{
	for (uint32_t i = 0; i < encoder->module->function_count; i++) {
		const struct wm_map_function *f = &encoder->module->function[i];
		wm_bytes_put_uleb(&encoder->out, f->value_count);
		for (uint32_t v = 0; v < f->value_count; v++)
			put_value(encoder, &f->value[v], v ? f->value[v - 1].block : 0);
	}
}

static void put_call_lines(struct encoder *encoder)
{
	for (uint32_t i = 0; i < encoder->module->function_count; i++) {
		const struct wm_map_function *f = &encoder->module->function[i];
		wm_bytes_put_uleb(&encoder->out, f->call_line ? f->call_count : 0);
		for (uint32_t c = 0; f->call_line && c < f->call_count && !encoder->bad; c++) {
			encoder->bad |= f->call_line[c] > f->block[f->call[c].block].line_count;
			wm_bytes_put_uleb(&encoder->out, f->call_line[c]);
		}
	}
}

static void put_checksum(struct wm_bytes *out, const struct wm_map_checksum *sum)
{
	wm_bytes_put_uleb(out, sum->size);
	wm_bytes_put(out, sum->byte, sum->size);
}

static void put_checksums(struct encoder *encoder)
{
	const struct wm_map_module *module = encoder->module;
	put_checksum(&encoder->out, &module->source_sum);
	for (uint32_t i = 0; module->file_sum && i < module->file_count; i++)
		put_checksum(&encoder->out, &module->file_sum[i]);
}

static void put_fact(struct encoder *encoder, const struct wm_graph *graph, const struct wm_fact *fact, uint32_t block)
{
	struct wm_value_range is = fact->range;
	unsigned bounds = (is.low == INT64_MIN ? WM_MAP_NO_LOW : 0) | (is.high == INT64_MAX ? WM_MAP_NO_HIGH : 0);
	bounds |= is.low == is.high ? WM_MAP_ONE_VALUE : 0;
	wm_bytes_put_uleb(&encoder->out,
		(uint64_t)(fact->block - block) << WM_MAP_FACT_BITS | bounds << WM_MAP_BOUNDS_SHIFT | fact->kind);
	wm_bytes_put_uleb(&encoder->out, fact->value);
	if (fact->kind == WM_FACT_TEST)
		wm_bytes_put_uleb(&encoder->out, fact->edge - graph->first_edge[fact->block]);
	if (fact->kind == WM_FACT_FROM)
		wm_bytes_put_uleb(&encoder->out, fact->edge);
	if (!(bounds & WM_MAP_NO_LOW))
		wm_bytes_put_delta(&encoder->out, is.low);
	if (!(bounds & (WM_MAP_NO_HIGH | WM_MAP_ONE_VALUE)))
		wm_bytes_put_uleb(&encoder->out, (uint64_t)is.high - (uint64_t)is.low);
}

static void put_facts(struct encoder *encoder)
{
	for (uint32_t i = 0; i < encoder->module->function_count; i++) {
		const struct wm_map_function *f = &encoder->module->function[i];
		encoder->bad |= !wm_facts_are_valid(&f->facts, &f->graph);
		wm_bytes_put_uleb(&encoder->out, f->facts.count);
		if (!f->facts.count || encoder->bad)
			continue;
		wm_bytes_put_uleb(&encoder->out, f->facts.value_count);
		for (uint32_t j = 0; j < f->facts.count; j++)
			put_fact(encoder, &f->graph, &f->facts.fact[j], j ? f->facts.fact[j - 1].block : 0);
	}
}

/* The size of an extension stands before it: its bytes are made first. */
static void put_extension(struct encoder *encoder, enum wm_map_extension kind, void (*put)(struct encoder *))
{
	struct wm_bytes before = encoder->out;
	wm_bytes_init(&encoder->out);
	put(encoder);
	struct wm_bytes content = encoder->out;
	encoder->out = before;
	encoder->out.failed |= content.failed;
	wm_bytes_put_uleb(&encoder->out, kind);
	wm_bytes_put_uleb(&encoder->out, content.size);
	wm_bytes_put(&encoder->out, content.data, content.size);
	wm_bytes_release(&content);
}

static bool has_calls(const struct wm_map_function *f)
{
	return f->call_count > 0;
}

static bool has_unit(const struct wm_map_function *f)
{
	return f->unit != NULL;
}

static bool has_inlined(const struct wm_map_function *f)
{
	return f->inlined != NULL;
}

static bool has_marks(const struct wm_map_function *f)
{
	return mark_count(f) > 0;
}

static bool has_call_lines(const struct wm_map_function *f)
{
	return f->call_line && f->call_count;
}

static bool has_facts(const struct wm_map_function *f)
{
	return f->facts.count > 0;
}

/* An extension is written if `of_module` is true, or `of_function` of some function. */
struct extension {
	enum wm_map_extension kind;
	bool of_module;
	bool (*of_function)(const struct wm_map_function *f);
	void (*put)(struct encoder *);
};

static bool is_needed(const struct extension *extension, const struct wm_map_module *module)
{
	bool needed = extension->of_module;
	for (uint32_t i = 0; i < module->function_count && !needed && extension->of_function; i++)
		needed = extension->of_function(&module->function[i]);
	return needed;
}

static void put_extensions(struct encoder *encoder)
{
	const struct wm_map_module *module = encoder->module;
	bool checksums = module->source_sum.size || module->file_sum;
	const struct extension extensions[] = {
		{WM_MAP_CALLS, module->outside_count, has_calls, put_calls},
		{WM_MAP_UNIT, module->taken_count, has_unit, put_unit},
		{WM_MAP_INLINED, false, has_inlined, put_inlined},
		{WM_MAP_ALIASES, module->alias_count, NULL, put_aliases},
		{WM_MAP_UNSEEN, module->unseen_count, NULL, put_unseen},
		{WM_MAP_PADS, false, has_marks, put_pads},
		{WM_MAP_CRASH, module->crash_paths, NULL, put_crash},
		{WM_MAP_CONDITIONS, false, has_conditions, put_conditions},
		{WM_MAP_CALL_LINES, false, has_call_lines, put_call_lines},
		{WM_MAP_DIRECTORY, module->directory, NULL, put_directory},
		{WM_MAP_CHECKSUMS, checksums, NULL, put_checksums},
		{WM_MAP_FACTS, false, has_facts, put_facts},
		{WM_MAP_VALUES, module->has_values, NULL, put_values},
	};
	enum { COUNT = sizeof extensions / sizeof *extensions };
	uint64_t needed = 0;
	for (size_t i = 0; i < COUNT; i++)
		needed += is_needed(&extensions[i], module);
	wm_bytes_put_uleb(&encoder->out, needed);
	for (size_t i = 0; i < COUNT; i++)
		if (is_needed(&extensions[i], module))
			put_extension(encoder, extensions[i].kind, extensions[i].put);
}

static void put_module(struct encoder *encoder)
{
	const struct wm_map_module *module = encoder->module;
	wm_bytes_put_string(&encoder->out, module->source);
	wm_bytes_put_uleb(&encoder->out, module->file_count);
	for (uint32_t i = 0; i < module->file_count; i++)
		wm_bytes_put_string(&encoder->out, module->file[i]);
	wm_bytes_put_uleb(&encoder->out, module->function_count);
	for (uint32_t i = 0; i < module->function_count; i++)
		put_function(encoder, &module->function[i]);
	put_extensions(encoder);
}

static void put_header(struct wm_bytes *blob, uint32_t flags, size_t stored, size_t payload)
{
	wm_bytes_put_u64(blob, WM_MAP_MAGIC);
	wm_bytes_put_u32(blob, WM_MAP_VERSION);
	wm_bytes_put_u32(blob, flags);
	wm_bytes_put_u32(blob, (uint32_t)stored);
	wm_bytes_put_u32(blob, (uint32_t)payload);
	wm_bytes_put_u64(blob, 0);
}

static void seal(struct wm_bytes *blob, size_t stored)
{
	if (blob->failed)
		return;
	uint64_t checksum = wm_map_blob_checksum(blob->data, stored);
	for (size_t i = 0; i < 8; i++)
		blob->data[WM_MAP_CHECKSUM_OFFSET + i] = (uint8_t)(checksum >> 8 * i);
}

static enum wm_status frame(const struct wm_bytes *payload, struct wm_bytes *blob)
{
	size_t bound = ZSTD_compressBound(payload->size);
	uint8_t *packed = malloc(bound);
	if (!packed)
		return WM_NO_MEMORY;
	size_t size = ZSTD_compress(packed, bound, payload->data, payload->size, COMPRESSION_LEVEL);
	bool compressed = !ZSTD_isError(size) && size < payload->size && payload->size <= wm_map_payload_budget(size);
	size_t stored = compressed ? size : payload->size;
	put_header(blob, compressed ? WM_MAP_COMPRESSED : 0, stored, payload->size);
	wm_bytes_put(blob, compressed ? packed : payload->data, stored);
	seal(blob, stored);
	free(packed);
	return blob->failed ? WM_NO_MEMORY : WM_OK;
}

enum wm_status wm_map_encode(const struct wm_map_module *module, uint8_t **data, size_t *size)
{
	struct encoder encoder = {.module = module};
	struct wm_bytes blob;
	wm_bytes_init(&blob);
	put_module(&encoder);
	enum wm_status status = encoder.out.failed ? WM_NO_MEMORY : WM_OK;
	if (!status && (encoder.bad || encoder.out.size > UINT32_MAX))
		status = WM_BAD_GRAPH;
	if (!status)
		status = frame(&encoder.out, &blob);
	wm_bytes_release(&encoder.out);
	if (status) {
		wm_bytes_release(&blob);
		return status;
	}
	*data = blob.data;
	*size = blob.size;
	return WM_OK;
}
