/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "runtime/image/sorted_counts.h"

#include "abi/counts.h"
#include "abi/sequence.h"

struct wm_sorted_count {
	uint64_t table; /* index of the function + 1; 0: a cell */
	uint64_t site; /* of an unfinished path; 0: it is none */
	uint64_t id, value; /* id: that of the path, its sum if it is unfinished, or the index of the cell */
};

static void append_count(struct wm_sorted_counts *sorted, struct wm_sorted_count count)
{
	if (sorted->count)
		sorted->count[sorted->size] = count;
	sorted->size++;
}

/* The chunks are private memory that this process has written, so their form is not checked. */
static const uint8_t *read_cells(struct wm_sorted_counts *sorted, const uint8_t *at, const uint8_t *end)
{
	uint64_t index = wm.object.file_span / 8, gap, value;
	while ((at = wm_get_variable(at, end, &gap)) && gap) {
		at = wm_get_variable(at, end, &value);
		append_count(sorted, (struct wm_sorted_count){0, 0, index -= gap, value});
	}
	return at;
}

static const uint8_t *read_paths(struct wm_sorted_counts *sorted, const uint8_t *at, const uint8_t *end, uint64_t group)
{
	uint64_t func, site = 0, id, value;
	at = wm_get_variable(at, end, &func);
	while ((at = wm_get_variable(at, end, &value)) && value) {
		if (group == WM_GROUP_UNFINISHED)
			at = wm_get_variable(at, end, &site);
		at = wm_get_variable(at, end, &id);
		append_count(sorted, (struct wm_sorted_count){func + 1, site, id, value});
	}
	return at;
}

/* Without memory, only the size is found. */
static void read_chunks(struct wm_sorted_counts *sorted, const struct wm_counts_writer *writer)
{
	const struct wm_raw_chunk *chunk;
	sorted->size = 0;
	for (size_t offset = 0; offset < writer->used; offset += chunk->size) {
		chunk = (const void *)(writer->memory + offset);
		const uint8_t *at = (const void *)(chunk + 1), *end = at + chunk->used;
		while (at && at < end) {
			uint64_t group;
			at = wm_get_variable(at, end, &group);
			at = group == WM_GROUP_CELLS ? read_cells(sorted, at, end) : read_paths(sorted, at, end, group);
		}
	}
}

/* The order in which counts are written: tables before cells, and cells from the last to the first. */
static bool is_before(const struct wm_sorted_count *a, const struct wm_sorted_count *b)
{
	if (a->table != b->table)
		return a->table > b->table;
	return a->site != b->site ? a->site > b->site : a->id > b->id;
}

/* The end of the longest sequence in order that begins at `begin`. */
static size_t sequence_end(const struct wm_sorted_count *count, size_t begin, size_t size)
{
	size_t end = begin;
	while (end < size && (end == begin || !is_before(&count[end], &count[end - 1])))
		end++;
	return end;
}

static void merge(struct wm_sorted_count *to, const struct wm_sorted_count *from, size_t middle, size_t size)
{
	size_t left = 0, right = middle;
	for (size_t i = 0; i < size; i++)
		to[i] = left == middle || (right < size && is_before(&from[right], &from[left])) ? from[right++]
												 : from[left++];
}

/* Merge sort of the sequences that are in order: sums wholly are, and the cells of every chunk, so that it has few passes.
 * It does not need the C library.  `other` has as much room; the result is in one of the two. */
static void sort(struct wm_sorted_counts *sorted, struct wm_sorted_count *other)
{
	size_t size = sorted->size;
	while (sequence_end(sorted->count, 0, size) < size) {
		struct wm_sorted_count *from = sorted->count;
		for (size_t begin = 0, end; begin < size; begin = end) {
			size_t middle = sequence_end(from, begin, size);
			end = sequence_end(from, middle, size);
			merge(other + begin, from + begin, middle - begin, end - begin);
		}
		sorted->count = other;
		other = from;
	}
}

static bool is_name(const struct wm_sorted_count *count)
{
	return count->table && !count->site && count->id & WM_NAME_BIT;
}

/* Names of paths (abi/sequence.h) are the same wherever they occur, and are not added up. */
static void add_up(struct wm_sorted_counts *sorted)
{
	size_t kept = 0;
	for (size_t i = 0; i < sorted->size; i++) {
		struct wm_sorted_count *last = kept ? &sorted->count[kept - 1] : NULL, next = sorted->count[i];
		if (!last || is_before(last, &next))
			sorted->count[kept++] = next;
		else if (!is_name(&next))
			last->value += next.value;
	}
	sorted->size = kept;
}

bool wm_sorted_counts_read(struct wm_sorted_counts *sorted, const struct wm_counts_writer *writer)
{
	*sorted = (struct wm_sorted_counts){NULL, 0, 0};
	if (writer->error)
		return false;
	read_chunks(sorted, writer);
	size_t half = wm_page_up(sorted->size * sizeof *sorted->count);
	char *room = half ? sys_map_anonymous(2 * half) : NULL;
	if (!half || !room)
		return !half;
	sorted->count = (void *)room;
	read_chunks(sorted, writer);
	sort(sorted, (void *)(room + half));
	add_up(sorted);
	/* Half of the memory is enough now. */
	sys_unmap(sorted->count == (void *)room ? room + half : room, half);
	sorted->mapped = half;
	return true;
}

void wm_sorted_counts_release(struct wm_sorted_counts *sorted)
{
	if (sorted->count)
		sys_unmap(sorted->count, sorted->mapped);
	*sorted = (struct wm_sorted_counts){NULL, 0, 0};
}

/* ---- Writing ------------------------------------------------------------------------- */

struct groups {
	struct wm_counts_writer *writer;
	struct wm_cells_group cells;
	uint64_t table; /* of the group that has begun; 0: none, or that of the cells */
	bool unfinished; /* likewise */
};

static struct groups begin_groups(struct wm_counts_writer *writer)
{
	return (struct groups){writer, {writer, wm.object.file_span / 8, false}, 0, false};
}

static void put_path(const struct groups *groups, const struct wm_sorted_count *count, uint64_t value, bool begins)
{
	if (begins) {
		wm_counts_put(groups->writer, count->site ? WM_GROUP_UNFINISHED : WM_GROUP_TABLE);
		wm_counts_put(groups->writer, count->table - 1);
	}
	wm_counts_put(groups->writer, value);
	if (count->site)
		wm_counts_put(groups->writer, count->site);
	wm_counts_put(groups->writer, count->id);
}

static void put_count(struct groups *groups, const struct wm_sorted_count *count, uint64_t value)
{
	bool unfinished = count->site, begins = groups->table != count->table || groups->unfinished != unfinished;
	if (groups->table && begins)
		wm_counts_put(groups->writer, 0);
	if (count->table)
		put_path(groups, count, value, begins);
	else
		wm_counts_put_cell(&groups->cells, count->id, value);
	groups->table = count->table;
	groups->unfinished = unfinished;
}

static void end_groups(const struct groups *groups)
{
	if (groups->table || groups->cells.begun)
		wm_counts_put(groups->writer, 0);
}

void wm_sorted_counts_put_since(
	struct wm_counts_writer *writer, const struct wm_sorted_counts *later, const struct wm_sorted_counts *earlier)
{
	struct groups groups = begin_groups(writer);
	size_t old = 0;
	for (size_t i = 0; i < later->size; i++) {
		const struct wm_sorted_count *count = &later->count[i];
		while (old < earlier->size && is_before(&earlier->count[old], count))
			old++;
		bool known = old < earlier->size && !is_before(count, &earlier->count[old]);
		uint64_t before = known ? earlier->count[old].value : 0;
		if (count->value > before && !is_name(count))
			put_count(&groups, count, count->value - before);
	}
	end_groups(&groups);
}

void wm_counts_fold(struct wm_counts_writer *writer)
{
	struct wm_counts_writer folded = {NULL, 0, 0, 0, 0};
	struct wm_sorted_counts sorted;
	if (!wm_sorted_counts_read(&sorted, writer) || !sorted.size)
		return;
	struct groups groups = begin_groups(&folded);
	wm_counts_begin(&folded);
	for (size_t i = 0; i < sorted.size; i++)
		put_count(&groups, &sorted.count[i], sorted.count[i].value);
	end_groups(&groups);
	wm_sorted_counts_release(&sorted);
	if (wm_counts_end(&folded, WM_CHUNK_COUNTS, WM_COUNTS_BASE)) {
		wm_counts_release(writer);
		*writer = folded;
	} else {
		wm_counts_release(&folded);
	}
}
