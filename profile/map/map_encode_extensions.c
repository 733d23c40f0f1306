/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profile/map/map_encoder.h"
#include "profile/map/map_layout.h"

/* The function of which something is written next. */
static const struct wm_map_function *begin_function(struct wm_map_encoder *encoder, uint32_t index)
{
	encoder->function = index;
	return &encoder->module->function[index];
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

static void put_calls_of(struct wm_map_encoder *encoder, const struct wm_map_function *f, uint32_t callee_count)
{
	uint32_t block = 0;
	wm_bytes_put_uleb(&encoder->out, f->call_count);
	for (uint32_t i = 0; i < f->call_count; i++) {
		const struct wm_call *call = &f->call[i];
		bool first = call->position == 0 && (i == 0 || call->block > block);
		wm_map_forbid(encoder, !first && (i == 0 || !follows_in_block(call, call - 1)));
		wm_map_forbid(encoder, call->block >= f->graph.block_count);
		bool exits = !encoder->fault.part &&
			     f->graph.first_edge[call->block] == f->graph.first_edge[call->block + 1];
		bool noreturn = exits && f->graph.end[call->block] == WM_END_NORETURN;
		wm_map_forbid(encoder, (call->unwinds && exits) || (call->tail && (!exits || noreturn)) ||
					       (call->followed && !noreturn));
		wm_map_forbid(encoder, call->callee != WM_NONE && call->callee >= callee_count);
		wm_bytes_put_uleb(&encoder->out, (uint64_t)(call->block - block) << WM_MAP_CALL_SHIFT |
							 (call->may_not_return ? WM_MAP_MAY_NOT_RETURN : 0) |
							 (ends_block(call) ? WM_MAP_ENDS_BLOCK : 0));
		wm_bytes_put_uleb(&encoder->out, call->callee == WM_NONE ? 0 : (uint64_t)call->callee + 1);
		block = call->block;
	}
}

static void put_calls(struct wm_map_encoder *encoder)
{
	const struct wm_map_module *module = encoder->module;
	wm_bytes_put_uleb(&encoder->out, module->outside_count);
	for (uint32_t i = 0; i < module->outside_count; i++)
		wm_bytes_put_string(&encoder->out, module->outside[i]);
	for (uint32_t i = 0; i < module->function_count; i++)
		put_calls_of(encoder, begin_function(encoder, i), module->function_count + module->outside_count);
}

/* Bits fill bytes from the lowest on. */
struct bits {
	struct wm_map_encoder *encoder;
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

static void put_unit_of(struct wm_map_encoder *encoder, const struct wm_map_function *f)
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

static void put_unit(struct wm_map_encoder *encoder)
{
	const struct wm_map_module *module = encoder->module;
	wm_bytes_put_uleb(&encoder->out, module->taken_count);
	for (uint32_t i = 0; i < module->taken_count; i++)
		wm_bytes_put_string(&encoder->out, module->taken[i]);
	for (uint32_t i = 0; i < module->function_count; i++)
		put_unit_of(encoder, begin_function(encoder, i));
}

static void put_aliases(struct wm_map_encoder *encoder)
{
	const struct wm_map_module *module = encoder->module;
	wm_bytes_put_uleb(&encoder->out, module->alias_count);
	for (uint32_t i = 0; i < module->alias_count; i++) {
		wm_map_forbid(encoder, module->alias[i].function >= module->function_count);
		wm_bytes_put_string(&encoder->out, module->alias[i].name);
		wm_bytes_put_uleb(&encoder->out, (uint64_t)module->alias[i].function << 1 | module->alias[i].weak);
	}
}

static void put_unseen(struct wm_map_encoder *encoder)
{
	const struct wm_map_module *module = encoder->module;
	uint32_t functions = module->function_count + module->outside_count, before = 0;
	wm_bytes_put_uleb(&encoder->out, module->unseen_count);
	for (uint32_t i = 0; i < module->unseen_count; i++) {
		const struct wm_map_unseen_call *call = &module->unseen[i];
		wm_map_forbid(encoder, call->caller >= functions || call->caller < before ||
					       (call->callee != WM_NONE && call->callee >= functions));
		wm_bytes_put_uleb(&encoder->out, call->caller - before);
		wm_bytes_put_uleb(&encoder->out, call->callee == WM_NONE ? 0 : (uint64_t)call->callee + 1);
		before = call->caller;
	}
}

static void put_contexts(struct wm_map_encoder *encoder, const struct wm_origins *origins)
{
	uint32_t callees = encoder->module->function_count + encoder->module->outside_count;
	for (uint32_t i = 1; i < origins->context_count; i++) {
		const struct wm_context *context = &origins->context[i];
		wm_map_forbid(encoder, context->parent >= i || context->function >= callees ||
					       context->block == WM_NONE || context->position == WM_NONE ||
					       wm_context_depth(origins, i) > WM_CONTEXT_DEPTH);
		wm_bytes_put_uleb(&encoder->out, i - context->parent - 1);
		wm_bytes_put_uleb(&encoder->out, context->function);
		wm_bytes_put_uleb(&encoder->out, context->block);
		wm_bytes_put_uleb(&encoder->out, context->position);
	}
}

static void put_marks(struct wm_map_encoder *encoder, const struct wm_map_function *f)
{
	const struct wm_origins *origins = &f->inlined->origins;
	wm_map_forbid(encoder, origins->block_count != f->graph.block_count);
	for (uint32_t b = 0; b < f->graph.block_count && !encoder->fault.part; b++) {
		uint32_t first = origins->first_mark[b], line = 0;
		wm_bytes_put_uleb(&encoder->out, origins->first_mark[b + 1] - first);
		for (uint32_t i = first; i < origins->first_mark[b + 1]; i++) {
			const struct wm_mark *mark = &origins->mark[i];
			wm_map_forbid(encoder, mark->context >= origins->context_count || mark->line < line ||
						       mark->line > f->block[b].line_count || mark->block == WM_NONE);
			wm_bytes_put_uleb(&encoder->out, (uint64_t)mark->context << 1 | mark->behind);
			wm_bytes_put_uleb(&encoder->out, mark->block);
			wm_bytes_put_uleb(&encoder->out, mark->line - line);
			line = mark->line;
		}
	}
}

static void put_inlined(struct wm_map_encoder *encoder)
{
	const struct wm_map_module *module = encoder->module;
	for (uint32_t i = 0; i < module->function_count; i++) {
		const struct wm_map_function *f = begin_function(encoder, i);
		uint64_t contexts = f->inlined ? f->inlined->origins.context_count : 0;
		wm_bytes_put_uleb(&encoder->out, f->inlined ? contexts + 1 : 0);
		if (f->inlined)
			wm_bytes_put(&encoder->out, f->inlined->kept, f->call_count);
		if (!contexts)
			continue;
		wm_map_forbid(encoder, f->inlined->origins.context[0].function != i);
		put_contexts(encoder, &f->inlined->origins);
		put_marks(encoder, f);
	}
}

/* The number of marks of a function into which calls were inlined. */
static uint32_t mark_count(const struct wm_map_function *f)
{
	return wm_map_has_origins(f) ? f->inlined->origins.first_mark[f->inlined->origins.block_count] : 0;
}

static void put_pads(struct wm_map_encoder *encoder)
{
	struct bits bits = {.encoder = encoder};
	for (uint32_t i = 0; i < encoder->module->function_count; i++)
		for (uint32_t m = 0; m < mark_count(&encoder->module->function[i]); m++)
			put_bit(&bits, encoder->module->function[i].inlined->origins.mark[m].pad);
	while (bits.used)
		put_bit(&bits, false);
}

static void put_crash(struct wm_map_encoder *encoder)
{
	wm_bytes_put_uleb(&encoder->out, encoder->module->crash_paths);
}

static void put_directory(struct wm_map_encoder *encoder)
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

static void put_condition(struct wm_map_encoder *encoder, const struct wm_map_condition *condition)
{
	bool named = condition->name && *condition->name;
	wm_map_forbid(encoder, condition->kind > WM_CONDITION_CASES || condition->side[0] > WM_SIDE_OTHER ||
				       condition->side[1] > WM_SIDE_OTHER);
	wm_bytes_put_uleb(
		&encoder->out, (uint64_t)condition->kind | (uint64_t)condition->side[0] << WM_MAP_SIDE_SHIFT |
				       (uint64_t)condition->side[1] << (WM_MAP_SIDE_SHIFT + WM_MAP_SIDE_BITS) |
				       (named ? WM_MAP_NAMED : 0));
	if (named)
		wm_bytes_put_string(&encoder->out, condition->name);
}

static void put_conditions(struct wm_map_encoder *encoder)
{
	for (uint32_t i = 0; i < encoder->module->function_count; i++) {
		const struct wm_map_function *f = begin_function(encoder, i);
		for (uint32_t b = 0; b < f->graph.block_count; b++)
			if (f->block[b].terminator == WM_TERM_BRANCH)
				put_condition(encoder, &f->block[b].condition);
	}
}

static void put_value(struct wm_map_encoder *encoder, const struct wm_map_function *f, const struct wm_map_value *value,
	uint32_t before)
{
	bool named = value->name && *value->name;
	wm_map_forbid(encoder, !wm_map_value_fits(f, value) || value->block < before);
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

static void put_values(struct wm_map_encoder *encoder)
{
	for (uint32_t i = 0; i < encoder->module->function_count; i++) {
		const struct wm_map_function *f = begin_function(encoder, i);
		wm_bytes_put_uleb(&encoder->out, f->value_count);
		for (uint32_t v = 0; v < f->value_count; v++)
			put_value(encoder, f, &f->value[v], v ? f->value[v - 1].block : 0);
	}
}

static void put_call_lines(struct wm_map_encoder *encoder)
{
	for (uint32_t i = 0; i < encoder->module->function_count; i++) {
		const struct wm_map_function *f = begin_function(encoder, i);
		wm_bytes_put_uleb(&encoder->out, f->call_line ? f->call_count : 0);
		for (uint32_t c = 0; f->call_line && c < f->call_count && !encoder->fault.part; c++) {
			wm_map_forbid(encoder, f->call_line[c] > f->block[f->call[c].block].line_count);
			wm_bytes_put_uleb(&encoder->out, f->call_line[c]);
		}
	}
}

static void put_checksum(struct wm_bytes *out, const struct wm_map_checksum *sum)
{
	wm_bytes_put_uleb(out, sum->size);
	wm_bytes_put(out, sum->byte, sum->size);
}

static void put_checksums(struct wm_map_encoder *encoder)
{
	const struct wm_map_module *module = encoder->module;
	put_checksum(&encoder->out, &module->source_sum);
	for (uint32_t i = 0; module->file_sum && i < module->file_count; i++)
		put_checksum(&encoder->out, &module->file_sum[i]);
}

/* One bit per file, if the main file stands for one of them. */
static void put_code(struct wm_map_encoder *encoder)
{
	const struct wm_map_module *module = encoder->module;
	struct bits bits = {.encoder = encoder};
	for (uint32_t i = 0; i < module->function_count; i++)
		wm_bytes_put_u32(&encoder->out, module->function[i].own_code);
	for (uint32_t i = 0; module->in_main && i < module->file_count; i++)
		put_bit(&bits, module->in_main[i]);
	while (bits.used)
		put_bit(&bits, false);
}

static void put_fact(
	struct wm_map_encoder *encoder, const struct wm_graph *graph, const struct wm_fact *fact, uint32_t block)
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

static void put_facts(struct wm_map_encoder *encoder)
{
	for (uint32_t i = 0; i < encoder->module->function_count; i++) {
		const struct wm_map_function *f = begin_function(encoder, i);
		wm_map_forbid(encoder, !wm_facts_are_valid(&f->facts, &f->graph));
		wm_bytes_put_uleb(&encoder->out, f->facts.count);
		if (!f->facts.count || encoder->fault.part)
			continue;
		wm_bytes_put_uleb(&encoder->out, f->facts.value_count);
		for (uint32_t j = 0; j < f->facts.count; j++)
			put_fact(encoder, &f->graph, &f->facts.fact[j], j ? f->facts.fact[j - 1].block : 0);
	}
}

static uint32_t failure_count(const struct wm_map_function *f)
{
	uint32_t count = 0;
	for (uint32_t e = 0; f->failure && e < f->graph.edge_count; e++)
		count += f->failure[e] != 0;
	return count;
}

static void put_failures(struct wm_map_encoder *encoder)
{
	for (uint32_t i = 0; i < encoder->module->function_count; i++) {
		const struct wm_map_function *f = begin_function(encoder, i);
		uint32_t next = 0;
		wm_bytes_put_uleb(&encoder->out, failure_count(f));
		for (uint32_t e = 0; f->failure && e < f->graph.edge_count; e++) {
			if (!f->failure[e])
				continue;
			wm_map_forbid(encoder, f->failure[e] & ~WM_CHECKS);
			wm_bytes_put_uleb(&encoder->out, (uint64_t)(e - next) << WM_MAP_FAILURE_BITS | f->failure[e]);
			next = e + 1;
		}
	}
}

/* An extension is written if `of_module` is true, or `of_function` of some function. */
struct extension {
	enum wm_map_extension kind;
	const char *part; /* as wm_map_fault.part */
	bool of_module;
	bool (*of_function)(const struct wm_map_function *f);
	void (*put)(struct wm_map_encoder *);
};

/* The size of an extension stands before it: its bytes are made first. */
static void put_extension(struct wm_map_encoder *encoder, const struct extension *extension)
{
	struct wm_bytes before = encoder->out;
	wm_bytes_init(&encoder->out);
	encoder->part = extension->part;
	encoder->function = WM_NONE;
	extension->put(encoder);
	struct wm_bytes content = encoder->out;
	encoder->out = before;
	encoder->out.failed |= content.failed;
	wm_bytes_put_uleb(&encoder->out, extension->kind);
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
	return f->facts.count || f->facts.value_count;
}

static bool has_code(const struct wm_map_function *f)
{
	return f->own_code != 0;
}

static bool has_failures(const struct wm_map_function *f)
{
	return failure_count(f) > 0;
}

static bool is_needed(const struct extension *extension, const struct wm_map_module *module)
{
	bool needed = extension->of_module;
	for (uint32_t i = 0; i < module->function_count && !needed && extension->of_function; i++)
		needed = extension->of_function(&module->function[i]);
	return needed;
}

void wm_map_put_extensions(struct wm_map_encoder *encoder)
{
	const struct wm_map_module *module = encoder->module;
	bool checksums = module->source_sum.size || module->file_sum;
	const struct extension extensions[] = {
		{WM_MAP_CALLS, "call sites", module->outside_count, has_calls, put_calls},
		{WM_MAP_UNIT, "paths across calls", module->taken_count, has_unit, put_unit},
		{WM_MAP_INLINED, "inlined calls", false, has_inlined, put_inlined},
		{WM_MAP_ALIASES, "aliases", module->alias_count, NULL, put_aliases},
		{WM_MAP_UNSEEN, "calls", module->unseen_count, NULL, put_unseen},
		{WM_MAP_PADS, "landing pads", false, has_marks, put_pads},
		{WM_MAP_CRASH, "paths for crashes", module->crash_paths, NULL, put_crash},
		{WM_MAP_CONDITIONS, "conditions", false, has_conditions, put_conditions},
		{WM_MAP_CALL_LINES, "lines of calls", false, has_call_lines, put_call_lines},
		{WM_MAP_DIRECTORY, "directory", module->directory, NULL, put_directory},
		{WM_MAP_CHECKSUMS, "checksums", checksums, NULL, put_checksums},
		{WM_MAP_FACTS, "facts about tested values", false, has_facts, put_facts},
		{WM_MAP_VALUES, "truth values", module->has_values, NULL, put_values},
		{WM_MAP_CODE, "code of functions", module->in_main != NULL, has_code, put_code},
		{WM_MAP_FAILURES, "failures of checks", false, has_failures, put_failures},
	};
	enum { COUNT = sizeof extensions / sizeof *extensions };
	uint64_t needed = 0;
	for (size_t i = 0; i < COUNT; i++)
		needed += is_needed(&extensions[i], module);
	wm_bytes_put_uleb(&encoder->out, needed);
	for (size_t i = 0; i < COUNT; i++)
		if (is_needed(&extensions[i], module))
			put_extension(encoder, &extensions[i]);
}
