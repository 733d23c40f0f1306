/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "hardware/trace/traced_program.h"
#include "core/base/grow.h"
#include "hardware/model/control.h"
#include "hardware/trace/trace_facts.h"
#include "profile/base/bytes.h"

#include <stdlib.h>
#include <string.h>

enum wm_trace_status wm_trace_program_init(struct wm_trace_program *program, uint32_t arch)
{
	*program = (struct wm_trace_program){0};
	if (arch != WM_HW_X86_64 && arch != WM_HW_AARCH64)
		return WM_TRACE_FOREIGN;
	program->arch = (enum wm_hw_arch)arch;
	program->decoder = wm_hw_decoder_new(program->arch);
	return program->decoder ? WM_TRACE_OK : WM_TRACE_NO_MEMORY;
}

void wm_trace_program_release(struct wm_trace_program *program)
{
	for (size_t i = 0; i < program->block_count; i++)
		free((void *)(uintptr_t)wm_trace_program_block(program, i)->block.insn);
	for (size_t i = 0; i * WM_BLOCKS_PER_CHUNK < program->block_count; i++)
		free(program->chunk[i]);
	for (size_t i = 0; i < program->mapping_count; i++)
		free(program->mapping[i].path);
	free(program->chunk);
	free(program->mapping);
	wm_hw_decoder_free(program->decoder);
	*program = (struct wm_trace_program){0};
}

static struct wm_trace_block *new_block(struct wm_trace_program *program)
{
	size_t chunk = program->block_count / WM_BLOCKS_PER_CHUNK;
	if (program->block_count % WM_BLOCKS_PER_CHUNK)
		return &program->chunk[chunk][program->block_count % WM_BLOCKS_PER_CHUNK];
	if (!WM_GROW(program->chunk, chunk))
		return NULL;
	program->chunk[chunk] = calloc(WM_BLOCKS_PER_CHUNK, sizeof(**program->chunk));
	return program->chunk[chunk];
}

const struct wm_trace_mapping *wm_trace_program_mapping(const struct wm_trace_program *program, uint64_t address)
{
	for (size_t i = program->mapping_count; i; i--)
		if (address - program->mapping[i - 1].start < program->mapping[i - 1].size)
			return &program->mapping[i - 1];
	return NULL;
}

static enum wm_trace_status add_block(struct wm_trace_program *program, const struct wm_hw_code *code)
{
	uint64_t address = code->address, end = address + code->size;
	struct wm_hw_insn *insn = malloc(code->count * sizeof(*insn));
	struct wm_trace_block *block = insn ? new_block(program) : NULL;
	if (!block) {
		free(insn);
		return WM_TRACE_NO_MEMORY;
	}
	program->unknown_insns += code->count - wm_hw_decode_block(program->decoder, code, insn);
	const struct wm_hw_insn *last = &insn[code->count - 1];
	const struct wm_trace_mapping *mapping = wm_trace_program_mapping(program, address);
	*block = (struct wm_trace_block){
		.block = {.start = address, .end = end, .insn_count = (uint32_t)code->count, .insn = insn},
		.target = last->target ? last->target : UINT64_MAX,
		.fall = last->branch == WM_HW_NO_BRANCH || last->branch == WM_HW_CONDITIONAL ? end : UINT64_MAX,
		.last = last->address,
		.branch = last->branch,
		.flags = last->flags,
		.type = last->branch == WM_HW_NO_BRANCH ? WM_HW_TYPE_COUNT
							: (uint8_t)wm_hw_branch_type(last, UINT64_MAX),
		.mapping = mapping ? (uint32_t)(mapping - program->mapping) + 1 : 0,
	};
	program->block_count++;
	return WM_TRACE_OK;
}

/* The size of a block from those of its instructions; 0: one of them has none. */
static size_t sum_sizes(const uint8_t *insn_size, size_t count)
{
	size_t size = 0;
	for (size_t i = 0; i < count; i++) {
		if (!insn_size[i])
			return 0;
		size += insn_size[i];
	}
	return size;
}

static enum wm_trace_status learn_block(struct wm_trace_program *program, struct wm_cursor *in, bool sized)
{
	uint64_t number = wm_cursor_uleb(in);
	struct wm_hw_code code = {.address = wm_cursor_uleb(in)};
	code.count = (size_t)wm_cursor_bounded(in, WM_FACT_BLOCK_INSNS);
	if (sized)
		code.insn_size = wm_cursor_take(in, code.count);
	else
		code.size = (size_t)wm_cursor_bounded(in, WM_FACT_BLOCK_BYTES);
	if (sized && code.insn_size)
		code.size = sum_sizes(code.insn_size, code.count);
	code.bytes = wm_cursor_take(in, code.size);
	if (!code.bytes || in->failed)
		return WM_TRACE_OK;
	if (number != program->block_count || !code.count || code.size < code.count ||
		code.size > WM_FACT_BLOCK_BYTES || code.address + code.size < code.address)
		return WM_TRACE_DAMAGED;
	return add_block(program, &code);
}

static enum wm_trace_status learn_mapping(struct wm_trace_program *program, struct wm_cursor *in)
{
	struct wm_trace_mapping mapping = {.start = wm_cursor_uleb(in)};
	mapping.size = wm_cursor_uleb(in);
	mapping.offset = wm_cursor_uleb(in);
	size_t length = (size_t)wm_cursor_bounded(in, WM_FACT_PATH_BYTES);
	const uint8_t *path = wm_cursor_take(in, length);
	if (!path)
		return WM_TRACE_OK;
	if (memchr(path, 0, length))
		return WM_TRACE_DAMAGED;
	mapping.path = strndup((const char *)path, length);
	if (!mapping.path || !WM_GROW(program->mapping, program->mapping_count)) {
		free(mapping.path);
		return WM_TRACE_NO_MEMORY;
	}
	program->mapping[program->mapping_count++] = mapping;
	return WM_TRACE_OK;
}

static enum wm_trace_status learn_one(struct wm_trace_program *program, struct wm_cursor *in)
{
	uint8_t kind = wm_cursor_u8(in);
	switch (kind) {
	case WM_FACT_BLOCK:
	case WM_FACT_CODE:
		return learn_block(program, in, kind == WM_FACT_CODE);
	case WM_FACT_MAPPING:
		return learn_mapping(program, in);
	}
	return WM_TRACE_DAMAGED;
}

enum wm_trace_status wm_trace_program_learn(
	struct wm_trace_program *program, const uint8_t *data, size_t size, size_t *used)
{
	struct wm_cursor in;
	enum wm_trace_status status = WM_TRACE_OK;
	wm_cursor_init(&in, data, size);
	*used = 0;
	while (wm_cursor_left(&in)) {
		status = learn_one(program, &in);
		if (status || in.failed)
			break;
		*used = size - wm_cursor_left(&in);
	}
	return status;
}
