/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/graphfile/graphfile.h"
#include "support/attempt.h"
#include "support/buffer.h"
#include "support/fail.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void wm_graph_file_load(struct wm_graph_file *file, const char *path)
{
	struct wm_buffer text;
	struct wm_cfg_error error;
	*file = (struct wm_graph_file){.path = strcmp(path, "-") == 0 ? "<stdin>" : path};
	wm_arena_init(&file->arena);
	if (!wm_buffer_read(&text, path))
		wm_fail("cannot read %s: %s", path, strerror(errno));
	enum wm_status status = wm_cfg_parse(&file->cfg, (const char *)text.data, text.size, &error, &file->arena);
	if (status == WM_BAD_GRAPH)
		wm_fail("%s:%u:%u: %s", file->path, error.line, error.column, error.text);
	if (status != WM_OK)
		wm_fail_as(wm_failure_of(status), "%s: %s", file->path, wm_status_text(status));
	wm_buffer_release(&text);
}

void wm_graph_file_release(struct wm_graph_file *file)
{
	wm_arena_release(&file->arena);
}

static char *part_name(const struct wm_parts *parts, uint32_t part, char *block, struct wm_arena *arena)
{
	if (parts->behind[part] == WM_NONE)
		return block;
	uint32_t position = parts->function->call[parts->behind[part]].position;
	size_t size = strlen(block) + 16;
	char *name = WM_NEW(arena, char, size);
	if (name)
		snprintf(name, size, "%s+%u", block, position + 1);
	return name;
}

void wm_graph_divide(struct wm_cfg_function *divided, struct wm_parts *parts, const struct wm_cfg_function *function,
	const struct wm_unit_function *in_unit, struct wm_arena *arena)
{
	if (wm_parts_make(parts, in_unit, arena) != WM_OK)
		wm_no_memory();
	*divided = *function;
	divided->graph = parts->graph;
	divided->block_name = WM_NEW(arena, char *, parts->graph.block_count);
	for (uint32_t p = 0; divided->block_name && p < parts->graph.block_count; p++) {
		divided->block_name[p] = part_name(parts, p, function->block_name[parts->block[p]], arena);
		if (!divided->block_name[p])
			wm_no_memory();
	}
	if (!divided->block_name)
		wm_no_memory();
}
