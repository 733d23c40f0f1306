/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "abi/crash.h"
#include "core/graph/supergraph.h"
#include "profile/map/map_decoder.h"
#include "profile/map/map_layout.h"

#include <string.h>

/* Fewest bytes a record takes: what bounds a count by the bytes left. */
enum { LEAST_CALL = 2, LEAST_CONTEXT = 4, LEAST_MARK = 3, LEAST_ALIAS = 2, LEAST_UNSEEN = 2, LEAST_FACT = 2 };

static void get_call(struct wm_map_decoder *decoder, const struct wm_map_function *f, struct wm_call *call, bool first)
{
	const struct wm_map_module *module = decoder->module;
	uint64_t word = wm_cursor_uleb(&decoder->in), block = word >> WM_MAP_CALL_SHIFT;
	uint64_t callee = wm_cursor_uleb(&decoder->in);
	bool same_block = !first && !block, last = word & WM_MAP_ENDS_BLOCK;
	block += first ? 0 : call[-1].block;
	if (block >= f->graph.block_count || (same_block && (call[-1].unwinds || call[-1].tail || call[-1].followed))) {
		wm_map_reject(decoder, "a call site has no such block");
		return;
	}
	bool has_successors = f->graph.first_edge[block] < f->graph.first_edge[block + 1];
	bool noreturn = f->graph.end[block] == WM_END_NORETURN;
	if (callee > (uint64_t)module->function_count + module->outside_count)
		wm_map_reject(decoder, "a call site has no such callee");
	*call = (struct wm_call){.block = (uint32_t)block,
		.position = same_block ? call[-1].position + 1 : 0,
		.callee = callee ? (uint32_t)callee - 1 : WM_NONE,
		.may_not_return = word & WM_MAP_MAY_NOT_RETURN,
		.unwinds = last && has_successors,
		.tail = last && !has_successors && !noreturn,
		.followed = last && !has_successors && noreturn};
}

static void get_calls(struct wm_map_decoder *decoder)
{
	struct wm_map_module *module = decoder->module;
	size_t outside = wm_cursor_count(&decoder->in, 1);
	if (outside >= WM_NONE - module->function_count || module->outside)
		wm_map_reject(decoder, "call sites are listed twice, or have too many callees");
	if (decoder->has_unit || decoder->has_inlined)
		wm_map_reject(decoder, "call sites are listed after what is said about them");
	module->outside = wm_map_obtain(decoder, outside, sizeof(*module->outside));
	for (size_t i = 0; i < outside && !decoder->in.failed; i++)
		module->outside[i] = wm_map_get_string(decoder);
	module->outside_count = (uint32_t)outside;
	for (uint32_t i = 0; i < module->function_count && !decoder->in.failed; i++) {
		struct wm_map_function *f = &module->function[i];
		size_t count = wm_cursor_count(&decoder->in, LEAST_CALL);
		f->call = wm_map_obtain(decoder, count, sizeof(*f->call));
		for (size_t c = 0; c < count && !decoder->in.failed; c++)
			get_call(decoder, f, &f->call[c], !c);
		f->call_count = (uint32_t)count;
	}
	if (wm_cursor_left(&decoder->in))
		wm_map_reject(decoder, "bytes remain after the last call site");
}

static bool bit_at(const uint8_t *bits, uint64_t index)
{
	return bits && bits[index / 8] >> index % 8 & 1;
}

static void get_unit_of(struct wm_map_decoder *decoder, struct wm_map_function *f)
{
	uint64_t edges = wm_cursor_bounded(&decoder->in, WM_NONE), calls = f->call_count;
	if (!edges--)
		return;
	const uint8_t *bits = wm_cursor_take(&decoder->in, (size_t)((2 * calls + edges + 7) / 8));
	struct wm_map_unit *unit = wm_map_obtain(decoder, 1, sizeof(*unit));
	bool *crossed = wm_map_obtain(decoder, calls, sizeof(bool)),
	     *tree = wm_map_obtain(decoder, edges, sizeof(bool));
	if (decoder->in.failed)
		return;
	for (uint32_t i = 0; i < calls; i++) {
		f->call[i].opaque = bit_at(bits, 2 * (uint64_t)i);
		crossed[i] = bit_at(bits, 2 * (uint64_t)i + 1);
	}
	for (uint64_t i = 0; i < edges; i++)
		tree[i] = bit_at(bits, 2 * calls + i);
	*unit = (struct wm_map_unit){crossed, (uint32_t)edges, tree};
	f->unit = unit;
}

static void get_unit(struct wm_map_decoder *decoder)
{
	struct wm_map_module *module = decoder->module;
	size_t taken = wm_cursor_count(&decoder->in, 1);
	if (decoder->has_unit || taken >= WM_NONE)
		wm_map_reject(decoder, "paths across calls are described twice, or too many addresses are taken");
	decoder->has_unit = true;
	module->taken = wm_map_obtain(decoder, taken, sizeof(*module->taken));
	for (size_t i = 0; i < taken && !decoder->in.failed; i++)
		module->taken[i] = wm_map_get_string(decoder);
	module->taken_count = (uint32_t)taken;
	for (uint32_t i = 0; i < module->function_count && !decoder->in.failed; i++)
		get_unit_of(decoder, &module->function[i]);
	if (wm_cursor_left(&decoder->in))
		wm_map_reject(decoder, "bytes remain after the last function with paths across calls");
}

static void get_contexts(struct wm_map_decoder *decoder, struct wm_origins *origins, uint32_t own, size_t count)
{
	uint64_t callees = (uint64_t)decoder->module->function_count + decoder->module->outside_count;
	uint32_t *depth = wm_map_obtain(decoder, count, sizeof(*depth));
	origins->context = wm_map_obtain(decoder, count, sizeof(*origins->context));
	if (!decoder->in.failed)
		origins->context[0] = (struct wm_context){WM_NONE, own, WM_NONE, WM_NONE};
	for (uint32_t i = 1; i < count && !decoder->in.failed; i++) {
		uint64_t up = wm_cursor_uleb(&decoder->in), function = wm_cursor_uleb(&decoder->in);
		uint64_t block = wm_cursor_bounded(&decoder->in, WM_NONE - 1);
		uint64_t position = wm_cursor_bounded(&decoder->in, WM_NONE - 1);
		uint32_t parent = up < i ? i - (uint32_t)up - 1 : 0;
		depth[i] = depth[parent] + 1;
		if (up >= i || function >= callees || depth[i] > WM_CONTEXT_DEPTH)
			wm_map_reject(decoder, "an inlined call has no such caller or callee, or is nested too deep");
		origins->context[i] =
			(struct wm_context){parent, (uint32_t)function, (uint32_t)block, (uint32_t)position};
	}
	origins->context_count = (uint32_t)count;
}

static void get_mark(struct wm_map_decoder *decoder, const struct wm_origins *origins, const struct wm_map_block *block,
	struct wm_mark *mark, uint32_t *line)
{
	uint64_t word = wm_cursor_uleb(&decoder->in), of = wm_cursor_bounded(&decoder->in, WM_NONE - 1);
	uint64_t lines = wm_cursor_bounded(&decoder->in, block->line_count - *line);
	if (word >> 1 >= origins->context_count)
		wm_map_reject(decoder, "the origin of a block has no such context");
	*line += (uint32_t)lines;
	*mark = (struct wm_mark){
		.context = (uint32_t)(word >> 1), .block = (uint32_t)of, .behind = word & 1, .line = *line};
}

static void get_marks(struct wm_map_decoder *decoder, struct wm_origins *origins, const struct wm_map_function *f)
{
	uint32_t capacity = f->graph.block_count, count = 0;
	origins->block_count = f->graph.block_count;
	origins->first_mark = wm_map_obtain(decoder, (size_t)origins->block_count + 1, sizeof(uint32_t));
	origins->mark = wm_map_obtain(decoder, capacity, sizeof(*origins->mark));
	for (uint32_t b = 0; b < origins->block_count && !decoder->in.failed; b++) {
		uint32_t line = 0;
		size_t marks = wm_cursor_count(&decoder->in, LEAST_MARK);
		for (size_t i = 0; i < marks && !decoder->in.failed; i++) {
			struct wm_mark *grown =
				wm_arena_grow(decoder->arena, origins->mark, &capacity, count, sizeof(*grown));
			if (!grown) {
				decoder->out_of_memory = true;
				wm_cursor_fail(&decoder->in);
				return;
			}
			origins->mark = grown;
			get_mark(decoder, origins, &f->block[b], &grown[count++], &line);
		}
		origins->first_mark[b + 1] = count;
	}
}

static void get_inlined_of(struct wm_map_decoder *decoder, struct wm_map_function *f, uint32_t own)
{
	uint64_t word = wm_cursor_bounded(&decoder->in, WM_NONE);
	if (!word--)
		return;
	struct wm_map_inlined *inlined = wm_map_obtain(decoder, 1, sizeof(*inlined));
	uint8_t *kept = wm_map_obtain(decoder, f->call_count, 1);
	const uint8_t *bytes = wm_cursor_take(&decoder->in, f->call_count);
	if (decoder->in.failed)
		return;
	for (uint32_t i = 0; i < f->call_count; i++) {
		kept[i] = bytes[i];
		if (kept[i] == WM_INLINE_DONE || kept[i] >= WM_INLINE_CHOICES)
			wm_map_reject(decoder, "a call site was not inlined for an unknown reason");
	}
	inlined->kept = kept;
	if (word > 1 + wm_cursor_left(&decoder->in) / LEAST_CONTEXT)
		wm_map_reject(decoder, "a function has too many inlined calls");
	if (word && !decoder->in.failed) {
		get_contexts(decoder, &inlined->origins, own, (size_t)word);
		get_marks(decoder, &inlined->origins, f);
	}
	f->inlined = inlined;
}

static void get_inlined(struct wm_map_decoder *decoder)
{
	struct wm_map_module *module = decoder->module;
	if (decoder->has_inlined)
		wm_map_reject(decoder, "inlined calls are described twice");
	decoder->has_inlined = true;
	for (uint32_t i = 0; i < module->function_count && !decoder->in.failed; i++)
		get_inlined_of(decoder, &module->function[i], i);
	if (wm_cursor_left(&decoder->in))
		wm_map_reject(decoder, "bytes remain after the last function with inlined calls");
}

static void get_aliases(struct wm_map_decoder *decoder)
{
	struct wm_map_module *module = decoder->module;
	size_t count = wm_cursor_count(&decoder->in, LEAST_ALIAS);
	if (module->alias || count >= WM_NONE)
		wm_map_reject(decoder, "aliases are listed twice, or there are too many");
	module->alias = wm_map_obtain(decoder, count, sizeof(*module->alias));
	for (size_t i = 0; i < count && !decoder->in.failed; i++) {
		const char *name = wm_map_get_string(decoder);
		uint64_t word = wm_cursor_uleb(&decoder->in);
		if (word >> 1 >= module->function_count)
			wm_map_reject(decoder, "an alias has no such function");
		module->alias[i] = (struct wm_map_alias){name, (uint32_t)(word >> 1), word & 1};
	}
	module->alias_count = (uint32_t)count;
	if (wm_cursor_left(&decoder->in))
		wm_map_reject(decoder, "bytes remain after the last alias");
}

static void get_unseen(struct wm_map_decoder *decoder)
{
	struct wm_map_module *module = decoder->module;
	uint64_t functions = (uint64_t)module->function_count + module->outside_count, caller = 0;
	size_t count = wm_cursor_count(&decoder->in, LEAST_UNSEEN);
	if (module->unseen || count >= WM_NONE)
		wm_map_reject(decoder, "calls by functions that are not instrumented are listed twice, or too many");
	module->unseen = wm_map_obtain(decoder, count, sizeof(*module->unseen));
	for (size_t i = 0; i < count && !decoder->in.failed; i++) {
		uint64_t more = wm_cursor_bounded(&decoder->in, WM_NONE), callee = wm_cursor_uleb(&decoder->in);
		caller += more;
		if (caller >= functions || callee > functions)
			wm_map_reject(decoder, "a call has no such caller or callee");
		module->unseen[i] =
			(struct wm_map_unseen_call){(uint32_t)caller, callee ? (uint32_t)callee - 1 : WM_NONE};
	}
	module->unseen_count = (uint32_t)count;
	if (wm_cursor_left(&decoder->in))
		wm_map_reject(decoder, "bytes remain after the last call by a function that is not instrumented");
}

static void get_pads(struct wm_map_decoder *decoder)
{
	const struct wm_map_module *module = decoder->module;
	size_t size = wm_cursor_left(&decoder->in);
	const uint8_t *bits = wm_cursor_take(&decoder->in, size);
	uint64_t next = 0;
	for (uint32_t i = 0; i < module->function_count && !decoder->in.failed; i++) {
		const struct wm_map_function *f = &module->function[i];
		uint32_t marks = wm_map_has_origins(f) ? f->inlined->origins.first_mark[f->graph.block_count] : 0;
		if (next + marks > 8 * (uint64_t)size)
			wm_map_reject(decoder, "landing pads have no marks");
		for (uint32_t m = 0; m < marks && !decoder->in.failed; m++)
			f->inlined->origins.mark[m].pad = bit_at(bits, next++);
	}
}

static void get_crash(struct wm_map_decoder *decoder)
{
	uint64_t paths = wm_cursor_uleb(&decoder->in);
	if (decoder->module->crash_paths || !paths || paths > WM_CRASH_PATHS || wm_cursor_left(&decoder->in))
		wm_map_reject(decoder, "the number of finished paths for crashes makes no sense");
	decoder->module->crash_paths = (uint32_t)paths;
}

static void get_directory(struct wm_map_decoder *decoder)
{
	const char *directory = wm_map_get_string(decoder);
	if (decoder->module->directory || wm_cursor_left(&decoder->in))
		wm_map_reject(decoder, "the compilation directory is given twice, or bytes follow it");
	decoder->module->directory = directory;
}

static void get_condition(struct wm_map_decoder *decoder, struct wm_map_condition *condition)
{
	uint64_t word = wm_cursor_uleb(&decoder->in);
	unsigned mask = (1u << WM_MAP_SIDE_BITS) - 1;
	condition->kind = word & ((1u << WM_MAP_SIDE_SHIFT) - 1);
	condition->side[0] = word >> WM_MAP_SIDE_SHIFT & mask;
	condition->side[1] = word >> (WM_MAP_SIDE_SHIFT + WM_MAP_SIDE_BITS) & mask;
	if (word >> WM_MAP_CONDITION_BITS || condition->kind > WM_CONDITION_CASES ||
		condition->side[0] > WM_SIDE_OTHER || condition->side[1] > WM_SIDE_OTHER)
		wm_map_reject(decoder, "a condition is of an unknown kind");
	condition->name = word & WM_MAP_NAMED ? wm_map_get_string(decoder) : "";
}

static void get_conditions(struct wm_map_decoder *decoder)
{
	for (uint32_t i = 0; i < decoder->module->function_count; i++) {
		struct wm_map_function *f = &decoder->module->function[i];
		for (uint32_t b = 0; b < f->graph.block_count && !decoder->in.failed; b++)
			if (f->block[b].terminator == WM_TERM_BRANCH)
				get_condition(decoder, &f->block[b].condition);
	}
	if (wm_cursor_left(&decoder->in))
		wm_map_reject(decoder, "bytes remain after the last condition");
}

static void get_value_place(struct wm_map_decoder *decoder, struct wm_map_line *place)
{
	*place = (struct wm_map_line){WM_NONE, (uint32_t)wm_cursor_bounded(&decoder->in, UINT32_MAX), 0};
	if (!place->line)
		return;
	place->file = (uint32_t)wm_cursor_bounded(&decoder->in, UINT32_MAX);
	place->column = (uint32_t)wm_cursor_bounded(&decoder->in, UINT32_MAX);
	if (place->file >= decoder->module->file_count)
		wm_map_reject(decoder, "a truth value is in a file that the module does not have");
}

static void get_value(
	struct wm_map_decoder *decoder, const struct wm_map_function *f, struct wm_map_value *value, uint32_t before)
{
	uint64_t word = wm_cursor_uleb(&decoder->in);
	uint64_t join = wm_cursor_bounded(&decoder->in, UINT32_MAX), blocks = f->graph.block_count;
	*value = (struct wm_map_value){.kind = word & ((1u << WM_MAP_USE_SHIFT) - 1),
		.use = word >> WM_MAP_USE_SHIFT & 3,
		.disjunction = word & WM_MAP_DISJUNCTION,
		.truth = word & WM_MAP_TRUTH,
		.join = join ? (uint32_t)join - 1 : WM_NONE,
		.teller = WM_NONE};
	if (value->use != WM_USE_OTHER)
		value->teller = (uint32_t)wm_cursor_bounded(&decoder->in, UINT32_MAX);
	get_value_place(decoder, &value->place);
	value->name = word & WM_MAP_VALUE_NAMED ? wm_map_get_string(decoder) : "";
	if (word >> WM_MAP_VALUE_SHIFT < blocks)
		value->block = before + (uint32_t)(word >> WM_MAP_VALUE_SHIFT);
	if (word >> WM_MAP_VALUE_SHIFT >= blocks || !wm_map_value_fits(f, value))
		wm_map_reject(decoder, "a truth value makes no sense");
}

static void get_values(struct wm_map_decoder *decoder)
{
	enum { LEAST_VALUE = 3 };
	for (uint32_t i = 0; i < decoder->module->function_count && !decoder->in.failed; i++) {
		struct wm_map_function *f = &decoder->module->function[i];
		size_t count = wm_cursor_count(&decoder->in, LEAST_VALUE);
		f->value = wm_map_obtain(decoder, count, sizeof(*f->value));
		for (size_t v = 0; v < count && !decoder->in.failed; v++)
			get_value(decoder, f, &f->value[v], v ? f->value[v - 1].block : 0);
		f->value_count = decoder->in.failed ? 0 : (uint32_t)count;
	}
	decoder->module->has_values = true;
	if (wm_cursor_left(&decoder->in))
		wm_map_reject(decoder, "bytes remain after the last truth value");
}

static void get_call_lines(struct wm_map_decoder *decoder)
{
	for (uint32_t i = 0; i < decoder->module->function_count && !decoder->in.failed; i++) {
		struct wm_map_function *f = &decoder->module->function[i];
		size_t count = wm_cursor_count(&decoder->in, 1);
		if (!count)
			continue;
		if (count != f->call_count)
			wm_map_reject(decoder, "the lines of calls are not those of the call sites");
		f->call_line = wm_map_obtain(decoder, count, sizeof(*f->call_line));
		for (size_t c = 0; c < count && !decoder->in.failed; c++)
			f->call_line[c] =
				(uint32_t)wm_cursor_bounded(&decoder->in, f->block[f->call[c].block].line_count);
	}
	if (wm_cursor_left(&decoder->in))
		wm_map_reject(decoder, "bytes remain after the lines of the last call");
}

static void get_checksum(struct wm_map_decoder *decoder, struct wm_map_checksum *sum)
{
	size_t size = (size_t)wm_cursor_bounded(&decoder->in, WM_MAP_CHECKSUM_MAX);
	const uint8_t *byte = wm_cursor_take(&decoder->in, size);
	if (decoder->in.failed) {
		wm_map_reject(decoder, "a checksum of a source file makes no sense");
		return;
	}
	memcpy(sum->byte, byte, size);
	sum->size = (uint8_t)size;
}

/* Of the main file, then, if they are known, of all files. */
static void get_checksums(struct wm_map_decoder *decoder)
{
	struct wm_map_module *module = decoder->module;
	struct wm_map_checksum *sum = wm_map_obtain(decoder, module->file_count, sizeof(*sum));
	if (module->file_sum || module->source_sum.size)
		wm_map_reject(decoder, "checksums of source files are listed twice");
	if (!decoder->in.failed)
		get_checksum(decoder, &module->source_sum);
	if (!wm_cursor_left(&decoder->in))
		return;
	for (uint32_t i = 0; i < module->file_count && !decoder->in.failed; i++)
		get_checksum(decoder, &sum[i]);
	module->file_sum = sum;
	if (wm_cursor_left(&decoder->in))
		wm_map_reject(decoder, "bytes remain after the last checksum of a source file");
}

static void get_code(struct wm_map_decoder *decoder)
{
	struct wm_map_module *module = decoder->module;
	bool *in_main = wm_map_obtain(decoder, module->file_count, sizeof(*in_main));
	if (decoder->has_code)
		wm_map_reject(decoder, "the code of functions is listed twice");
	decoder->has_code = true;
	for (uint32_t i = 0; i < module->function_count && !decoder->in.failed; i++)
		module->function[i].own_code = wm_cursor_u32(&decoder->in);
	if (!wm_cursor_left(&decoder->in))
		return;
	const uint8_t *bits = wm_cursor_take(&decoder->in, (module->file_count + (size_t)7) / 8);
	for (uint32_t i = 0; bits && i < module->file_count && !decoder->in.failed; i++)
		in_main[i] = bit_at(bits, i);
	module->in_main = in_main;
	if (wm_cursor_left(&decoder->in))
		wm_map_reject(decoder, "bytes remain after the code of the last function");
}

static struct wm_value_range get_interval(struct wm_map_decoder *decoder, unsigned bounds)
{
	struct wm_value_range is = WM_ANYTHING;
	if (!(bounds & WM_MAP_NO_LOW))
		is.low = wm_cursor_delta(&decoder->in);
	if (bounds & WM_MAP_ONE_VALUE)
		is.high = is.low;
	else if (!(bounds & WM_MAP_NO_HIGH))
		is.high = (int64_t)((uint64_t)is.low + wm_cursor_uleb(&decoder->in));
	return is;
}

/* What the fact says is checked when all facts of the function are read. */
static void get_fact(struct wm_map_decoder *decoder, const struct wm_graph *graph, struct wm_fact *fact,
	const struct wm_fact *before)
{
	uint64_t word = wm_cursor_uleb(&decoder->in), kinds = (1u << WM_MAP_BOUNDS_SHIFT) - 1;
	uint64_t block = (word >> WM_MAP_FACT_BITS) + (before ? before->block : 0);
	uint64_t value = wm_cursor_bounded(&decoder->in, WM_NONE), edge = WM_NONE;
	if (block >= graph->block_count) {
		wm_map_reject(decoder, "a fact has no such block");
		return;
	}
	if ((word & kinds) == WM_FACT_TEST)
		edge = wm_cursor_bounded(&decoder->in, WM_NONE) + graph->first_edge[block];
	if ((word & kinds) == WM_FACT_FROM)
		edge = wm_cursor_bounded(&decoder->in, WM_NONE);
	*fact = (struct wm_fact){(uint32_t)block, word & kinds, (uint32_t)value,
		edge < WM_NONE ? (uint32_t)edge : WM_NONE,
		get_interval(decoder, word >> WM_MAP_BOUNDS_SHIFT & ((1u << WM_MAP_BOUNDS_BITS) - 1))};
}

static void get_facts_of(struct wm_map_decoder *decoder, struct wm_map_function *f)
{
	size_t count = wm_cursor_count(&decoder->in, LEAST_FACT);
	if (!count)
		return;
	struct wm_fact *fact = wm_map_obtain(decoder, count, sizeof(*fact));
	uint64_t values = wm_cursor_bounded(&decoder->in, count);
	for (size_t i = 0; i < count && !decoder->in.failed; i++)
		get_fact(decoder, &f->graph, &fact[i], i ? &fact[i - 1] : NULL);
	if (decoder->in.failed)
		return;
	struct wm_facts facts = {(uint32_t)values, (uint32_t)count, fact};
	if (count >= WM_NONE || !wm_facts_are_valid(&facts, &f->graph))
		wm_map_reject(decoder, "facts about tested values are not those of the graph");
	f->facts = facts;
}

static void get_facts(struct wm_map_decoder *decoder)
{
	for (uint32_t i = 0; i < decoder->module->function_count && !decoder->in.failed; i++) {
		if (decoder->module->function[i].facts.count)
			wm_map_reject(decoder, "facts about tested values are listed twice");
		get_facts_of(decoder, &decoder->module->function[i]);
	}
	if (wm_cursor_left(&decoder->in))
		wm_map_reject(decoder, "bytes remain after the last fact about tested values");
}

static void get_failures_of(struct wm_map_decoder *decoder, struct wm_map_function *f)
{
	size_t count = wm_cursor_count(&decoder->in, 1);
	if (f->failure)
		wm_map_reject(decoder, "failures of checks are listed twice");
	if (!count)
		return;
	uint8_t *failure = wm_map_obtain(decoder, f->graph.edge_count, sizeof(*failure));
	uint64_t edge = 0;
	for (size_t i = 0; i < count && !decoder->in.failed; i++) {
		uint64_t word = wm_cursor_uleb(&decoder->in), between = word >> WM_MAP_FAILURE_BITS;
		if (between >= f->graph.edge_count - edge || !(word & WM_CHECKS)) {
			wm_map_reject(decoder, "a failure of a check makes no sense");
			return;
		}
		edge += between;
		failure[edge++] = word & WM_CHECKS;
	}
	f->failure = failure;
}

static void get_failures(struct wm_map_decoder *decoder)
{
	for (uint32_t i = 0; i < decoder->module->function_count && !decoder->in.failed; i++)
		get_failures_of(decoder, &decoder->module->function[i]);
	if (wm_cursor_left(&decoder->in))
		wm_map_reject(decoder, "bytes remain after the last failure of a check");
}

void wm_map_get_extension(struct wm_map_decoder *decoder)
{
	uint64_t kind = wm_cursor_uleb(&decoder->in);
	size_t size = wm_cursor_count(&decoder->in, 1);
	const uint8_t *data = wm_cursor_take(&decoder->in, size);
	static void (*const get[])(struct wm_map_decoder *) = {[WM_MAP_CALLS] = get_calls,
		[WM_MAP_UNIT] = get_unit,
		[WM_MAP_INLINED] = get_inlined,
		[WM_MAP_ALIASES] = get_aliases,
		[WM_MAP_UNSEEN] = get_unseen,
		[WM_MAP_PADS] = get_pads,
		[WM_MAP_CRASH] = get_crash,
		[WM_MAP_CONDITIONS] = get_conditions,
		[WM_MAP_CALL_LINES] = get_call_lines,
		[WM_MAP_DIRECTORY] = get_directory,
		[WM_MAP_CHECKSUMS] = get_checksums,
		[WM_MAP_FACTS] = get_facts,
		[WM_MAP_VALUES] = get_values,
		[WM_MAP_CODE] = get_code,
		[WM_MAP_FAILURES] = get_failures};
	if (!data || kind >= sizeof get / sizeof *get || !get[kind])
		return;
	struct wm_cursor after = decoder->in;
	wm_cursor_init(&decoder->in, data, size);
	get[kind](decoder);
	if (decoder->in.failed)
		wm_cursor_fail(&after);
	decoder->in = after;
}
