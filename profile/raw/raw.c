/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The counts of a .wmraw image (profile/raw/raw_file.h).
 *
 * A damaged file is evaluated per function.  A function whose counts may be incomplete is left out, so that its sum
 * over all inputs is exact for the remaining inputs.
 *   the main cells are truncated                functions that are not wholly present are lost
 *   anything after them is truncated            functions that count in chunks are lost too: hashed ones and
 *                                               `thread` ones, and all if the file inherited a base
 *   records of unfinished paths make no sense   these records are left out; no count depends on them
 */
#include "abi/counts.h"
#include "core/base/grow.h"
#include "core/base/search.h"
#include "profile/base/unfinished_paths.h"
#include "profile/collect.h"
#include "profile/raw/raw_counts.h"
#include "profile/raw/raw_file.h"
#include "profile/raw/raw_pool.h"
#include "profile/raw/raw_table.h"
#include "profile/raw/raw_unfinished.h"

#include <stdio.h>
#include <stdlib.h>

enum { LEAST_SHIFT = 24 };

/* Of a function with WM_FUNC_IDS.  Without sense its cells tell nothing. */
struct cell_ids {
	uint64_t *id; /* per cell after the prefix; anything where it never counts */
	bool bad;
};

struct reader {
	struct wm_raw_file file;
	struct cell_ids *ids; /* per function: which path a cell counts */
	struct wm_profile *profile;
	uint64_t runs, pid; /* how many there are; the process of the counts being read */
	struct wm_profile_function *out; /* parallel to func until sorted */
	bool any_follows; /* some function follows others */
	struct wm_sparse_cells followed[2]; /* cells not yet added to those, in any order; [1]: inherited */
	bool *lost; /* per function */
	bool is_summed; /* the caller has all functions of this table already */
	bool is_pool;
	bool chunks_cut;	 /* some chunk is unreadable or missing */
	bool found_condensed; /* the chunk that the header names as that with all counts */
	bool unfinished_bad; /* some record of an unfinished path makes no sense */
	const uint8_t *groups; /* the counts, in place of those of the file; NULL: there are none */
	uint64_t groups_size;
	uint64_t lost_functions;
	uint64_t bad_key; /* of the first function whose ids are bad */
	bool no_memory;
};

static void append_path(struct reader *reader, uint64_t f, uint64_t id, uint64_t value, bool base, uint64_t time)
{
	struct wm_counted_path path = {.id = id,
		.count = base ? 0 : value,
		.base = base ? value : 0,
		.first_seen = time,
		.pid = time ? reader->pid : 0};
	if (value && !wm_function_append_path(&reader->out[f], &path))
		reader->no_memory = true;
}

static void add_cell(struct reader *reader, uint64_t f, uint64_t index, uint64_t value, bool base)
{
	const struct cell_ids *ids = &reader->ids[f];
	if (!value)
		return;
	if (reader->file.func[f].flags & WM_FUNC_IDS && (ids->bad || !ids->id || ids->id[index] > INT64_MAX))
		reader->ids[f].bad = true;
	else
		append_path(reader, f, ids->id ? ids->id[index] : index, value, base, 0);
}

/* A count without its key was on its way while the table moved to a new file: nobody
 * can tell any more whose it is. */
static void add_slots(struct reader *reader, const struct wm_hash_table *table, const uint8_t *slot, uint64_t count)
{
	const uint8_t *time = slot + count * sizeof(struct wm_hash_slot);
	bool timed = table->flags & WM_TABLE_TIMES && reader->file.func[table->func].flags & WM_FUNC_RESIDUAL;
	for (uint64_t i = 0; i < count && !reader->no_memory; i++, slot += sizeof(struct wm_hash_slot)) {
		uint64_t key = wm_raw_load(slot), value = wm_raw_load(slot + 8);
		if (key)
			append_path(reader, table->func, wm_hash_id(key), value, table->flags & WM_TABLE_BASE,
				timed ? wm_raw_load(time + 8 * i) : 0);
		else if (value)
			reader->out[table->func].doubt |= WM_DOUBT_LOST;
	}
}

/* False when the table, and so where the next one begins, cannot be told.  A table
 * without its magic was being made when the program died: nothing was counted there. */
static bool add_table(struct reader *reader, const uint8_t *at, uint64_t left, uint64_t *size)
{
	struct wm_hash_table table;
	if (left < sizeof(table))
		return false;
	memcpy(&table, at, sizeof(table));
	if (!table.magic && !table.shift) {
		*size = left;
		return true;
	}
	uint64_t slots =
		table.shift >= LEAST_SHIFT && table.shift <= 63 ? UINT64_C(1) << (64 - table.shift) : UINT64_MAX;
	if (slots > left / sizeof(struct wm_hash_slot) || wm_table_size(slots, table.flags) > left)
		return false;
	*size = wm_table_size(slots, table.flags);
	if (!table.magic)
		return true;
	if (table.magic != WM_TABLE_MAGIC || table.func >= reader->file.header.func_count ||
		!(reader->file.func[table.func].flags & WM_FUNC_HASH))
		return false;
	add_slots(reader, &table, at + sizeof(table), slots);
	return true;
}

static bool add_tables(struct reader *reader, const uint8_t *at, uint64_t used)
{
	uint64_t size = 0;
	for (uint64_t offset = 0; offset < used; offset += size)
		if (!add_table(reader, at + offset, used - offset, &size))
			return false;
	return true;
}

/* ---- Counts without zeros ------------------------------------------------------------- */

struct counts {
	struct reader *reader;
	bool base;
};

static void add_sparse_cell(struct counts *counts, uint64_t f, uint64_t index, uint64_t value)
{
	const struct wm_raw_func *func = &counts->reader->file.func[f];
	uint32_t prefix = wm_prefix_cells(func->flags);
	struct wm_profile_function one = {0};
	if (index >= prefix) {
		add_cell(counts->reader, f, index - prefix, value, counts->base);
		return;
	}
	if (index == 0 && func->flags & WM_FUNC_ENTRIES)
		*(counts->base ? &one.base_entries : &one.entries) = value;
	else
		*(counts->base ? &one.base_resumed : &one.resumed) = value;
	wm_function_add_scalars(&counts->reader->out[f], &one);
}

static uint64_t cells_end(const struct wm_raw_file *file, size_t place)
{
	const struct wm_raw_func *func = &file->func[file->order[place]];
	return func->cells_offset + func->cell_count * UINT64_C(8);
}

/* Both the cells and the functions are in the order of their places.  A group may have few cells and the file many groups, so
 * functions without counts are not visited. */
static void add_owned(struct counts *counts, const struct wm_sparse_cells *cells)
{
	const struct wm_raw_file *file = &counts->reader->file;
	for (size_t i = 0, next = 0; i < cells->count && !counts->reader->no_memory; i++) {
		uint64_t place = cells->cell[i].index * 8;
		size_t low = next;
		if (low < file->order_count && cells_end(file, low) <= place)
			WM_LOWER_BOUND(next, low, file->order_count, cells_end(file, next) <= place);
		if (next == file->order_count)
			break;
		uint64_t first = file->func[file->order[next]].cells_offset;
		if (place >= first)
			add_sparse_cell(counts, file->order[next], (place - first) / 8, cells->cell[i].value);
	}
}

/* Any number of functions may follow the same cells: sums keep reading linear. */
static void add_followers(struct reader *reader, const struct wm_sparse_cells *cells, bool base)
{
	uint64_t *sum = calloc(cells->count + 1, sizeof(*sum));
	for (size_t i = 0; sum && i < cells->count; i++)
		sum[i + 1] = sum[i] + cells->cell[i].value;
	for (uint64_t f = 0; sum && f < reader->file.header.func_count && !reader->no_memory; f++) {
		const struct wm_raw_func *func = &reader->file.func[f];
		uint64_t first = func->cells_offset / 8;
		if (reader->file.owner[f] == f && func->flags & WM_FUNC_FOLLOWS)
			append_path(reader, f, 0, wm_sparse_sum(cells, sum, first, first + func->cell_count), base, 0);
	}
	reader->no_memory |= !sum;
	free(sum);
}

static int compare_cells(const void *a, const void *b)
{
	const struct wm_sparse_cell *x = a, *y = b;
	return (x->index > y->index) - (x->index < y->index);
}

static void add_followed(struct reader *reader, bool base)
{
	struct wm_sparse_cells *cells = &reader->followed[base];
	if (cells->count) {
		qsort(cells->cell, cells->count, sizeof(*cells->cell), compare_cells);
		add_followers(reader, cells, base);
	}
	free(cells->cell);
	*cells = (struct wm_sparse_cells){0};
}

/* Every function is visited once per so many cells as there are functions, also if they come in small groups. */
static void follow_cells(struct counts *counts, const struct wm_sparse_cells *cells)
{
	struct reader *reader = counts->reader;
	struct wm_sparse_cells *followed = &reader->followed[counts->base];
	if (cells->count >= reader->file.header.func_count) {
		add_followers(reader, cells, counts->base);
		return;
	}
	for (size_t i = 0; i < cells->count; i++) {
		if (!WM_GROW(followed->cell, followed->count)) {
			reader->no_memory = true;
			return;
		}
		followed->cell[followed->count++] = cells->cell[i];
	}
	if (followed->count >= reader->file.header.func_count)
		add_followed(reader, counts->base);
}

static bool add_sparse_cells(void *closure, const struct wm_sparse_cells *cells)
{
	struct counts *counts = closure;
	add_owned(counts, cells);
	if (counts->reader->any_follows)
		follow_cells(counts, cells);
	return !counts->reader->no_memory;
}

/* Appends the cells that are not zero of those in [begin, end) of the file, of which the cell 0 is at `first`. */
static void take_cells(
	struct reader *reader, struct wm_sparse_cells *cells, uint64_t first, const struct wm_extent *part)
{
	for (uint64_t index = (part->begin - first) / 8; first + 8 * index + 8 <= part->end; index++) {
		uint64_t value = wm_raw_load(reader->file.data + first + 8 * index);
		if (!value)
			continue;
		if (!WM_GROW(cells->cell, cells->count)) {
			reader->no_memory = true;
			return;
		}
		cells->cell[cells->count++] = (struct wm_sparse_cell){index, value};
	}
}

/* The cells are at `first` in the file; `present` bytes of them are there. */
static void add_all_cells(struct reader *reader, uint64_t first, uint64_t present, bool base)
{
	struct counts counts = {reader, base};
	struct wm_sparse_cells cells = {0};
	uint64_t end = first + present, at;
	for (at = wm_raw_file_data(&reader->file, first); at < end && !reader->no_memory;) {
		/* A cell may begin in a hole. */
		struct wm_extent part = {at - (at - first) % 8, wm_raw_file_hole(&reader->file, at)};
		part.end = part.end + (8 - (part.end - first) % 8) % 8;
		part.end = part.end < end ? part.end : end;
		take_cells(reader, &cells, first, &part);
		at = wm_raw_file_data(&reader->file, part.end);
	}
	if (!reader->no_memory)
		add_sparse_cells(&counts, &cells);
	free(cells.cell);
}

static bool add_table_path(void *closure, uint64_t func, uint64_t id, uint64_t count, uint64_t time)
{
	struct counts *counts = closure;
	const struct wm_raw_file *file = &counts->reader->file;
	if (func >= file->header.func_count || !(file->func[func].flags & WM_FUNC_HASH))
		return false;
	append_path(counts->reader, func, id, count, counts->base, counts->base ? 0 : time);
	return !counts->reader->no_memory;
}

static bool add_unfinished_path(void *closure, uint64_t func, const struct wm_unfinished_path *path)
{
	struct counts *counts = closure;
	struct reader *reader = counts->reader;
	if (func >= reader->file.header.func_count || !wm_unfinished_site_is_valid(path->site))
		return false;
	reader->no_memory |= !wm_unfinished_append(&reader->out[func], path);
	return !reader->no_memory;
}

/* Nobody inherits an unfinished path: it ends with its activation. */
static bool add_counts(struct reader *reader, const uint8_t *body, uint64_t size, bool base)
{
	struct counts counts = {reader, base};
	const struct wm_counts_sink sink = {&counts, reader->file.header.cells_size / 8, add_sparse_cells,
		add_table_path, base ? NULL : add_unfinished_path};
	return wm_raw_counts_read(body, size, &sink, &reader->no_memory);
}

/* ---- Pools ---------------------------------------------------------------------------- */

/* A chunk counts wholly or not at all. */
static bool add_runs(struct reader *reader, const uint8_t *body, const struct wm_raw_chunk *chunk)
{
	struct wm_raw_runs runs;
	if (!wm_raw_runs_open(&runs, &reader->file, body, chunk, &reader->no_memory))
		return false;
	for (uint64_t i = 0; i < runs.run_count; i++) {
		struct wm_raw_run run = wm_raw_runs_get(&runs, i);
		const struct wm_run_id id = {run.run_id_high, run.run_id_low, run.epoch, .start_time = run.start_time};
		reader->no_memory |= id.high | id.low && !wm_profile_append_run_id(reader->profile, &id);
		reader->pid = runs.run_count == 1 ? run.pid : 0;
	}
	reader->runs += runs.run_count;
	return add_counts(reader, runs.base, runs.base_size, true) &&
	       add_counts(reader, runs.counts, runs.counts_size, false);
}

/* Of the two places in which a process that ended has its counts, only one counts at any time: abi/counts.h. */
static bool is_replaced(const struct reader *reader, uint64_t offset)
{
	const struct wm_raw_header *header = &reader->file.header;
	return offset < header->condensed && !(header->flags & WM_RAW_CLEARED);
}

static bool counts_at(const struct reader *reader, uint64_t offset, const struct wm_raw_chunk *chunk)
{
	return chunk->thread & WM_COUNTS_BASE || offset == reader->file.header.condensed;
}

/* Unlike cells, the body never changes, so it has a checksum. */
static bool add_counts_chunk(
	struct reader *reader, uint64_t offset, const uint8_t *at, const struct wm_raw_chunk *chunk)
{
	if (!counts_at(reader, offset, chunk))
		return true;
	if (wm_raw_counts_sum(at, chunk->used) != chunk->sequence)
		return false;
	reader->found_condensed |= offset == reader->file.header.condensed;
	return add_counts(reader, at, chunk->used, chunk->thread & WM_COUNTS_BASE);
}

/* Records that make no sense cost nothing else. */
static bool add_unfinished_chunk(struct reader *reader, uint64_t offset, const struct wm_raw_chunk *chunk)
{
	struct counts counts = {reader, false};
	reader->unfinished_bad |= !wm_raw_unfinished_read(&reader->file, offset, chunk, add_unfinished_path, &counts);
	return !reader->no_memory;
}

static bool add_chunk(void *closure, const uint8_t *at, const struct wm_raw_chunk *chunk)
{
	struct reader *reader = closure;
	uint64_t offset = (uint64_t)(at - reader->file.data);
	uint64_t room = chunk->size - sizeof(*chunk), cells_size = reader->file.header.cells_size;
	at += sizeof(*chunk);
	switch ((enum wm_chunk_kind)chunk->kind) {
	case WM_CHUNK_TABLES:
		return is_replaced(reader, offset) || (chunk->used <= room && add_tables(reader, at, chunk->used));
	case WM_CHUNK_COUNTS:
		return chunk->used <= room && add_counts_chunk(reader, offset, at, chunk);
	case WM_CHUNK_RUNS:
		return reader->is_pool && add_runs(reader, at, chunk);
	case WM_CHUNK_THREAD:
	case WM_CHUNK_BASE:
		if (room < cells_size || is_replaced(reader, offset))
			return room >= cells_size;
		add_all_cells(reader, offset + sizeof(*chunk), cells_size, chunk->kind == WM_CHUNK_BASE);
		return true;
	case WM_CHUNK_IDS:
		return chunk->used <= room;
	case WM_CHUNK_UNFINISHED:
		return is_replaced(reader, offset) || add_unfinished_chunk(reader, offset, chunk);
	case WM_CHUNK_STREAM: /* no counts: profile/raw/raw_recording.c */
	case WM_CHUNK_CRASH: /* profile/raw/raw_crash.c */
	case WM_CHUNK_TEST: /* profile/raw/raw_tests.c */
		return true;
	}
	return false;
}

static void take_ids(struct reader *reader, uint64_t f, const uint8_t *at, uint64_t count)
{
	const struct wm_raw_func *func = &reader->file.func[f];
	struct cell_ids *ids = &reader->ids[f];
	ids->bad |= ids->id || !(func->flags & WM_FUNC_IDS) || count != func->cell_count - wm_prefix_cells(func->flags);
	if (ids->bad)
		return;
	ids->id = malloc((count + 1) * sizeof(*ids->id));
	reader->no_memory |= !ids->id;
	if (ids->id)
		memcpy(ids->id, at, count * sizeof(*ids->id));
}

/* What cannot be told apart is left out: its functions then have no ids. */
static bool add_ids(void *closure, const uint8_t *at, const struct wm_raw_chunk *chunk)
{
	struct reader *reader = closure;
	if (chunk->kind != WM_CHUNK_IDS || chunk->used > chunk->size - sizeof(*chunk))
		return true;
	at += sizeof(*chunk);
	for (uint64_t left = chunk->used / 8; left >= 2 && !reader->no_memory;) {
		uint64_t f = wm_raw_load(at), count = wm_raw_load(at + 8);
		left -= 2;
		at += 16;
		if (f >= reader->file.header.func_count || count > left)
			break;
		take_ids(reader, f, at, count);
		left -= count;
		at += 8 * count;
	}
	return true;
}

static uint64_t cells_present(const struct reader *reader)
{
	const struct wm_raw_header *header = &reader->file.header;
	uint64_t present = reader->file.size > header->cells_offset ? reader->file.size - header->cells_offset : 0;
	return present < header->cells_size ? present : header->cells_size;
}

static bool function_lost(const struct reader *reader, uint64_t f, uint64_t present)
{
	const struct wm_raw_func *func = &reader->file.func[f];
	if (func->cells_offset + func->cell_count * UINT64_C(8) > present)
		return true;
	if (reader->ids[f].bad || reader->ids[reader->file.owner[f]].bad)
		return true;
	enum wm_update update = WM_FUNC_UPDATE(func->flags);
	bool in_chunks = func->flags & WM_FUNC_HASH || update == WM_UPDATE_DELTA || update == WM_UPDATE_GS ||
			 reader->file.header.condensed;
	return reader->chunks_cut && !reader->is_pool && (in_chunks || reader->file.header.flags & WM_RAW_INHERITED);
}

static uint32_t doubt_of(const struct reader *reader, const struct wm_raw_func *func, bool loss_unknown)
{
	uint32_t doubt = func->lost || loss_unknown ? WM_DOUBT_LOST : 0;
	if (reader->file.header.flags & WM_RAW_SECOND_THREAD && WM_FUNC_UPDATE(func->flags) != WM_UPDATE_ATOMIC)
		doubt |= WM_DOUBT_THREADS;
	return doubt | (reader->file.header.flags & WM_RAW_FOREIGN_PROCESS ? WM_DOUBT_PROCESS : 0);
}

/* The header counts losses that no function could be blamed for; then any may be short. */
static bool loss_without_function(const struct reader *reader)
{
	uint32_t ignored = 0;
	uint64_t named = 0;
	for (uint64_t i = 0; i < reader->file.header.func_count; i++)
		named = wm_add_saturating(named, reader->file.func[i].lost, &ignored);
	return reader->file.header.lost > named;
}

static void read_main_cells(struct reader *reader, uint64_t present)
{
	if (present && !reader->is_pool && !is_replaced(reader, reader->file.header.cells_offset))
		add_all_cells(reader, reader->file.header.cells_offset, present, false);
}

static void label_functions(struct reader *reader)
{
	bool loss_unknown = loss_without_function(reader);
	for (uint64_t f = 0; f < reader->file.header.func_count; f++) {
		const struct wm_raw_func *func = &reader->file.func[f];
		struct wm_profile_function *out = &reader->out[f];
		out->key = func->key;
		out->graph_hash = func->graph_hash;
		out->source = func->source;
		out->flags = func->flags & WM_FUNC_KNOWN & ~(WM_FUNC_IDS | WM_FUNC_FOLLOWS);
		out->scheme = WM_FUNC_SCHEME(func->flags);
		if (func->flags & WM_FUNC_IDS && !reader->ids[f].id)
			reader->ids[f].bad = true;
		out->lost = func->lost;
		out->doubt = doubt_of(reader, func, loss_unknown);
	}
}

static int compare_functions(const void *a, const void *b)
{
	const struct wm_raw_func *x = *(struct wm_raw_func *const *)a, *y = *(struct wm_raw_func *const *)b;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (x->graph_hash > y->graph_hash) - (x->graph_hash < y->graph_hash);
}

/* What is left of a function that follows others, when some of what counts it is lost, is not its count. */
static void lose_followers(struct reader *reader)
{
	uint64_t count = reader->file.header.func_count;
	struct wm_raw_func **func = malloc((count + 1) * sizeof(*func));
	reader->no_memory |= !func;
	for (uint64_t i = 0; func && i < count; i++)
		func[i] = &reader->file.func[i];
	if (func)
		qsort(func, count, sizeof(*func), compare_functions);
	for (uint64_t first = 0, end; func && first < count; first = end) {
		bool lost = false, follows = false;
		for (end = first; end < count && !compare_functions(&func[first], &func[end]); end++) {
			lost |= reader->lost[func[end] - reader->file.func];
			follows |= func[end]->flags & WM_FUNC_FOLLOWS;
		}
		for (uint64_t i = first; lost && follows && i < end; i++)
			reader->lost[func[i] - reader->file.func] = true;
	}
	free(func);
}

/* A record that shares its cells with a lost one is lost with it by the same test. */
static void find_lost(struct reader *reader, uint64_t present)
{
	bool any = false;
	for (uint64_t f = 0; f < reader->file.header.func_count; f++)
		any |= reader->lost[f] = function_lost(reader, f, present);
	if (any && reader->any_follows)
		lose_followers(reader);
}

static void drop_lost(struct reader *reader, struct wm_profile_object *object)
{
	size_t kept = 0;
	for (uint64_t f = 0; f < reader->file.header.func_count; f++) {
		if (!reader->lost[f]) {
			if (!reader->is_summed || wm_function_is_worth_storing(&reader->out[f]))
				reader->out[kept++] = reader->out[f];
			continue;
		}
		if (!reader->bad_key)
			reader->bad_key = reader->file.func[f].key;
		wm_function_release(&reader->out[f]);
		reader->lost_functions += !(reader->file.func[f].flags & WM_FUNC_FOLLOWS);
	}
	object->function_count = kept;
}

static bool prepare_functions(struct reader *reader)
{
	uint64_t count = reader->file.header.func_count;
	for (uint64_t f = 0; f < count; f++)
		reader->any_follows |= reader->file.func[f].flags & WM_FUNC_FOLLOWS;
	reader->ids = calloc(count + 1, sizeof(*reader->ids));
	reader->lost = calloc(count + 1, sizeof(*reader->lost));
	return reader->ids && reader->lost;
}

static bool note_doubtful_run(const struct wm_raw_header *header, struct wm_profile_object *object)
{
	struct wm_doubtful_run run = {.start_time = header->start_time, .pid = header->pid};
	for (size_t i = 0; i < object->function_count; i++)
		run.doubt |= object->function[i].doubt & WM_DOUBT_OF_RUN;
	return !run.doubt || wm_object_append_doubtful(object, &run);
}

static void read_counts(struct reader *reader, uint64_t present)
{
	if (reader->groups) {
		reader->chunks_cut = !add_counts(reader, reader->groups, reader->groups_size, false);
		return;
	}
	read_main_cells(reader, present);
	reader->chunks_cut = !wm_raw_file_chunks(&reader->file, add_chunk, reader);
	reader->chunks_cut |= !reader->is_pool && reader->file.header.condensed && !reader->found_condensed;
}

static enum wm_profile_status collect_functions(
	struct reader *reader, struct wm_profile_object *object, uint64_t present)
{
	uint64_t count = reader->file.header.func_count;
	object->function = reader->out = calloc(count + 1, sizeof(*reader->out));
	if (!reader->out || !prepare_functions(reader))
		return WM_PROFILE_NO_MEMORY;
	object->function_capacity = count + 1;
	object->function_count = count;
	wm_raw_file_chunks(&reader->file, add_ids, reader);
	label_functions(reader);
	read_counts(reader, present);
	for (int base = 0; base < 2; base++)
		add_followed(reader, base);
	find_lost(reader, present);
	drop_lost(reader, object);
	object->runs = reader->runs;
	wm_raw_file_program(object->program, &reader->file);
	bool sorted = !reader->no_memory && wm_object_sort(object) && wm_object_share_doubts(object) &&
		      note_doubtful_run(&reader->file.header, object);
	return sorted ? WM_PROFILE_OK : WM_PROFILE_NO_MEMORY;
}

static void describe_damage(const struct reader *reader, char *text, size_t size)
{
	unsigned long long least = wm_raw_file_least_size(&reader->file);
	if (reader->is_pool && (reader->chunks_cut || !reader->runs))
		snprintf(text, size, "runs in it are damaged or cut off, and left out; %llu are whole",
			(unsigned long long)reader->runs);
	else if (reader->file.size < least)
		snprintf(text, size, "it is cut short at byte %zu of at least %llu", reader->file.size, least);
	else if (reader->chunks_cut)
		snprintf(text, size, "what follows its main counters is damaged or cut short");
	else if (!reader->lost_functions)
		snprintf(text, size, "records of unfinished paths in it make no sense, and are left out");
	else
		snprintf(text, size,
			"the ids of counted paths are missing or make no sense (first of function key %016llx)",
			(unsigned long long)reader->bad_key);
}

static enum wm_profile_status verdict(const struct reader *reader, uint64_t present, struct wm_profile_error *error)
{
	unsigned long long lost = reader->lost_functions, all = 0;
	char damage[128];
	for (uint64_t f = 0; f < reader->file.header.func_count; f++)
		all += !(reader->file.func[f].flags & WM_FUNC_FOLLOWS);
	if (present == reader->file.header.cells_size && !reader->chunks_cut && !lost && reader->runs &&
		!reader->unfinished_bad)
		return WM_PROFILE_OK;
	describe_damage(reader, damage, sizeof(damage));
	if (!lost && reader->runs)
		return wm_profile_say(
			WM_PROFILE_DAMAGED, error, "%s%s", damage, reader->is_pool ? "" : ": no counts are lost");
	if (lost == all || !reader->runs)
		return wm_profile_say(
			WM_PROFILE_REFUSED, error, "%s: the counts of all %llu functions are lost", damage, all);
	return wm_profile_say(
		WM_PROFILE_DAMAGED, error, "%s: the counts of %llu of %llu functions are lost", damage, lost, all);
}

static bool note_run_id(struct wm_profile *profile, const struct wm_raw_header *header)
{
	const struct wm_run_id id = {.high = header->run_id_high,
		.low = header->run_id_low,
		.epoch = header->epoch,
		.part = header->flags & WM_RAW_SNAPSHOT ? WM_PART_UNFINISHED : 0,
		.start_time = header->start_time};
	return !(id.high | id.low) || wm_profile_append_run_id(profile, &id);
}

static enum wm_profile_status read_body(
	struct reader *reader, struct wm_profile *profile, struct wm_profile_error *error)
{
	const struct wm_raw_header *header = &reader->file.header;
	enum wm_profile_status status = wm_raw_file_load(&reader->file, error);
	if (status)
		return status;
	reader->is_summed = reader->file.known_table && reader->file.table->summed == reader->file.table->number;
	reader->is_pool = header->flags & WM_RAW_POOL;
	reader->profile = profile;
	reader->runs = !reader->is_pool;
	reader->pid = header->pid;
	uint64_t present = cells_present(reader);
	uint32_t id_size = header->build_id_size < WM_BUILD_ID_MAX ? (uint32_t)header->build_id_size : WM_BUILD_ID_MAX;
	struct wm_profile_object *object =
		wm_profile_append_object(profile, (const uint8_t *)&header->build_id0, id_size);
	if (!object || collect_functions(reader, object, present) || !note_run_id(profile, header))
		return wm_profile_say(WM_PROFILE_NO_MEMORY, error, "there is no memory for its counts");
	profile->runs = reader->runs;
	wm_profile_sort_run_ids(profile);
	profile->kill_unsafe_runs = !(header->flags & (WM_RAW_KILL_SAFE | WM_RAW_SNAPSHOT));
	if (reader->groups)
		return reader->chunks_cut ? WM_PROFILE_REFUSED : WM_PROFILE_OK;
	return verdict(reader, present, error);
}

static void reader_release(struct reader *reader)
{
	for (uint64_t i = 0; reader->ids && i < reader->file.header.func_count; i++)
		free(reader->ids[i].id);
	free(reader->ids);
	free(reader->lost);
	free(reader->followed[0].cell);
	free(reader->followed[1].cell);
	wm_raw_file_close(&reader->file);
}

static enum wm_profile_status read_image(struct reader *reader, struct wm_profile *profile,
	struct wm_raw_identity *identity, const struct wm_profile_image *image, struct wm_profile_error *error)
{
	struct wm_raw_table *table = reader->file.table;
	struct wm_profile result;
	wm_profile_init(&result);
	enum wm_profile_status status = wm_raw_file_open(&reader->file, image->data, image->size, error);
	reader->file.extent = image->extent;
	reader->file.extent_count = image->extent_count;
	reader->file.table = table;
	if (!status)
		status = read_body(reader, &result, error);
	if (status == WM_PROFILE_OK || status == WM_PROFILE_DAMAGED) {
		wm_raw_file_identify(identity, &reader->file);
		wm_profile_release(profile);
		*profile = result;
	} else {
		wm_profile_release(&result);
	}
	reader_release(reader);
	return status;
}

enum wm_profile_status wm_raw_read_image(struct wm_profile *profile, struct wm_raw_identity *identity,
	const struct wm_profile_image *image, struct wm_raw_table *table, struct wm_profile_error *error)
{
	struct reader reader = {.file.table = table};
	return read_image(&reader, profile, identity, image, error);
}

enum wm_profile_status wm_raw_read_groups(struct wm_profile *profile, const struct wm_profile_image *image,
	const uint8_t *groups, uint64_t size, struct wm_raw_table *table, struct wm_profile_error *error)
{
	struct reader reader = {.file.table = table, .groups = groups, .groups_size = size};
	struct wm_raw_identity identity;
	return read_image(&reader, profile, &identity, image, error);
}

enum wm_profile_status wm_raw_read(struct wm_profile *profile, struct wm_raw_identity *identity, const uint8_t *data,
	size_t size, struct wm_profile_error *error)
{
	const struct wm_profile_image image = {.data = data, .size = size};
	return wm_raw_read_image(profile, identity, &image, NULL, error);
}
