/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * WM_CHUNK_IDS: the id of the path that each cell counts, for functions whose cells are not indexed by id, so that a
 * file can be read without the program.  The chunk is constant, so it is written into each new file and never mapped.
 */
#include "runtime/chunk/ids.h"

#include "runtime/state/state.h"

static size_t id_count(const struct wm_func *f)
{
	return f->flags & WM_FUNC_IDS ? f->cell_count - wm_prefix_cells(f->flags) : 0;
}

size_t wm_ids_size(void)
{
	size_t words = 0;
	for (size_t i = 0; i < wm.object.func_count; i++)
		if (wm.object.func[i].flags & WM_FUNC_IDS)
			words += 2 + id_count(&wm.object.func[i]);
	return words ? wm_page_up(sizeof(struct wm_raw_chunk) + 8 * words) : 0;
}

void wm_ids_fill(char *to)
{
	struct wm_raw_chunk *chunk = (void *)to;
	uint64_t *next = (uint64_t *)(chunk + 1);
	if (!wm.object.ids_size)
		return;
	for (size_t i = 0; i < wm.object.func_count; i++) {
		const struct wm_func *f = &wm.object.func[i];
		size_t count = id_count(f);
		if (!(f->flags & WM_FUNC_IDS))
			continue;
		*next++ = i;
		*next++ = count;
		wm_copy(next, (const char *)f + f->ids, 8 * count);
		next += count;
	}
	*chunk = (struct wm_raw_chunk){.magic = WM_CHUNK_MAGIC,
		.kind = WM_CHUNK_IDS,
		.size = wm.object.ids_size,
		.used = (uint64_t)((char *)next - (char *)(chunk + 1))};
}
