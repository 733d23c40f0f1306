/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The counts of a .wmraw image (profile/raw_file.h).
 *
 * A damaged file is evaluated per function.  A function whose counts may be incomplete is left out, so that its sum
 * over all inputs is exact for the remaining inputs.
 *   the main cells are truncated                functions that are not wholly present are lost
 *   anything after them is truncated            functions that count in chunks are lost too: hashed ones and
 *                                               `thread` ones, and all if the file inherited a base
 */
#include "profile/collect.h"
#include "profile/raw_file.h"

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
	struct wm_profile_function *out; /* parallel to func until sorted */
	uint64_t *sum; /* of the cells being read: per cell, of all before it; NULL: no function follows others */
	bool *lost; /* per function */
	bool chunks_cut;	 /* some chunk is unreadable or missing */
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
		.pid = time ? reader->file.header.pid : 0};
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

static void add_cells(struct reader *reader, uint64_t f, const uint8_t *cell, bool base)
{
	const struct wm_raw_func *func = &reader->file.func[f];
	struct wm_profile_function *out = &reader->out[f];
	struct wm_profile_function one = {0};
	uint32_t prefix = wm_prefix_cells(func->flags), next = 0;
	uint64_t *entries = base ? &one.base_entries : &one.entries, *resumed = base ? &one.base_resumed : &one.resumed;
	if (func->flags & WM_FUNC_ENTRIES)
		*entries = wm_raw_load(cell + 8 * next++);
	if (func->flags & WM_FUNC_RESUMED)
		*resumed = wm_raw_load(cell + 8 * next++);
	wm_function_add_scalars(out, &one);
	for (uint32_t i = prefix; i < func->cell_count && !reader->no_memory; i++)
		add_cell(reader, f, i - prefix, wm_raw_load(cell + UINT64_C(8) * i), base);
}

/* Any number of functions may follow the same cells: sums keep reading linear. */
static void sum_cells(struct reader *reader, const uint8_t *cells, uint64_t present)
{
	for (uint64_t i = 0; reader->sum && i < present / 8; i++)
		reader->sum[i + 1] = reader->sum[i] + wm_raw_load(cells + 8 * i);
}

static void add_followed(struct reader *reader, uint64_t f, bool base)
{
	const struct wm_raw_func *func = &reader->file.func[f];
	const uint64_t *sum = reader->sum + func->cells_offset / 8;
	append_path(reader, f, 0, sum[func->cell_count] - sum[0], base, 0);
}

/* `present`: bytes of it. */
static void add_all_cells(struct reader *reader, const uint8_t *cells, uint64_t present, bool base)
{
	sum_cells(reader, cells, present);
	for (uint64_t f = 0; f < reader->file.header.func_count && !reader->no_memory; f++) {
		const struct wm_raw_func *func = &reader->file.func[f];
		if (reader->file.owner[f] != f || func->cells_offset + func->cell_count * UINT64_C(8) > present)
			continue;
		if (func->flags & WM_FUNC_FOLLOWS)
			add_followed(reader, f, base);
		else
			add_cells(reader, f, cells + func->cells_offset, base);
	}
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

static bool add_chunk(void *closure, const uint8_t *at, const struct wm_raw_chunk *chunk)
{
	struct reader *reader = closure;
	uint64_t room = chunk->size - sizeof(*chunk), cells_size = reader->file.header.cells_size;
	at += sizeof(*chunk);
	switch ((enum wm_chunk_kind)chunk->kind) {
	case WM_CHUNK_TABLES:
		return chunk->used <= room && add_tables(reader, at, chunk->used);
	case WM_CHUNK_THREAD:
	case WM_CHUNK_BASE:
		if (room < cells_size)
			return false;
		add_all_cells(reader, at, cells_size, chunk->kind == WM_CHUNK_BASE);
		return true;
	case WM_CHUNK_IDS:
		return chunk->used <= room;
	case WM_CHUNK_STREAM: /* no counts: profile/raw_recording.c */
	case WM_CHUNK_CRASH: /* profile/raw_crash.c */
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
	bool in_chunks = func->flags & WM_FUNC_HASH || update == WM_UPDATE_DELTA || update == WM_UPDATE_GS;
	return reader->chunks_cut && (in_chunks || reader->file.header.flags & WM_RAW_INHERITED);
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
	add_all_cells(reader, reader->file.data + (present ? reader->file.header.cells_offset : 0), present, false);
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
		out->flags = func->flags & ~(WM_FUNC_IDS | WM_FUNC_FOLLOWS);
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
	if (any && reader->sum)
		lose_followers(reader);
}

static void drop_lost(struct reader *reader, struct wm_profile_object *object)
{
	size_t kept = 0;
	for (uint64_t f = 0; f < reader->file.header.func_count; f++) {
		if (!reader->lost[f]) {
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
	uint64_t count = reader->file.header.func_count, cells_size = reader->file.header.cells_size;
	bool any_follows = false;
	for (uint64_t f = 0; f < count; f++)
		any_follows |= reader->file.func[f].flags & WM_FUNC_FOLLOWS;
	/* No cells that are read are larger than the file. */
	uint64_t most = cells_size < reader->file.size ? cells_size : reader->file.size;
	if (any_follows)
		reader->sum = calloc(most / 8 + 1, sizeof(*reader->sum));
	reader->ids = calloc(count + 1, sizeof(*reader->ids));
	reader->lost = calloc(count + 1, sizeof(*reader->lost));
	return reader->ids && reader->lost && (reader->sum || !any_follows);
}

/* Names come from outside and are printed. */
static void take_program(const struct wm_raw_header *header, struct wm_profile_object *object)
{
	const uint8_t *name = (const uint8_t *)&header->program0;
	for (size_t i = 0; i < WM_PROGRAM_SIZE && name[i]; i++)
		object->program[i] = wm_program_byte(name[i]) ? (char)name[i] : '?';
}

static bool note_doubtful_run(const struct wm_raw_header *header, struct wm_profile_object *object)
{
	struct wm_doubtful_run run = {.start_time = header->start_time, .pid = header->pid};
	for (size_t i = 0; i < object->function_count; i++)
		run.doubt |= object->function[i].doubt & WM_DOUBT_OF_RUN;
	return !run.doubt || wm_object_append_doubtful(object, &run);
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
	read_main_cells(reader, present);
	reader->chunks_cut = !wm_raw_file_chunks(&reader->file, add_chunk, reader);
	find_lost(reader, present);
	drop_lost(reader, object);
	object->runs = 1;
	take_program(&reader->file.header, object);
	bool sorted = !reader->no_memory && wm_object_sort(object) && wm_object_share_doubts(object) &&
		      note_doubtful_run(&reader->file.header, object);
	return sorted ? WM_PROFILE_OK : WM_PROFILE_NO_MEMORY;
}

static void describe_damage(const struct reader *reader, char *text, size_t size)
{
	unsigned long long least = wm_raw_file_least_size(&reader->file);
	if (reader->file.size < least)
		snprintf(text, size, "it is cut short at byte %zu of at least %llu", reader->file.size, least);
	else if (reader->chunks_cut)
		snprintf(text, size, "what follows its main counters is damaged or cut short");
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
	if (present == reader->file.header.cells_size && !reader->chunks_cut && !lost)
		return WM_PROFILE_OK;
	describe_damage(reader, damage, sizeof(damage));
	if (!lost)
		return wm_profile_say(WM_PROFILE_DAMAGED, error, "%s: no counts are lost", damage);
	if (lost == all)
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
	uint64_t present = cells_present(reader);
	uint32_t id_size = header->build_id_size < WM_BUILD_ID_MAX ? (uint32_t)header->build_id_size : WM_BUILD_ID_MAX;
	struct wm_profile_object *object =
		wm_profile_append_object(profile, (const uint8_t *)&header->build_id0, id_size);
	if (!object || collect_functions(reader, object, present) || !note_run_id(profile, header))
		return wm_profile_say(WM_PROFILE_NO_MEMORY, error, "there is no memory for its counts");
	profile->runs = 1;
	profile->kill_unsafe_runs = !(header->flags & (WM_RAW_KILL_SAFE | WM_RAW_SNAPSHOT));
	return verdict(reader, present, error);
}

static void reader_release(struct reader *reader)
{
	for (uint64_t i = 0; reader->ids && i < reader->file.header.func_count; i++)
		free(reader->ids[i].id);
	free(reader->ids);
	free(reader->sum);
	free(reader->lost);
	wm_raw_file_close(&reader->file);
}

static void identify_run(struct wm_raw_identity *identity, const struct wm_raw_header *header)
{
	*identity = (struct wm_raw_identity){.run_id_low = header->run_id_low,
		.run_id_high = header->run_id_high,
		.epoch = header->epoch,
		.snapshot = header->snapshot,
		.start_time = header->start_time,
		.pid = header->pid,
		.is_snapshot = header->flags & WM_RAW_SNAPSHOT};
}

enum wm_profile_status wm_raw_identify(
	struct wm_raw_identity *identity, const uint8_t *data, size_t size, struct wm_profile_error *error)
{
	struct wm_raw_file file;
	enum wm_profile_status status = wm_raw_file_open(&file, data, size, error);
	if (!status)
		identify_run(identity, &file.header);
	return status;
}

enum wm_profile_status wm_raw_read(struct wm_profile *profile, struct wm_raw_identity *identity, const uint8_t *data,
	size_t size, struct wm_profile_error *error)
{
	struct reader reader = {0};
	struct wm_profile result;
	wm_profile_init(&result);
	enum wm_profile_status status = wm_raw_file_open(&reader.file, data, size, error);
	if (!status)
		status = read_body(&reader, &result, error);
	if (status == WM_PROFILE_OK || status == WM_PROFILE_DAMAGED) {
		identify_run(identity, &reader.file.header);
		wm_profile_release(profile);
		*profile = result;
	} else {
		wm_profile_release(&result);
	}
	reader_release(&reader);
	return status;
}
