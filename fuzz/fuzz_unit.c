/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Graph text of several functions in, and everything core/ does with them together (check_unit.h). */
#include "fuzz/check_unit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wm_arena arena;
	struct wm_cfg cfg;
	struct wm_cfg_error error = {0};
	if (size == 0)
		return 0;
	wm_arena_init(&arena);
	if (wm_cfg_parse(&cfg, (const char *)data + 1, size - 1, &error, &arena) == WM_OK)
		check_unit(&cfg.unit, data, size, &arena);
	wm_arena_release(&arena);
	return 0;
}
