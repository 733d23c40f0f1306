/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Graph text in, after a first byte for check_graph.h, and everything core/ does with what parses. */
#include "fuzz/check_graph.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wm_arena arena;
	struct wm_cfg cfg;
	struct wm_cfg_error error = {0};
	if (size == 0)
		return 0;
	wm_arena_init(&arena);
	enum wm_status status = wm_cfg_parse(&cfg, (const char *)data + 1, size - 1, &error, &arena);
	CHECK(status == WM_OK || (status == WM_BAD_GRAPH && error.line && error.column && *error.text));
	for (uint32_t f = 0; status == WM_OK && f < cfg.function_count; f++)
		check_function(&cfg.function[f], data, size, &arena);
	wm_arena_release(&arena);
	return 0;
}
