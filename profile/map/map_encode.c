/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The map, encoder.  Keys and graph hashes can be computed from what is stored anyway, and they are the only data
 * that does not compress.  So they are stored only if they differ from what the decoder would compute.
 */
#include "profile/map/map_encoder.h"
#include "profile/map/map_layout.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { COMPRESSION_LEVEL = 6 };

void wm_map_forbid(struct wm_map_encoder *encoder, bool wrong)
{
	if (wrong && !encoder->fault.part)
		encoder->fault = (struct wm_map_fault){encoder->function, encoder->part};
}

static void put_position(struct wm_map_encoder *encoder, const struct wm_map_line *at)
{
	wm_map_forbid(encoder, at->file >= encoder->module->file_count);
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
	struct wm_map_encoder *encoder, const struct wm_graph *graph, const struct wm_map_block *block, uint32_t b)
{
	uint32_t first = graph->first_edge[b], count = graph->first_edge[b + 1] - first;
	bool branch = block->terminator == WM_TERM_BRANCH;
	wm_map_forbid(encoder, block->terminator > WM_TERM_ASM_GOTO ||
				       (branch && (block->true_edge >= count || block->true_edge > 1)));
	uint64_t word = (uint64_t)count << WM_MAP_SUCCESSOR_SHIFT | block->terminator;
	wm_bytes_put_uleb(&encoder->out, word | (branch && block->true_edge ? WM_MAP_TRUE_EDGE : 0));
	if (!count)
		wm_bytes_put_uleb(&encoder->out, graph->end[b]);
	wm_map_forbid(encoder,
		count ? graph->end[b] != WM_END_NONE : graph->end[b] < WM_END_RETURN || graph->end[b] > WM_END_UNWIND);
	for (uint32_t e = first; e < first + count; e++) {
		wm_map_forbid(encoder, graph->edge_to[e] >= graph->block_count);
		wm_bytes_put_delta(&encoder->out, (int64_t)graph->edge_to[e] - b - 1);
	}
}

static void put_cases(struct wm_map_encoder *encoder, const struct wm_map_block *block, uint32_t successors)
{
	uint64_t last = 0;
	wm_bytes_put_uleb(&encoder->out, block->default_edge == WM_NONE ? 0 : (uint64_t)block->default_edge + 1);
	wm_map_forbid(encoder, block->default_edge != WM_NONE && block->default_edge >= successors);
	wm_bytes_put_uleb(&encoder->out, block->case_count);
	for (uint32_t i = 0; i < block->case_count; i++) {
		wm_map_forbid(encoder, block->cases[i].edge_ordinal >= successors);
		wm_bytes_put_uleb(&encoder->out, block->cases[i].edge_ordinal);
		wm_bytes_put_delta(&encoder->out, (int64_t)((uint64_t)block->cases[i].value - last));
		last = (uint64_t)block->cases[i].value;
	}
}

static bool same_line(const struct wm_map_line *a, const struct wm_map_line *b)
{
	return a->file == b->file && a->line == b->line && a->column == b->column;
}

static void put_decision(struct wm_map_encoder *encoder, const struct wm_map_block *block)
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

static void put_source(struct wm_map_encoder *encoder, const struct wm_map_block *block, uint32_t successors)
{
	wm_bytes_put_uleb(&encoder->out, block->line_count);
	for (uint32_t i = 0; i < block->line_count; i++)
		put_position(encoder, &block->line[i]);
	if (block->terminator != WM_TERM_NONE)
		put_decision(encoder, block);
	if (block->terminator == WM_TERM_SWITCH)
		put_cases(encoder, block, successors);
}

static void put_blocks(struct wm_map_encoder *encoder, const struct wm_map_function *function)
{
	const struct wm_graph *graph = &function->graph;
	wm_bytes_put_uleb(&encoder->out, graph->block_count);
	wm_bytes_put_uleb(&encoder->out, graph->block_count ? graph->edge_count : 0);
	for (uint32_t b = 0; b < graph->block_count; b++)
		put_shape(encoder, graph, &function->block[b], b);
	for (uint32_t b = 0; b < graph->block_count; b++)
		put_source(encoder, &function->block[b], graph->first_edge[b + 1] - graph->first_edge[b]);
}

static uint64_t function_flags(const struct wm_map_encoder *encoder, const struct wm_map_function *f)
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

static void put_function(struct wm_map_encoder *encoder, const struct wm_map_function *f)
{
	uint64_t flags = function_flags(encoder, f);
	wm_map_forbid(encoder, f->stage > WM_CFG_OPTIMISED || f->status > WM_SKIPPED || f->update > WM_UPDATE_GS ||
				       (f->file != WM_NONE && f->file >= encoder->module->file_count));
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

static void put_module(struct wm_map_encoder *encoder)
{
	const struct wm_map_module *module = encoder->module;
	wm_bytes_put_string(&encoder->out, module->source);
	wm_bytes_put_uleb(&encoder->out, module->file_count);
	for (uint32_t i = 0; i < module->file_count; i++)
		wm_bytes_put_string(&encoder->out, module->file[i]);
	wm_bytes_put_uleb(&encoder->out, module->function_count);
	encoder->part = "graph and lines";
	for (uint32_t i = 0; i < module->function_count; i++) {
		encoder->function = i;
		put_function(encoder, &module->function[i]);
	}
	wm_map_put_extensions(encoder);
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

/* The payload of the module, which is the caller's. */
static enum wm_status make_payload(
	const struct wm_map_module *module, struct wm_bytes *payload, struct wm_map_fault *fault)
{
	struct wm_map_encoder encoder = {.module = module, .function = WM_NONE};
	put_module(&encoder);
	*payload = encoder.out;
	*fault = encoder.fault;
	if (payload->failed)
		return WM_NO_MEMORY;
	if (!fault->part && payload->size > UINT32_MAX)
		*fault = (struct wm_map_fault){WM_NONE, "size"};
	return fault->part ? WM_BAD_GRAPH : WM_OK;
}

enum wm_status wm_map_find_fault(const struct wm_map_module *module, struct wm_map_fault *fault)
{
	struct wm_bytes payload;
	enum wm_status status = make_payload(module, &payload, fault);
	wm_bytes_release(&payload);
	return status;
}

enum wm_status wm_map_encode(const struct wm_map_module *module, uint8_t **data, size_t *size)
{
	struct wm_bytes payload, blob;
	struct wm_map_fault fault;
	wm_bytes_init(&blob);
	enum wm_status status = make_payload(module, &payload, &fault);
	if (!status)
		status = frame(&payload, &blob);
	wm_bytes_release(&payload);
	if (status) {
		wm_bytes_release(&blob);
		return status;
	}
	*data = blob.data;
	*size = blob.size;
	return WM_OK;
}
