/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/graph/origin.h"

uint32_t wm_context_depth(const struct wm_origins *origins, uint32_t context)
{
	uint32_t depth = 0;
	for (; origins->context[context].parent != WM_NONE; depth++)
		context = origins->context[context].parent;
	return depth;
}

const struct wm_mark *wm_origins_marks(
	const struct wm_origins *origins, uint32_t block, struct wm_mark *own, uint32_t *count)
{
	*own = (struct wm_mark){.block = block};
	*count = origins ? origins->first_mark[block + 1] - origins->first_mark[block] : 1;
	return origins ? origins->mark + origins->first_mark[block] : own;
}
