/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profile/raw/raw_pool.h"

#include "profile/base/unfinished_paths.h"
#include "profile/raw/raw_counts.h"

#include <string.h>

static bool divide(struct wm_raw_runs *runs, const uint8_t *body, const struct wm_raw_chunk *chunk)
{
	uint64_t bytes;
	if (!wm_runs_sealed(chunk) || chunk->used > chunk->size - sizeof(*chunk) ||
		__builtin_mul_overflow(chunk->thread, sizeof(struct wm_raw_run), &bytes) || bytes > chunk->used ||
		chunk->parent_low > chunk->used - bytes || wm_raw_counts_sum(body, chunk->used) != chunk->sequence)
		return false;
	*runs = (struct wm_raw_runs){.run = body,
		.run_count = chunk->thread,
		.base = body + bytes,
		.base_size = chunk->parent_low,
		.counts = body + bytes + chunk->parent_low,
		.counts_size = chunk->used - bytes - chunk->parent_low};
	return true;
}

static bool ignore_cells(void *closure, const struct wm_sparse_cells *cells)
{
	(void)closure, (void)cells;
	return true;
}

static bool has_table(void *closure, uint64_t func, uint64_t id, uint64_t count, uint64_t time)
{
	const struct wm_raw_file *file = closure;
	(void)id, (void)count, (void)time;
	return func < file->header.func_count && file->func[func].flags & WM_FUNC_HASH;
}

static bool has_function(void *closure, uint64_t func, const struct wm_unfinished_path *path)
{
	const struct wm_raw_file *file = closure;
	return func < file->header.func_count && wm_unfinished_site_is_valid(path->site);
}

bool wm_raw_runs_open(struct wm_raw_runs *runs, const struct wm_raw_file *file, const uint8_t *body,
	const struct wm_raw_chunk *chunk, bool *no_memory)
{
	struct wm_counts_sink sink = {(void *)file, file->header.cells_size / 8, ignore_cells, has_table, NULL};
	if (!divide(runs, body, chunk) || !wm_raw_counts_read(runs->base, runs->base_size, &sink, no_memory))
		return false;
	sink.unfinished = has_function;
	return wm_raw_counts_read(runs->counts, runs->counts_size, &sink, no_memory);
}

struct wm_raw_run wm_raw_runs_get(const struct wm_raw_runs *runs, uint64_t index)
{
	struct wm_raw_run run;
	memcpy(&run, runs->run + index * sizeof(run), sizeof(run));
	return run;
}
