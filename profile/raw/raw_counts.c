/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profile/raw/raw_counts.h"

#include "abi/abi.h"
#include "abi/counts.h"
#include "core/base/grow.h"
#include "core/base/search.h"

#include <stdlib.h>
#include <string.h>

struct body {
	const uint8_t *at, *end;
	const struct wm_counts_sink *sink;
	bool *no_memory;
};

static bool take(struct body *body, uint64_t *value)
{
	const uint8_t *after = wm_get_variable(body->at, body->end, value);
	body->at = after ? after : body->end;
	return after;
}

static bool append_cell(struct body *body, struct wm_sparse_cells *cells, uint64_t index, uint64_t value)
{
	if (!WM_GROW(cells->cell, cells->count)) {
		*body->no_memory = true;
		return false;
	}
	cells->cell[cells->count++] = (struct wm_sparse_cell){index, value};
	return true;
}

/* The file has them from the last to the first. */
static void reverse(struct wm_sparse_cells *cells)
{
	for (size_t low = 0, high = cells->count; low + 1 < high; low++) {
		struct wm_sparse_cell cell = cells->cell[low];
		cells->cell[low] = cells->cell[--high];
		cells->cell[high] = cell;
	}
}

static bool read_cells(struct body *body)
{
	struct wm_sparse_cells cells = {0};
	uint64_t index = body->sink->cell_count, gap = 0, value = 0;
	bool sane = true;
	while (sane && (sane = take(body, &gap)) && gap) {
		sane = gap <= index && take(body, &value) && append_cell(body, &cells, index - gap, value);
		index -= gap;
	}
	reverse(&cells);
	sane = sane && body->sink->cells(body->sink->closure, &cells);
	free(cells.cell);
	return sane;
}

static bool read_table(struct body *body, bool timed)
{
	uint64_t func, count, id, time = 0;
	if (!take(body, &func))
		return false;
	for (;;) {
		if (!take(body, &count))
			return false;
		if (!count)
			return true;
		if (!take(body, &id) || (timed && !take(body, &time)) ||
			!body->sink->path(body->sink->closure, func, id, count, time))
			return false;
	}
}

static bool read_unfinished(struct body *body)
{
	struct wm_unfinished_path path;
	uint64_t func, site;
	if (!body->sink->unfinished || !take(body, &func))
		return false;
	for (;;) {
		if (!take(body, &path.count))
			return false;
		if (!path.count)
			return true;
		if (!take(body, &site) || site > UINT32_MAX || !take(body, &path.sum))
			return false;
		path.site = (uint32_t)site;
		if (!body->sink->unfinished(body->sink->closure, func, &path))
			return false;
	}
}

static bool read_group(struct body *body, uint64_t group)
{
	switch (group) {
	case WM_GROUP_CELLS:
		return read_cells(body);
	case WM_GROUP_TABLE:
	case WM_GROUP_TIMED:
		return read_table(body, group == WM_GROUP_TIMED);
	case WM_GROUP_UNFINISHED:
		return read_unfinished(body);
	}
	return false;
}

bool wm_raw_counts_read(const uint8_t *data, uint64_t size, const struct wm_counts_sink *sink, bool *no_memory)
{
	struct body body = {data, data + size, sink, no_memory};
	uint64_t group;
	bool sane = true;
	while (sane && body.at < body.end)
		sane = take(&body, &group) && read_group(&body, group);
	return sane;
}

uint64_t wm_raw_counts_sum(const uint8_t *body, uint64_t size)
{
	uint64_t sum = WM_CHECKSUM_INIT;
	for (uint64_t at = 0; at < size; at += 8) {
		uint64_t word;
		memcpy(&word, body + at, sizeof(word));
		sum = wm_checksum(sum, &word, 1);
	}
	return sum;
}

size_t wm_sparse_find(const struct wm_sparse_cells *cells, uint64_t index)
{
	size_t i;
	WM_LOWER_BOUND(i, 0, cells->count, cells->cell[i].index < index);
	return i;
}

uint64_t wm_sparse_sum(const struct wm_sparse_cells *cells, const uint64_t *sum, uint64_t begin, uint64_t end)
{
	return sum[wm_sparse_find(cells, end)] - sum[wm_sparse_find(cells, begin)];
}
