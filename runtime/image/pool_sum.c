/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Checks the chunks of a pool and makes one of them.  O(n log n) in what was counted. */
#include "abi/counts.h"
#include "abi/pool.h"
#include "runtime/image/pool_file.h"
#include "runtime/image/sorted_counts.h"

static uint64_t body_sum(const struct wm_raw_chunk *chunk, const char *body)
{
	return wm_checksum(WM_CHECKSUM_INIT, (const uint64_t *)(const void *)body, (chunk->used + 7) / 8);
}

void wm_pool_seal(struct wm_raw_chunk *chunk)
{
	chunk->sequence = body_sum(chunk, (const char *)(chunk + 1));
	chunk->parent_high = wm_runs_header_sum(chunk);
}

static bool header_is_sane(const struct wm_raw_chunk *chunk, size_t left)
{
	uint64_t runs;
	return wm_runs_sealed(chunk) && !(chunk->size % WM_PAGE) && chunk->size <= left &&
	       chunk->size > sizeof *chunk && chunk->used <= chunk->size - sizeof *chunk &&
	       !__builtin_mul_overflow(chunk->thread, sizeof(struct wm_raw_run), &runs) && runs <= chunk->used &&
	       chunk->parent_low <= chunk->used - runs;
}

bool wm_pool_chunk(const struct wm_pool_chunks *chunks, size_t offset, struct wm_raw_chunk *chunk)
{
	if (chunks->size - offset < sizeof *chunk)
		return false;
	wm_copy(chunk, chunks->memory + offset, sizeof *chunk);
	return header_is_sane(chunk, chunks->size - offset) &&
	       chunk->sequence == body_sum(chunk, chunks->memory + offset + sizeof *chunk);
}

/* ---- Groups ------------------------------------------------------------------------- */

/* Returns the place after the group, or NULL. */
static const uint8_t *skip_cells(const uint8_t *at, const uint8_t *end)
{
	uint64_t index = wm.object.file_span / 8, gap, value;
	while (at && (at = wm_get_variable(at, end, &gap)) && gap) {
		if (gap > index)
			return 0;
		index -= gap;
		at = wm_get_variable(at, end, &value);
	}
	return at;
}

static const uint8_t *skip_paths(const uint8_t *at, const uint8_t *end, bool unfinished)
{
	uint64_t func, site = 1, id, value;
	at = wm_get_variable(at, end, &func);
	if (!at || func >= wm.object.func_count)
		return 0;
	while (at && (at = wm_get_variable(at, end, &value)) && value) {
		if (unfinished)
			at = wm_get_variable(at, end, &site);
		at = at && site ? wm_get_variable(at, end, &id) : 0;
	}
	return at;
}

/* The time at which a path was first taken belongs to one process; sums do not keep it, so chunks with times stay.  A base has no
 * unfinished paths. */
static bool groups_are_sane(const uint8_t *at, const uint8_t *end, bool is_base)
{
	while (at && at < end) {
		uint64_t group;
		at = wm_get_variable(at, end, &group);
		bool unfinished = group == WM_GROUP_UNFINISHED && !is_base;
		if (!at || (group != WM_GROUP_CELLS && group != WM_GROUP_TABLE && !unfinished))
			return false;
		at = group == WM_GROUP_CELLS ? skip_cells(at, end) : skip_paths(at, end, unfinished);
	}
	return at;
}

/* ---- Adding up ---------------------------------------------------------------------- */

/* The parts of all chunks, one after the other: the runs, and chunks as wm_counts_fold takes them. */
struct parts {
	struct wm_counts_writer run, base, counts;
};

static void put_part(struct wm_counts_writer *writer, const char *groups, size_t size)
{
	static const char zeros[8];
	size_t rest = (8 - size % 8) % 8;
	struct wm_raw_chunk chunk = {
		.magic = WM_CHUNK_MAGIC, .kind = WM_CHUNK_COUNTS, .size = sizeof chunk + size + rest, .used = size};
	if (!size)
		return;
	wm_counts_copy(writer, &chunk, sizeof chunk);
	wm_counts_copy(writer, groups, size);
	wm_counts_copy(writer, zeros, rest);
}

static bool take_parts(struct parts *parts, const struct wm_raw_chunk *chunk, const char *body)
{
	size_t runs = chunk->thread * sizeof(struct wm_raw_run);
	const char *base = body + runs, *counts = base + chunk->parent_low, *end = body + chunk->used;
	if (!groups_are_sane((const uint8_t *)base, (const uint8_t *)counts, true) ||
		!groups_are_sane((const uint8_t *)counts, (const uint8_t *)end, false))
		return false;
	wm_counts_copy(&parts->run, body, runs);
	put_part(&parts->base, base, (size_t)(counts - base));
	put_part(&parts->counts, counts, (size_t)(end - counts));
	return true;
}

static bool take_all(struct parts *parts, const struct wm_pool_chunks *chunks)
{
	struct wm_raw_chunk chunk;
	for (size_t at = 0; at < chunks->size; at += chunk.size)
		if (!wm_pool_chunk(chunks, at, &chunk) ||
			!take_parts(parts, &chunk, chunks->memory + at + sizeof chunk))
			return false;
	return !parts->run.error && !parts->base.error && !parts->counts.error;
}

/* What was folded is one chunk; without memory, it would still be many. */
static bool fold(struct wm_counts_writer *writer)
{
	if (!writer->used)
		return true;
	wm_counts_fold(writer);
	return ((const struct wm_raw_chunk *)(const void *)writer->memory)->size == writer->used;
}

static size_t part_size(const struct wm_counts_writer *writer)
{
	return writer->used ? ((const struct wm_raw_chunk *)(const void *)writer->memory)->used : 0;
}

static bool join(const struct parts *parts, struct wm_pool_chunks *sum)
{
	size_t base = part_size(&parts->base), counts = part_size(&parts->counts), runs = parts->run.used;
	sum->size = wm_page_up(sizeof(struct wm_raw_chunk) + runs + base + counts);
	sum->memory = sys_map_anonymous(sum->size);
	if (!sum->memory)
		return false;
	struct wm_raw_chunk *chunk = (void *)sum->memory;
	char *body = (char *)(chunk + 1);
	*chunk = (struct wm_raw_chunk){.magic = WM_CHUNK_MAGIC,
		.kind = WM_CHUNK_RUNS,
		.size = sum->size,
		.used = runs + base + counts,
		.thread = runs / sizeof(struct wm_raw_run),
		.parent_low = base};
	wm_copy(body, parts->run.memory, runs);
	wm_copy(body + runs, parts->base.memory + sizeof *chunk, base);
	wm_copy(body + runs + base, parts->counts.memory + sizeof *chunk, counts);
	wm_pool_seal(chunk);
	return true;
}

bool wm_pool_sum(const struct wm_pool_chunks *chunks, struct wm_pool_chunks *sum)
{
	struct parts parts = {{NULL, 0, 0, 0, 0}, {NULL, 0, 0, 0, 0}, {NULL, 0, 0, 0, 0}};
	bool done = take_all(&parts, chunks) && fold(&parts.base) && fold(&parts.counts) && join(&parts, sum);
	wm_counts_release(&parts.run);
	wm_counts_release(&parts.base);
	wm_counts_release(&parts.counts);
	return done;
}
