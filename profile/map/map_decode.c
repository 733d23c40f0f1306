/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profile/map/identity.h"
#include "profile/map/map_decoder.h"
#include "profile/map/map_layout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

/* Fewest bytes a record takes: what bounds a count by the bytes left. */
enum {
	LEAST_FUNCTION = 5,
	LEAST_BLOCK = 2,
	LEAST_LINE = 2,
	LEAST_CASE = 2,
	LEAST_EXTENSION = 2,
};

struct blob {
	uint32_t version, flags, stored, payload;
	uint64_t checksum;
	const uint8_t *start;
};

void wm_map_reject(struct wm_map_decoder *decoder, const char *wrong)
{
	if (!decoder->wrong)
		decoder->wrong = wrong;
	wm_cursor_fail(&decoder->in);
}

void *wm_map_obtain(struct wm_map_decoder *decoder, size_t count, size_t size)
{
	void *memory = decoder->in.failed ? NULL : wm_arena_alloc(decoder->arena, count, size);
	if (!memory && !decoder->in.failed) {
		decoder->out_of_memory = true;
		wm_cursor_fail(&decoder->in);
	}
	return memory;
}

const char *wm_map_get_string(struct wm_map_decoder *decoder)
{
	size_t size = wm_cursor_count(&decoder->in, 1);
	const uint8_t *text = wm_cursor_take(&decoder->in, size);
	char *copy = text ? wm_map_obtain(decoder, size + 1, 1) : NULL;
	if (!copy)
		return "";
	if (size && memchr(text, 0, size))
		wm_map_reject(decoder, "a name holds a NUL");
	if (size)
		memcpy(copy, text, size);
	return copy;
}

static void get_position(struct wm_map_decoder *decoder, struct wm_map_line *at)
{
	uint64_t word = wm_cursor_uleb(&decoder->in);
	uint64_t zigzag = word >> 1;
	uint64_t line = decoder->line + (zigzag >> 1 ^ (zigzag & 1 ? UINT64_MAX : 0));
	if (word & 1)
		decoder->file = (uint32_t)wm_cursor_bounded(&decoder->in, UINT32_MAX);
	if (line > UINT32_MAX || decoder->file >= decoder->module->file_count)
		wm_map_reject(decoder, "a source position is out of range");
	decoder->line = (uint32_t)line;
	*at = (struct wm_map_line){decoder->file, decoder->line, (uint32_t)wm_cursor_bounded(&decoder->in, UINT32_MAX)};
}

static void get_successors(
	struct wm_map_decoder *decoder, struct wm_graph *graph, uint32_t b, uint64_t count, uint32_t *seen)
{
	uint32_t first = graph->first_edge[b];
	for (uint32_t e = first; e < first + count && !decoder->in.failed; e++) {
		uint64_t to = b + UINT64_C(1) + (uint64_t)wm_cursor_delta(&decoder->in);
		if (to >= graph->block_count) {
			wm_map_reject(decoder, "an edge leads outside the graph");
			return;
		}
		if (seen[to] == b + 1)
			wm_map_reject(decoder, "a block names a successor twice");
		seen[to] = b + 1;
		graph->edge_from[e] = b;
		graph->edge_to[e] = (uint32_t)to;
	}
}

static void get_shape(struct wm_map_decoder *decoder, struct wm_map_function *f, uint32_t b, uint32_t *seen)
{
	struct wm_graph *graph = &f->graph;
	uint64_t word = wm_cursor_uleb(&decoder->in), count = word >> WM_MAP_SUCCESSOR_SHIFT;
	if (count > graph->edge_count - graph->first_edge[b]) {
		wm_map_reject(decoder, "a graph has more edges than it announced");
		return;
	}
	f->block[b].terminator = word & 7;
	f->block[b].true_edge = (word & WM_MAP_TRUE_EDGE) != 0;
	if (f->block[b].terminator > WM_TERM_ASM_GOTO)
		wm_map_reject(decoder, "a block ends in an unknown way");
	if (f->block[b].terminator == WM_TERM_BRANCH && f->block[b].true_edge >= count)
		wm_map_reject(decoder, "a branch has no such edge");
	graph->end[b] = count ? WM_END_NONE : wm_cursor_u8(&decoder->in);
	if (!count && (graph->end[b] < WM_END_RETURN || graph->end[b] > WM_END_UNWIND))
		wm_map_reject(decoder, "an exit block ends in an unknown way");
	get_successors(decoder, graph, b, count, seen);
	graph->first_edge[b + 1] = graph->first_edge[b] + (uint32_t)count;
}

static void get_cases(struct wm_map_decoder *decoder, struct wm_map_block *block, uint32_t successors)
{
	uint64_t last = 0, edge = wm_cursor_bounded(&decoder->in, successors);
	block->default_edge = edge ? (uint32_t)edge - 1 : WM_NONE;
	size_t count = wm_cursor_count(&decoder->in, LEAST_CASE);
	block->cases = wm_map_obtain(decoder, count, sizeof(*block->cases));
	for (size_t i = 0; i < count && !decoder->in.failed; i++) {
		uint64_t ordinal = wm_cursor_uleb(&decoder->in);
		if (ordinal >= successors)
			wm_map_reject(decoder, "a case has no such edge");
		last += (uint64_t)wm_cursor_delta(&decoder->in);
		block->cases[i] = (struct wm_map_case){(uint32_t)ordinal, (int64_t)last};
	}
	block->case_count = (uint32_t)count;
}

static void get_decision(struct wm_map_decoder *decoder, struct wm_map_block *block)
{
	switch (wm_cursor_uleb(&decoder->in)) {
	case WM_MAP_NO_DECISION:
		return;
	case WM_MAP_DECISION_AT_LAST_LINE:
		if (block->line_count && !decoder->in.failed)
			block->decision = block->line[block->line_count - 1];
		else
			wm_map_reject(decoder, "a decision has no line");
		return;
	case WM_MAP_DECISION_FOLLOWS:
		get_position(decoder, &block->decision);
		return;
	default:
		wm_map_reject(decoder, "a decision has no line");
	}
}

static void get_source(struct wm_map_decoder *decoder, struct wm_map_block *block, uint32_t successors)
{
	size_t count = wm_cursor_count(&decoder->in, LEAST_LINE);
	if (count > UINT32_MAX)
		wm_map_reject(decoder, "a block has too many lines");
	block->default_edge = WM_NONE;
	block->line = wm_map_obtain(decoder, count, sizeof(*block->line));
	for (size_t i = 0; i < count && !decoder->in.failed; i++)
		get_position(decoder, &block->line[i]);
	block->line_count = (uint32_t)count;
	if (block->terminator != WM_TERM_NONE)
		get_decision(decoder, block);
	if (block->terminator == WM_TERM_SWITCH)
		get_cases(decoder, block, successors);
}

static void get_blocks(struct wm_map_decoder *decoder, struct wm_map_function *f)
{
	struct wm_graph *graph = &f->graph;
	size_t blocks = wm_cursor_count(&decoder->in, LEAST_BLOCK), edges = wm_cursor_count(&decoder->in, 1);
	if (blocks >= WM_NONE || edges >= WM_NONE)
		wm_map_reject(decoder, "a graph is too large");
	if (!blocks && f->status != WM_SKIPPED)
		wm_map_reject(decoder, "a graph has no blocks");
	f->block = wm_map_obtain(decoder, blocks, sizeof(*f->block));
	graph->first_edge = wm_map_obtain(decoder, blocks + 1, sizeof(uint32_t));
	graph->end = wm_map_obtain(decoder, blocks, 1);
	graph->edge_from = wm_map_obtain(decoder, edges, sizeof(uint32_t));
	graph->edge_to = wm_map_obtain(decoder, edges, sizeof(uint32_t));
	uint32_t *seen = wm_map_obtain(decoder, blocks, sizeof(uint32_t));
	graph->block_count = (uint32_t)blocks;
	graph->edge_count = (uint32_t)edges;
	for (uint32_t b = 0; b < blocks && !decoder->in.failed; b++)
		get_shape(decoder, f, b, seen);
	if (!decoder->in.failed && graph->first_edge[blocks] != edges)
		wm_map_reject(decoder, "a graph has fewer edges than it announced");
	for (uint32_t b = 0; b < blocks && !decoder->in.failed; b++)
		get_source(decoder, &f->block[b], graph->first_edge[b + 1] - graph->first_edge[b]);
}

static void get_names(struct wm_map_decoder *decoder, struct wm_map_function *f, uint64_t flags)
{
	f->name = wm_map_get_string(decoder);
	if (!(flags & WM_MAP_SAME_SCHEME))
		decoder->scheme = wm_map_get_string(decoder);
	if (!decoder->scheme)
		wm_map_reject(decoder, "a function has no scheme");
	f->scheme = decoder->scheme;
	f->reason = f->status == WM_SKIPPED ? wm_map_get_string(decoder) : "";
}

static void get_flags(struct wm_map_decoder *decoder, struct wm_map_function *f, uint64_t flags)
{
	f->stage = flags >> WM_MAP_STAGE_SHIFT & 1;
	f->status = flags >> WM_MAP_STATUS_SHIFT & 3;
	f->update = flags >> WM_MAP_UPDATE_SHIFT & 3;
	f->has_entries = flags & WM_MAP_ENTRIES;
	f->has_resumed = flags & WM_MAP_RESUMED;
	f->local = flags & WM_MAP_LOCAL;
	if (f->status > WM_SKIPPED || f->update > WM_UPDATE_GS || flags >> WM_MAP_FLAG_BITS)
		wm_map_reject(decoder, "a function has unknown flags");
}

static void get_function(struct wm_map_decoder *decoder, struct wm_map_function *f)
{
	uint64_t flags = wm_cursor_uleb(&decoder->in);
	get_flags(decoder, f, flags);
	get_names(decoder, f, flags);
	f->key = flags & WM_MAP_OWN_KEY ? wm_cursor_u64(&decoder->in) : 0;
	f->graph_hash = flags & WM_MAP_OWN_HASH ? wm_cursor_u64(&decoder->in) : 0;
	f->file = flags & WM_MAP_HAS_FILE ? (uint32_t)wm_cursor_bounded(&decoder->in, UINT32_MAX) : WM_NONE;
	f->line = (uint32_t)wm_cursor_bounded(&decoder->in, UINT32_MAX);
	if (flags & WM_MAP_HAS_FILE && f->file >= decoder->module->file_count)
		wm_map_reject(decoder, "a source position is out of range");
	decoder->file = f->file == WM_NONE ? 0 : f->file;
	decoder->line = f->line;
	get_blocks(decoder, f);
	if (decoder->in.failed)
		return;
	if (!(flags & WM_MAP_OWN_KEY))
		f->key = wm_function_key(f->name, f->local ? decoder->module->source : NULL);
	if (!(flags & WM_MAP_OWN_HASH))
		f->graph_hash = wm_map_graph_hash(&f->graph, f->scheme);
}

static void get_module(struct wm_map_decoder *decoder)
{
	struct wm_map_module *module = decoder->module;
	module->source = wm_map_get_string(decoder);
	size_t files = wm_cursor_count(&decoder->in, 1);
	module->file = wm_map_obtain(decoder, files, sizeof(*module->file));
	for (size_t i = 0; i < files && !decoder->in.failed; i++)
		module->file[i] = wm_map_get_string(decoder);
	module->file_count = (uint32_t)files;
	size_t functions = wm_cursor_count(&decoder->in, LEAST_FUNCTION);
	module->function = wm_map_obtain(decoder, functions, sizeof(*module->function));
	for (size_t i = 0; i < functions && !decoder->in.failed; i++)
		get_function(decoder, &module->function[i]);
	module->function_count = (uint32_t)functions;
	size_t extensions = decoder->version > 1 ? wm_cursor_count(&decoder->in, LEAST_EXTENSION) : 0;
	for (size_t i = 0; i < extensions && !decoder->in.failed; i++)
		wm_map_get_extension(decoder);
	for (size_t i = 0; i < functions && !decoder->in.failed; i++)
		wm_map_set_own_source(module, &module->function[i]);
	for (size_t i = 0; i < functions && !decoder->in.failed; i++)
		wm_map_set_source(module, &module->function[i]);
	if (wm_cursor_left(&decoder->in))
		wm_map_reject(decoder, "bytes remain after its last record");
}

static enum wm_status decode_payload(struct wm_map_module *module, const struct blob *blob, const uint8_t *data,
	const char **wrong, struct wm_arena *arena)
{
	struct wm_map_module decoded = {0};
	struct wm_map_decoder decoder = {.arena = arena, .module = &decoded, .version = blob->version};
	wm_cursor_init(&decoder.in, data, blob->payload);
	get_module(&decoder);
	if (decoder.out_of_memory)
		return WM_NO_MEMORY;
	if (decoder.in.failed) {
		*wrong = decoder.wrong ? decoder.wrong : "it ends in the middle of a record";
		return WM_BAD_GRAPH;
	}
	*module = decoded;
	return WM_OK;
}

static enum wm_status decode_compressed(
	struct wm_map_module *module, const struct blob *blob, const char **wrong, struct wm_arena *arena)
{
	enum wm_status status = WM_BAD_GRAPH;
	uint8_t *payload = malloc((size_t)blob->payload + 1);
	if (!payload)
		return WM_NO_MEMORY;
	*wrong = "it does not decompress";
	if (ZSTD_decompress(payload, blob->payload, blob->start + WM_MAP_HEADER_SIZE, blob->stored) == blob->payload)
		status = decode_payload(module, blob, payload, wrong, arena);
	free(payload);
	return status;
}

static enum wm_status decode_blob(struct wm_map_module *module, const struct blob *blob, uint64_t *budget,
	const char **wrong, struct wm_arena *arena)
{
	*wrong = "its checksum does not match";
	if (wm_map_blob_checksum(blob->start, blob->stored) != blob->checksum)
		return WM_BAD_GRAPH;
	*wrong = "it was written by a newer Waymark";
	if (blob->version > WM_MAP_VERSION)
		return WM_BAD_GRAPH;
	*wrong = "its header makes no sense";
	if ((blob->version != 1 && blob->version != WM_MAP_VERSION) || blob->flags & ~WM_MAP_COMPRESSED ||
		blob->payload > *budget)
		return WM_BAD_GRAPH;
	*budget -= blob->payload;
	if (blob->flags & WM_MAP_COMPRESSED)
		return decode_compressed(module, blob, wrong, arena);
	if (blob->payload != blob->stored)
		return WM_BAD_GRAPH;
	return decode_payload(module, blob, blob->start + WM_MAP_HEADER_SIZE, wrong, arena);
}

/* The next blob, past padding.  False at the end, or with *wrong set when what
 * stands there is no blob or is cut short. */
static bool next_blob(struct wm_cursor *section, struct blob *blob, const char **wrong)
{
	while (section->at < section->end && !*section->at)
		section->at++;
	if (section->at == section->end)
		return false;
	blob->start = section->at;
	*wrong = "it is no map";
	if (wm_cursor_u64(section) != WM_MAP_MAGIC)
		return false;
	blob->version = wm_cursor_u32(section);
	blob->flags = wm_cursor_u32(section);
	blob->stored = wm_cursor_u32(section);
	blob->payload = wm_cursor_u32(section);
	blob->checksum = wm_cursor_u64(section);
	*wrong = "it is cut short";
	if (!wm_cursor_take(section, blob->stored) || section->failed)
		return false;
	*wrong = NULL;
	return true;
}

static size_t count_blobs(const uint8_t *data, size_t size)
{
	struct wm_cursor section;
	struct blob blob;
	const char *wrong = NULL;
	size_t count = 0;
	wm_cursor_init(&section, data, size);
	while (next_blob(&section, &blob, &wrong))
		count++;
	return count;
}

static void complain(char error[160], const uint8_t *data, const uint8_t *at, const char *wrong)
{
	if (!error[0])
		snprintf(error, 160, "the map at byte %zu of its section is unusable: %s", (size_t)(at - data), wrong);
}

enum wm_status wm_map_decode(
	struct wm_map *map, const uint8_t *data, size_t size, char error[160], struct wm_arena *arena)
{
	struct wm_map result = {0, WM_NEW(arena, struct wm_map_module, count_blobs(data, size))};
	struct wm_cursor section;
	struct blob blob = {0};
	enum wm_status status = WM_OK;
	const char *wrong = NULL;
	uint64_t budget = wm_map_payload_budget(size);
	error[0] = 0;
	if (!result.module)
		return WM_NO_MEMORY;
	wm_cursor_init(&section, data, size);
	while (next_blob(&section, &blob, &wrong)) {
		enum wm_status found = decode_blob(&result.module[result.module_count], &blob, &budget, &wrong, arena);
		if (found == WM_NO_MEMORY)
			return found;
		if (found) {
			status = found;
			complain(error, data, blob.start, wrong);
		} else {
			result.module_count++;
		}
		wrong = NULL;
	}
	if (wrong) {
		status = WM_BAD_GRAPH;
		complain(error, data, blob.start, wrong);
	}
	*map = result;
	return status;
}
