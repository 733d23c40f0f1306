/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profile/raw/raw_file.h"

#include "abi/pool.h"
#include "core/base/search.h"
#include "profile/base/scheme_name.h"
#include "profile/collect.h"
#include "profile/raw/raw_table.h"

#include <stdlib.h>

enum { PAGE = 4096, LEAST_HEADER = offsetof(struct wm_raw_header, program0) };

static uint64_t table_checksum(const struct wm_raw_file *file)
{
	uint64_t sum = WM_CHECKSUM_INIT;
	if (file->known_table)
		return file->table->sum;
	for (uint64_t i = 0; i < file->header.func_count; i++) {
		const uint8_t *func = (const uint8_t *)&file->func[i];
		for (size_t at = 0; at < offsetof(struct wm_raw_func, lost); at += 8) {
			uint64_t word = wm_raw_load(func + at);
			sum = wm_checksum(sum, &word, 1);
		}
	}
	return sum;
}

static uint64_t header_checksum(const struct wm_raw_file *file)
{
	uint64_t sum = file->table_sum;
	const uint8_t *header = (const uint8_t *)&file->header;
	size_t first = offsetof(struct wm_raw_header, func_offset), end = offsetof(struct wm_raw_header, epoch);
	for (size_t at = first; at < end; at += 8) {
		uint64_t word = wm_raw_load(header + at);
		sum = wm_checksum(sum, &word, 1);
	}
	return sum;
}

/* A program and what reads its counters are of one version: keys and cells have no other meaning. */
static enum wm_profile_status check_version(uint32_t version, struct wm_profile_error *error)
{
	if (!version)
		return wm_profile_say(WM_PROFILE_REFUSED, error, "its header makes no sense");
	if (version < WM_ABI_VERSION)
		return wm_profile_say(WM_PROFILE_REFUSED, error,
			"its program was built for version %u of raw profiles and this waymark reads version %d: build "
			"the program again with this waymark, and run it again",
			version, WM_ABI_VERSION);
	if (version > WM_ABI_VERSION)
		return wm_profile_say(WM_PROFILE_REFUSED, error,
			"its program was built for version %u of raw profiles and this waymark reads version %d: use "
			"the "
			"waymark that built the program",
			version, WM_ABI_VERSION);
	return WM_PROFILE_OK;
}

/* Magic and version stand first in every version; headers of other versions may be shorter. */
static enum wm_profile_status read_header(struct wm_raw_file *file, struct wm_profile_error *error)
{
	struct wm_raw_header *header = &file->header;
	size_t opening = offsetof(struct wm_raw_header, checksum);
	if (file->size < sizeof(header->magic) || wm_raw_load(file->data) != WM_RAW_MAGIC)
		return wm_profile_say(WM_PROFILE_REFUSED, error, file->size ? "it is no raw profile" : "it is empty");
	if (file->size >= opening) {
		memcpy(header, file->data, opening);
		enum wm_profile_status status = check_version(header->version, error);
		if (status)
			return status;
	}
	if (file->size < LEAST_HEADER)
		return wm_profile_say(
			WM_PROFILE_REFUSED, error, "it is cut short inside its header, at byte %zu", file->size);
	memcpy(header, file->data, LEAST_HEADER);
	if (header->version != WM_ABI_VERSION || header->header_size < LEAST_HEADER)
		return wm_profile_say(WM_PROFILE_REFUSED, error, "its header makes no sense");
	size_t size = header->header_size < sizeof(*header) ? header->header_size : sizeof(*header);
	if (file->size >= size)
		memcpy(header, file->data, size);
	return WM_PROFILE_OK;
}

static enum wm_profile_status read_functions(struct wm_raw_file *file, struct wm_profile_error *error)
{
	const struct wm_raw_header *header = &file->header;
	uint64_t bytes;
	if (__builtin_mul_overflow(header->func_count, sizeof(*file->func), &bytes) ||
		header->func_offset > file->size || bytes > file->size - header->func_offset)
		return wm_profile_say(
			WM_PROFILE_REFUSED, error, "it is cut short before its counters, at byte %zu", file->size);
	file->func = malloc(bytes + 1);
	if (!file->func)
		return wm_profile_say(WM_PROFILE_NO_MEMORY, error, "there is no memory for %llu functions",
			(unsigned long long)header->func_count);
	memcpy(file->func, file->data + header->func_offset, bytes);
	file->known_table = file->table && wm_raw_table_is(file->table, header, file->func);
	file->table_sum = table_checksum(file);
	if (header_checksum(file) != header->checksum)
		return wm_profile_say(
			WM_PROFILE_REFUSED, error, "its header or function table is damaged (checksum mismatch)");
	return WM_PROFILE_OK;
}

static bool layout_makes_sense(const struct wm_raw_header *header)
{
	uint64_t cells_end;
	return header->cells_size % 8 == 0 &&
	       !__builtin_add_overflow(header->cells_offset, header->cells_size, &cells_end) &&
	       cells_end <= header->chunks_offset;
}

static bool function_makes_sense(const struct wm_raw_header *header, const struct wm_raw_func *func)
{
	uint64_t bytes = func->cell_count * UINT64_C(8);
	uint32_t prefix = wm_prefix_cells(func->flags);
	bool cells_fit = func->cells_offset % 8 == 0 && bytes <= header->cells_size &&
			 func->cells_offset <= header->cells_size - bytes;
	bool hash = func->flags & WM_FUNC_HASH, ids = func->flags & WM_FUNC_IDS;
	if (func->flags & WM_FUNC_BRANCHES)
		return false;
	if (func->flags & WM_FUNC_FOLLOWS && (prefix || hash || func->flags & WM_FUNC_UNIT))
		return false;
	/* A residual build that knows no tested path of a function gives each path a cell. */
	bool has_store = !hash || ids || func->flags & WM_FUNC_RESIDUAL;
	bool store_fits = has_store ? func->cell_count >= prefix : func->cell_count == prefix;
	if (!hash && func->flags & (WM_FUNC_IDS | WM_FUNC_RESIDUAL))
		return false;
	return cells_fit && store_fits;
}

struct span {
	uint64_t offset;
	uint64_t func;
};

static int compare_spans(const void *a, const void *b)
{
	const struct span *x = a, *y = b;
	return x->offset != y->offset ? (x->offset > y->offset) - (x->offset < y->offset)
				      : (x->func > y->func) - (x->func < y->func);
}

/* Names of schemes are compared when the records are summed: one may be of an object that names none. */
static bool same_function(const struct wm_raw_func *a, const struct wm_raw_func *b)
{
	return a->key == b->key && a->graph_hash == b->graph_hash &&
	       !((a->flags ^ b->flags) & WM_FUNC_KNOWN & ~WM_FUNC_IGNORED) && a->cell_count == b->cell_count;
}

/* Several records of one function over the same cells (the linker folded the
 * cells, not the records) count once.  Any other overlap is refused: it would
 * count a cell twice, and make reading quadratic. */
static bool spans_disjoint(struct wm_raw_file *file, struct span *span, size_t count)
{
	size_t owner = 0;
	qsort(span, count, sizeof(*span), compare_spans);
	if (count)
		file->order[file->order_count++] = span[0].func;
	for (size_t i = 1; i < count; i++) {
		const struct wm_raw_func *last = &file->func[span[owner].func], *next = &file->func[span[i].func];
		if (next->cells_offset >= last->cells_offset + last->cell_count * UINT64_C(8))
			file->order[file->order_count++] = span[owner = i].func;
		else if (next->cells_offset == last->cells_offset && same_function(last, next))
			file->owner[span[i].func] = span[owner].func;
		else
			return false;
	}
	return true;
}

static enum wm_profile_status check_schemes(const struct wm_raw_file *file, struct wm_profile_error *error)
{
	for (uint64_t i = 0; i < file->header.func_count; i++)
		if (!wm_scheme_name_is_valid(WM_FUNC_SCHEME(file->func[i].flags)))
			return wm_profile_say_scheme(error, WM_FUNC_SCHEME(file->func[i].flags));
	return WM_PROFILE_OK;
}

static enum wm_profile_status check_layout(struct wm_raw_file *file, struct wm_profile_error *error)
{
	const struct wm_raw_header *header = &file->header;
	bool sane = layout_makes_sense(header);
	size_t count = 0;
	struct span *span = malloc((header->func_count + 1) * sizeof(*span));
	file->owner = calloc(header->func_count + 1, sizeof(*file->owner));
	file->order = calloc(header->func_count + 1, sizeof(*file->order));
	if (!span || !file->owner || !file->order) {
		free(span);
		return wm_profile_say(WM_PROFILE_NO_MEMORY, error, "there is no memory for its function table");
	}
	for (uint64_t i = 0; sane && i < header->func_count; i++) {
		file->owner[i] = i;
		sane = function_makes_sense(header, &file->func[i]);
		if (file->func[i].cell_count && !(file->func[i].flags & WM_FUNC_FOLLOWS))
			span[count++] = (struct span){file->func[i].cells_offset, i};
	}
	sane = sane && spans_disjoint(file, span, count);
	free(span);
	if (!sane)
		return wm_profile_say(WM_PROFILE_REFUSED, error, "its function table makes no sense");
	return check_schemes(file, error);
}

/* A table that is known was checked with the file before; what was found there is moved, and given back at the end. */
static enum wm_profile_status take_layout(struct wm_raw_file *file)
{
	file->owner = file->table->owner;
	file->order = file->table->order;
	file->order_count = file->table->order_count;
	file->table->owner = file->table->order = NULL;
	return WM_PROFILE_OK;
}

static bool is_known(uint64_t kind)
{
#define IS_KIND(name, value) kind == (value) ||
	return WM_CHUNK_KINDS(IS_KIND) false;
#undef IS_KIND
}

/* A kind that differs from a known one in the bit WM_CHUNK_OPTIONAL, or from STREAM in any bit, is that of a damaged chunk: a stream
 * whose last chunk is skipped would look whole. */
static bool is_unknown(uint64_t kind)
{
	return !is_known(kind) && !is_known(kind ^ WM_CHUNK_OPTIONAL) &&
	       __builtin_popcountll(kind ^ WM_CHUNK_STREAM) > 1;
}

uint64_t wm_raw_file_data(const struct wm_raw_file *file, uint64_t offset)
{
	size_t i;
	if (!file->extent)
		return offset;
	WM_LOWER_BOUND(i, 0, file->extent_count, file->extent[i].end <= offset);
	if (i == file->extent_count)
		return file->size;
	return file->extent[i].begin > offset ? file->extent[i].begin : offset;
}

uint64_t wm_raw_file_hole(const struct wm_raw_file *file, uint64_t offset)
{
	size_t i;
	if (!file->extent)
		return file->size;
	WM_LOWER_BOUND(i, 0, file->extent_count, file->extent[i].end <= offset);
	return i < file->extent_count ? file->extent[i].end : file->size;
}

/* Whole pages, as far as there are some: what was cleared after it had been replaced is a hole. */
static uint64_t zeros_from(const struct wm_raw_file *file, uint64_t offset)
{
	uint64_t left = file->size - offset, data = wm_raw_file_data(file, offset);
	uint64_t pages = (data - offset) / PAGE * PAGE;
	pages = pages ? pages : PAGE;
	return left < pages ? left : pages;
}

/* A page of zeros is a chunk that was being made when the program died: nothing had been
 * counted there, and chunk->magic is 0.  False: there is no chunk, or none that makes sense. */
static bool next_chunk(const struct wm_raw_file *file, uint64_t *offset, struct wm_raw_chunk *chunk)
{
	uint64_t left = file->size - *offset;
	if (left < sizeof(*chunk))
		return false;
	*chunk = (struct wm_raw_chunk){0};
	if (wm_raw_file_data(file, *offset) < *offset + sizeof(*chunk))
		memcpy(chunk, file->data + *offset, sizeof(*chunk));
	if (!chunk->magic) {
		*offset += zeros_from(file, *offset);
		return true;
	}
	if (chunk->magic != WM_CHUNK_MAGIC || chunk->size < sizeof(*chunk) || chunk->size % PAGE || chunk->size > left)
		return false;
	*offset += chunk->size;
	return true;
}

uint64_t wm_raw_file_least_size(const struct wm_raw_file *file)
{
	const struct wm_raw_header *header = &file->header;
	return header->file_size > header->chunks_offset ? header->file_size : header->chunks_offset;
}

/* A damaged chunk of a pool costs its runs.  If the damage is in its header, the next one is on one of the next pages. */
static bool pool_chunks(const struct wm_raw_file *file, wm_raw_visit *visit, void *closure)
{
	bool whole = file->size >= wm_raw_file_least_size(file);
	for (uint64_t offset = file->header.chunks_offset, next; offset < file->size; offset = next) {
		struct wm_raw_chunk chunk;
		next = offset;
		if (!next_chunk(file, &next, &chunk) || (chunk.kind != WM_CHUNK_IDS && !wm_runs_sealed(&chunk))) {
			next = offset + PAGE;
			whole = false;
			continue;
		}
		whole &= visit(closure, file->data + offset, &chunk);
	}
	return whole;
}

bool wm_raw_file_chunks(const struct wm_raw_file *file, wm_raw_visit *visit, void *closure)
{
	if (file->header.flags & WM_RAW_POOL)
		return pool_chunks(file, visit, closure);
	uint64_t offset = file->header.chunks_offset;
	bool whole = file->size >= wm_raw_file_least_size(file);
	while (whole && offset < file->size) {
		struct wm_raw_chunk chunk;
		const uint8_t *at = file->data + offset;
		whole = next_chunk(file, &offset, &chunk);
		if (!whole || !chunk.magic)
			continue;
		whole = is_known(chunk.kind) ? visit(closure, at, &chunk)
					     : is_unknown(chunk.kind) && chunk.kind & WM_CHUNK_OPTIONAL;
	}
	return whole;
}

static enum wm_profile_status check_kinds(const struct wm_raw_file *file, struct wm_profile_error *error)
{
	struct wm_raw_chunk chunk;
	uint64_t offset = file->header.chunks_offset;
	while (offset < file->size && next_chunk(file, &offset, &chunk))
		if (chunk.magic && is_unknown(chunk.kind) && !(chunk.kind & WM_CHUNK_OPTIONAL))
			return wm_profile_say(WM_PROFILE_REFUSED, error,
				"it has a chunk of kind %llu, which this waymark does not know: use the waymark that "
				"built the program",
				(unsigned long long)chunk.kind);
	return WM_PROFILE_OK;
}

enum wm_profile_status wm_raw_file_open(
	struct wm_raw_file *file, const uint8_t *data, size_t size, struct wm_profile_error *error)
{
	*file = (struct wm_raw_file){.data = data, .size = size};
	enum wm_profile_status status = read_header(file, error);
	/* Behind the end of a pool is what a process had begun to add. */
	if (!status && file->header.flags & WM_RAW_POOL && file->header.file_size < file->size)
		file->size = file->header.file_size;
	return status;
}

enum wm_profile_status wm_raw_file_load(struct wm_raw_file *file, struct wm_profile_error *error)
{
	enum wm_profile_status status = read_functions(file, error);
	if (!status)
		status = file->known_table ? take_layout(file) : check_layout(file, error);
	file->checked = !status;
	return status || file->header.flags & WM_RAW_POOL ? status : check_kinds(file, error);
}

/* The next file may have the same table. */
static void keep_table(struct wm_raw_file *file)
{
	struct wm_raw_table *table = file->table;
	wm_raw_table_clear(table);
	table->header = file->header;
	table->func = file->func;
	table->owner = file->owner;
	table->order = file->order;
	table->order_count = file->order_count;
	table->sum = file->table_sum;
	table->number += !file->known_table;
	file->func = NULL;
	file->owner = file->order = NULL;
}

void wm_raw_file_close(struct wm_raw_file *file)
{
	if (file->table && file->checked)
		keep_table(file);
	free(file->func);
	free(file->owner);
	free(file->order);
	*file = (struct wm_raw_file){0};
}

void wm_raw_file_identify(struct wm_raw_identity *identity, const struct wm_raw_file *file)
{
	const struct wm_raw_header *header = &file->header;
	*identity = (struct wm_raw_identity){.run_id_low = header->run_id_low,
		.run_id_high = header->run_id_high,
		.epoch = header->epoch,
		.snapshot = header->snapshot,
		.start_time = header->start_time,
		.pid = header->pid,
		.is_snapshot = header->flags & WM_RAW_SNAPSHOT,
		.is_pool = header->flags & WM_RAW_POOL};
}

enum wm_profile_status wm_raw_identify(
	struct wm_raw_identity *identity, const uint8_t *data, size_t size, struct wm_profile_error *error)
{
	struct wm_raw_file file;
	enum wm_profile_status status = wm_raw_file_open(&file, data, size, error);
	if (!status)
		wm_raw_file_identify(identity, &file);
	return status;
}

/* Names come from outside and are printed. */
void wm_raw_file_program(char program[WM_PROGRAM_MAX], const struct wm_raw_file *file)
{
	const uint8_t *name = (const uint8_t *)&file->header.program0;
	for (size_t i = 0; i < WM_PROGRAM_SIZE && name[i]; i++)
		program[i] = wm_program_byte(name[i]) ? (char)name[i] : '?';
}
