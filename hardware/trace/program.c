/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "hardware/trace/program.h"
#include "core/base/grow.h"
#include "hardware/model/control.h"
#include "hardware/trace/facts.h"
#include "profile/bytes.h"

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

static enum wm_trace_status learn_block(struct wm_trace_program *program, struct wm_cursor *in)
{
	uint64_t number = wm_cursor_uleb(in), address = wm_cursor_uleb(in);
	size_t count = (size_t)wm_cursor_bounded(in, WM_FACT_BLOCK_INSNS);
	size_t size = (size_t)wm_cursor_bounded(in, WM_FACT_BLOCK_BYTES);
	const uint8_t *bytes = wm_cursor_take(in, size);
	if (!bytes)
		return WM_TRACE_OK;
	if (number != program->block_count || !count || !size || count > size || address + size < address)
		return WM_TRACE_DAMAGED;
	struct wm_hw_insn *insn = malloc(count * sizeof(*insn));
	struct wm_trace_block *block = insn ? new_block(program) : NULL;
	if (!block) {
		free(insn);
		return WM_TRACE_NO_MEMORY;
	}
	program->unknown_insns += count - wm_hw_decode_block(program->decoder, bytes, size, address, insn, count);
	const struct wm_hw_insn *last = &insn[count - 1];
	const struct wm_trace_mapping *mapping = wm_trace_program_mapping(program, address);
	*block = (struct wm_trace_block){
		.block = {.start = address, .end = address + size, .insn_count = (uint32_t)count, .insn = insn},
		.target = last->target ? last->target : UINT64_MAX,
		.fall = last->branch == WM_HW_NO_BRANCH || last->branch == WM_HW_CONDITIONAL ? address + size
											     : UINT64_MAX,
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
	switch (wm_cursor_u8(in)) {
	case WM_FACT_BLOCK:
		return learn_block(program, in);
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
