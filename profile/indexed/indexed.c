/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The indexed profile (.wmprof).  A function that never ran, and about which there is no doubt, is not stored,
 * because the map lists it.  Residual functions are always stored, to distinguish "no untested path" from "not
 * known".
 */
#define XXH_INLINE_ALL
#include "profile/indexed/indexed_layout.h"

#include "abi/abi.h"
#include "profile/base/bytes.h"
#include "profile/base/scheme_name.h"
#include "profile/base/unfinished_paths.h"
#include "profile/branch_paths.h"
#include "profile/collect.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include <zstd.h>

enum { COMPRESSION_LEVEL = 6, LEAST_FUNCTION = 12, LEAST_PATH = 2, LEAST_DOUBTFUL = 3, LEAST_RUN_ID = 19 };

static uint64_t checksum(const uint8_t *data, size_t size)
{
	XXH3_state_t state;
	XXH3_64bits_reset(&state);
	XXH3_64bits_update(&state, data, WM_INDEXED_CHECKSUM_OFFSET);
	XXH3_64bits_update(&state, data + WM_INDEXED_HEADER_SIZE, size - WM_INDEXED_HEADER_SIZE);
	return XXH3_64bits_digest(&state);
}

/* Writing. */

static bool has_base_paths(const struct wm_profile_function *f)
{
	for (size_t i = 0; i < f->path_count; i++)
		if (f->path[i].base)
			return true;
	return false;
}

static bool has_times(const struct wm_profile_function *f)
{
	for (size_t i = 0; i < f->path_count; i++)
		if (f->path[i].first_seen)
			return true;
	return false;
}

static void put_scalars(struct wm_bytes *out, const struct wm_profile_function *f)
{
	const uint64_t number[] = {f->doubt, f->entries, f->resumed, f->base_entries, f->base_resumed, f->lost};
	uint64_t present = (has_base_paths(f) ? WM_INDEXED_BASE_PATHS : 0) | (has_times(f) ? WM_INDEXED_TIMES : 0) |
			   (f->unfinished_count ? WM_INDEXED_UNFINISHED : 0);
	for (size_t i = 0; i < sizeof(number) / sizeof(*number); i++)
		present |= (uint64_t)(number[i] != 0) << i;
	wm_bytes_put_uleb(out, present);
	for (size_t i = 0; i < sizeof(number) / sizeof(*number); i++)
		if (number[i])
			wm_bytes_put_uleb(out, number[i]);
}

/* Ids, counts and bases each in a run of their own: they compress better apart. */
static void put_paths(struct wm_bytes *out, const struct wm_profile_function *f)
{
	uint64_t next = 0;
	wm_bytes_put_uleb(out, f->path_count);
	for (size_t i = 0; i < f->path_count; i++) {
		wm_bytes_put_uleb(out, f->path[i].id - next);
		next = f->path[i].id + 1;
	}
	for (size_t i = 0; i < f->path_count; i++)
		wm_bytes_put_uleb(out, f->path[i].count);
	bool base = has_base_paths(f), times = has_times(f);
	for (size_t i = 0; base && i < f->path_count; i++)
		wm_bytes_put_uleb(out, f->path[i].base);
	for (size_t i = 0; times && i < f->path_count; i++) {
		wm_bytes_put_uleb(out, f->path[i].first_seen);
		if (f->path[i].first_seen)
			wm_bytes_put_uleb(out, f->path[i].pid);
	}
}

static void put_function(
	struct wm_bytes *out, const struct wm_profile_function *f, uint64_t *last_key, uint32_t version)
{
	wm_bytes_put_uleb(out, f->key - *last_key);
	*last_key = f->key;
	wm_bytes_put_u64(out, f->graph_hash);
	if (version >= 5)
		wm_bytes_put_u64(out, f->source);
	wm_bytes_put_uleb(out, f->flags | f->scheme << WM_FUNC_SCHEME_SHIFT);
	put_scalars(out, f);
	put_paths(out, f);
	if (f->unfinished_count)
		wm_unfinished_put(out, f);
}

static void put_facts(struct wm_bytes *out, const struct wm_profile_object *object)
{
	wm_bytes_put_uleb(out, strlen(object->program));
	wm_bytes_put(out, object->program, strlen(object->program));
	wm_bytes_put_uleb(out, object->runs);
	wm_bytes_put_uleb(out, object->doubtful_count);
	for (size_t i = 0; i < object->doubtful_count; i++) {
		wm_bytes_put_uleb(out, object->doubtful[i].start_time);
		wm_bytes_put_uleb(out, object->doubtful[i].pid);
		wm_bytes_put_uleb(out, object->doubtful[i].doubt);
	}
}

static void put_object(struct wm_bytes *out, const struct wm_profile_object *object, uint32_t version)
{
	uint64_t count = 0, last_key = 0;
	wm_bytes_put_uleb(out, object->build_id_size);
	wm_bytes_put(out, object->build_id, object->build_id_size);
	if (version >= 3)
		put_facts(out, object);
	for (size_t i = 0; i < object->function_count; i++)
		count += wm_function_is_worth_storing(&object->function[i]);
	wm_bytes_put_uleb(out, count);
	for (size_t i = 0; i < object->function_count; i++)
		if (wm_function_is_worth_storing(&object->function[i]))
			put_function(out, &object->function[i], &last_key, version);
	if (version >= 6)
		wm_branch_paths_put(out, object);
}

static void put_section_header(struct wm_bytes *out, uint32_t kind, uint32_t flags, uint64_t stored, uint64_t payload)
{
	wm_bytes_put_u32(out, kind);
	wm_bytes_put_u32(out, flags);
	wm_bytes_put_u64(out, stored);
	wm_bytes_put_u64(out, payload);
}

/* The reader grants the free payload once per file; the ratio alone is kept here,
 * but for sections too small to matter. */
static bool worth_compressing(uint64_t stored, uint64_t payload, uint64_t *free_payload)
{
	uint64_t over = payload > stored * WM_INDEXED_MAX_RATIO ? payload - stored * WM_INDEXED_MAX_RATIO : 0;
	if (stored >= payload || over > *free_payload)
		return false;
	*free_payload -= over;
	return true;
}

static void put_section(struct wm_bytes *out, uint32_t kind, struct wm_bytes *payload, uint64_t *free_payload)
{
	size_t bound = ZSTD_compressBound(payload->size);
	uint8_t *packed = payload->failed ? NULL : malloc(bound);
	if (packed) {
		size_t size = ZSTD_compress(packed, bound, payload->data, payload->size, COMPRESSION_LEVEL);
		bool compressed = !ZSTD_isError(size) && worth_compressing(size, payload->size, free_payload);
		put_section_header(out, kind, compressed ? WM_SECTION_COMPRESSED : 0, compressed ? size : payload->size,
			payload->size);
		wm_bytes_put(out, compressed ? packed : payload->data, compressed ? size : payload->size);
	} else {
		out->failed = true;
	}
	free(packed);
	wm_bytes_release(payload);
}

static void put_run_ids(struct wm_bytes *out, const struct wm_profile *profile)
{
	wm_bytes_put_uleb(out, profile->run_id_count);
	for (size_t i = 0; i < profile->run_id_count; i++) {
		wm_bytes_put_u64(out, profile->run_id[i].high);
		wm_bytes_put_u64(out, profile->run_id[i].low);
		wm_bytes_put_uleb(out, profile->run_id[i].epoch);
		wm_bytes_put_uleb(out, profile->run_id[i].part);
		wm_bytes_put_uleb(out, profile->run_id[i].start_time);
	}
}

static void put_sections(struct wm_bytes *out, const struct wm_profile *profile, uint32_t version)
{
	struct wm_bytes payload;
	uint64_t free_payload = WM_INDEXED_FREE_PAYLOAD;
	wm_bytes_init(&payload);
	wm_bytes_put_uleb(&payload, profile->runs);
	wm_bytes_put_uleb(&payload, profile->kill_unsafe_runs);
	if (version >= 3)
		wm_bytes_put_uleb(&payload, profile->any_program ? WM_INDEXED_ANY_PROGRAM : 0);
	if (version >= 7)
		put_run_ids(&payload, profile);
	put_section(out, WM_SECTION_SUMMARY, &payload, &free_payload);
	for (size_t i = 0; i < profile->object_count && !out->failed; i++) {
		put_object(&payload, &profile->object[i], version);
		put_section(out, WM_SECTION_OBJECT, &payload, &free_payload);
	}
}

/* Flags that readers of a version refuse.  Before version 4 they took any flag for one of a function. */
static uint32_t refused_flags(uint32_t version)
{
	uint32_t later = ~WM_FUNC_KNOWN | (version < 7 ? WM_FUNC_OPTIMISED | WM_FUNC_PARTIAL : 0);
	if (version >= 6)
		return WM_FUNC_IDS | WM_FUNC_BRANCHES | later;
	if (version >= 4)
		return WM_FUNC_IDS | later;
	return WM_FUNC_IDS | WM_FUNC_BRANCHES | WM_FUNC_UNIT | later | (version < 2 ? WM_FUNC_RESIDUAL : 0);
}

uint32_t wm_indexed_refused_flags(void)
{
	return refused_flags(WM_INDEXED_VERSION);
}

/* The oldest version whose readers take the record for what it is. */
static uint32_t version_for_function(const struct wm_profile_function *f)
{
	uint32_t version = !wm_function_is_worth_storing(f) ? 1
			   : f->unfinished_count	    ? 9
			   : f->scheme			    ? 8
			   : f->source			    ? 5
							    : 1;
	while (version < WM_INDEXED_VERSION && f->flags & ~WM_FUNC_IDS & refused_flags(version))
		version++;
	return version;
}

static uint32_t version_for_object(const struct wm_profile_object *object)
{
	uint32_t version = object->branch_count						? 6
			   : *object->program || object->runs || object->doubtful_count ? 3
											: 1;
	for (size_t i = 0; i < object->function_count; i++) {
		const struct wm_profile_function *b = &object->function[i], *a = i ? b - 1 : NULL;
		bool apart = a && a->key == b->key && a->graph_hash == b->graph_hash && a->flags == b->flags;
		uint32_t wanted = version_for_function(b);
		wanted = apart && wanted < 3 ? 3 : wanted;
		version = version < wanted ? wanted : version;
	}
	return version;
}

static uint32_t version_for(const struct wm_profile *profile)
{
	uint32_t version = profile->run_id_count ? 7 : profile->any_program ? 3 : 1;
	for (size_t i = 0; i < profile->object_count; i++) {
		uint32_t wanted = version_for_object(&profile->object[i]);
		version = version < wanted ? wanted : version;
	}
	return version;
}

enum wm_profile_status wm_indexed_write(const struct wm_profile *profile, uint8_t **data, size_t *size)
{
	struct wm_bytes out;
	wm_bytes_init(&out);
	wm_bytes_put_u64(&out, WM_INDEXED_MAGIC);
	uint32_t version = version_for(profile);
	wm_bytes_put_u32(&out, version);
	wm_bytes_put_u32(&out, (uint32_t)profile->object_count + 1);
	wm_bytes_put_u64(&out, 0);
	put_sections(&out, profile, version);
	if (out.failed) {
		wm_bytes_release(&out);
		return WM_PROFILE_NO_MEMORY;
	}
	uint64_t sum = checksum(out.data, out.size);
	for (size_t i = 0; i < 8; i++)
		out.data[WM_INDEXED_CHECKSUM_OFFSET + i] = (uint8_t)(sum >> 8 * i);
	*data = out.data;
	*size = out.size;
	return WM_PROFILE_OK;
}

/* Reading.  A true checksum proves no intent: everything is checked again. */

struct reader {
	struct wm_cursor in; /* of the section's payload */
	struct wm_profile *profile;
	uint64_t budget;
	uint32_t version;
	bool runs_only; /* objects are passed over */
	uint32_t unknown_scheme; /* a name that no scheme has; 0: none was read */
	bool no_memory;
};

/* The word that says what is present. */
static uint64_t get_scalars(struct reader *reader, struct wm_profile_function *f)
{
	struct wm_cursor *in = &reader->in;
	uint64_t number[6] = {0};
	unsigned bits = reader->version < 2   ? WM_INDEXED_PRESENT_BITS_1
			: reader->version < 9 ? WM_INDEXED_PRESENT_BITS_2
					      : WM_INDEXED_PRESENT_BITS;
	uint64_t present = wm_cursor_bounded(in, (1u << bits) - 1);
	for (size_t i = 0; i < 6; i++) {
		number[i] = present >> i & 1 ? wm_cursor_uleb(in) : 0;
		if (present >> i & 1 && !number[i])
			wm_cursor_fail(in);
	}
	if (number[0] > UINT32_MAX)
		wm_cursor_fail(in);
	f->doubt = (uint32_t)number[0];
	f->entries = number[1];
	f->resumed = number[2];
	f->base_entries = number[3];
	f->base_resumed = number[4];
	f->lost = number[5];
	return present;
}

static void get_ids(struct wm_cursor *in, struct wm_profile_function *f)
{
	uint64_t next = 0;
	bool wrapped = false;
	for (size_t i = 0; i < f->path_count; i++) {
		uint64_t id;
		if (wrapped || __builtin_add_overflow(next, wm_cursor_uleb(in), &id)) {
			wm_cursor_fail(in);
			return;
		}
		f->path[i].id = id;
		next = id + 1;
		wrapped = !next;
	}
}

static void get_paths(struct reader *reader, struct wm_profile_function *f, uint64_t present)
{
	struct wm_cursor *in = &reader->in;
	size_t count = wm_cursor_count(in, LEAST_PATH);
	f->path = calloc(count ? count : 1, sizeof(*f->path));
	if (!f->path) {
		reader->no_memory = true;
		wm_cursor_fail(in);
		return;
	}
	f->path_count = f->path_capacity = count;
	get_ids(in, f);
	for (size_t i = 0; i < count; i++)
		f->path[i].count = wm_cursor_uleb(in);
	for (size_t i = 0; present & WM_INDEXED_BASE_PATHS && i < count; i++)
		f->path[i].base = wm_cursor_uleb(in);
	for (size_t i = 0; present & WM_INDEXED_TIMES && i < count; i++) {
		f->path[i].first_seen = wm_cursor_uleb(in);
		f->path[i].pid = f->path[i].first_seen ? wm_cursor_uleb(in) : 0;
	}
	for (size_t i = 0; i < count; i++)
		if (!f->path[i].count && !f->path[i].base)
			wm_cursor_fail(in);
}

/* With the name of the scheme, from version 8 on. */
static void get_flags(struct reader *reader, struct wm_profile_function *f)
{
	uint32_t flags = (uint32_t)wm_cursor_bounded(&reader->in, UINT32_MAX);
	if (reader->version >= 8) {
		f->scheme = WM_FUNC_SCHEME(flags);
		flags &= WM_FUNC_KNOWN;
	}
	f->flags = flags;
	if (!wm_scheme_name_is_valid(f->scheme))
		reader->unknown_scheme = f->scheme;
	if (flags & refused_flags(reader->version) || reader->unknown_scheme)
		wm_cursor_fail(&reader->in);
}

static void get_function(struct reader *reader, struct wm_profile_function *f, uint64_t *last_key)
{
	if (__builtin_add_overflow(*last_key, wm_cursor_uleb(&reader->in), &f->key))
		wm_cursor_fail(&reader->in);
	*last_key = f->key;
	f->graph_hash = wm_cursor_u64(&reader->in);
	f->source = reader->version >= 5 ? wm_cursor_u64(&reader->in) : 0;
	get_flags(reader, f);
	uint64_t present = get_scalars(reader, f);
	if (present & WM_INDEXED_TIMES && !(f->flags & WM_FUNC_RESIDUAL))
		wm_cursor_fail(&reader->in);
	get_paths(reader, f, present);
	if (present & WM_INDEXED_UNFINISHED && !wm_unfinished_get(&reader->in, f))
		reader->no_memory = true;
}

static void get_functions(struct reader *reader, struct wm_profile_object *object)
{
	uint64_t last_key = 0;
	size_t count = wm_cursor_count(&reader->in, LEAST_FUNCTION);
	object->function = calloc(count ? count : 1, sizeof(*object->function));
	if (!object->function) {
		reader->no_memory = true;
		wm_cursor_fail(&reader->in);
		return;
	}
	object->function_capacity = count ? count : 1;
	for (size_t i = 0; i < count && !reader->in.failed; i++) {
		object->function_count++;
		get_function(reader, &object->function[i], &last_key);
		if (i && wm_function_compare(&object->function[i - 1], &object->function[i]) >= 0)
			wm_cursor_fail(&reader->in);
	}
}

static void get_doubtful(struct reader *reader, struct wm_profile_object *object)
{
	size_t count = wm_cursor_count(&reader->in, LEAST_DOUBTFUL);
	for (size_t i = 0; i < count && !reader->in.failed; i++) {
		struct wm_doubtful_run run;
		run.start_time = wm_cursor_uleb(&reader->in);
		run.pid = wm_cursor_uleb(&reader->in);
		run.doubt = (uint32_t)wm_cursor_bounded(&reader->in, WM_DOUBT_OF_RUN);
		const struct wm_doubtful_run *last = i ? &object->doubtful[i - 1] : &run;
		if (!run.doubt || run.doubt & ~(uint32_t)WM_DOUBT_OF_RUN || wm_doubtful_run_compare(last, &run) > 0) {
			wm_cursor_fail(&reader->in);
		} else if (!wm_object_append_doubtful(object, &run)) {
			reader->no_memory = true;
			wm_cursor_fail(&reader->in);
		}
	}
}

static void get_facts(struct reader *reader, struct wm_profile_object *object)
{
	size_t length = (size_t)wm_cursor_bounded(&reader->in, WM_PROGRAM_MAX - 1);
	const uint8_t *program = wm_cursor_take(&reader->in, length);
	for (size_t i = 0; program && i < length; i++) {
		object->program[i] = (char)program[i];
		if (!wm_program_byte(program[i]))
			wm_cursor_fail(&reader->in);
	}
	object->runs = wm_cursor_uleb(&reader->in);
	get_doubtful(reader, object);
}

static void get_object(struct reader *reader)
{
	uint32_t id_size = (uint32_t)wm_cursor_bounded(&reader->in, WM_BUILD_ID_MAX);
	const uint8_t *build_id = wm_cursor_take(&reader->in, id_size);
	if (!build_id)
		return;
	struct wm_profile_object *object = wm_profile_append_object(reader->profile, build_id, id_size);
	if (!object) {
		reader->no_memory = true;
		wm_cursor_fail(&reader->in);
		return;
	}
	if (reader->version >= 3)
		get_facts(reader, object);
	if (reader->profile->object_count > 1 && wm_object_compare(object - 1, object) >= 0)
		wm_cursor_fail(&reader->in);
	get_functions(reader, object);
	if (!(reader->version >= 6 ? wm_branch_paths_get : wm_branch_paths_from_functions)(&reader->in, object)) {
		reader->no_memory = true;
		wm_cursor_fail(&reader->in);
	}
}

static void get_run_ids(struct reader *reader)
{
	struct wm_cursor *in = &reader->in;
	size_t count = wm_cursor_count(in, LEAST_RUN_ID);
	for (size_t i = 0; i < count && !in->failed; i++) {
		struct wm_run_id id;
		id.high = wm_cursor_u64(in);
		id.low = wm_cursor_u64(in);
		id.epoch = wm_cursor_uleb(in);
		id.part = wm_cursor_uleb(in);
		id.start_time = wm_cursor_uleb(in);
		size_t known = reader->profile->run_id_count;
		const struct wm_run_id *last = known ? &reader->profile->run_id[known - 1] : NULL;
		if (!(id.high | id.low) || (last && wm_run_id_compare(last, &id) >= 0)) {
			wm_cursor_fail(in);
		} else if (!wm_profile_append_run_id(reader->profile, &id)) {
			reader->no_memory = true;
			wm_cursor_fail(in);
		}
	}
}

static bool get_payload(struct reader *reader, uint32_t kind, const uint8_t *data, size_t size)
{
	wm_cursor_init(&reader->in, data, size);
	if (kind == WM_SECTION_SUMMARY) {
		reader->profile->runs = wm_cursor_uleb(&reader->in);
		reader->profile->kill_unsafe_runs = wm_cursor_uleb(&reader->in);
		if (reader->version >= 3)
			reader->profile->any_program = wm_cursor_bounded(&reader->in, WM_INDEXED_ANY_PROGRAM);
		if (reader->version >= 7)
			get_run_ids(reader);
	} else {
		get_object(reader);
	}
	return !reader->in.failed && !wm_cursor_left(&reader->in);
}

static bool get_compressed(struct reader *reader, uint32_t kind, const uint8_t *data, size_t stored, size_t size)
{
	uint8_t *payload = malloc(size + 1);
	if (!payload) {
		reader->no_memory = true;
		return false;
	}
	bool ok = ZSTD_decompress(payload, size, data, stored) == size && get_payload(reader, kind, payload, size);
	free(payload);
	return ok;
}

static bool get_section(struct reader *reader, struct wm_cursor *file)
{
	uint32_t kind = wm_cursor_u32(file), flags = wm_cursor_u32(file);
	uint64_t stored = wm_cursor_u64(file), size = wm_cursor_u64(file);
	const uint8_t *data = wm_cursor_take(file, stored);
	if (!data || (kind != WM_SECTION_SUMMARY && kind != WM_SECTION_OBJECT) || flags & ~WM_SECTION_COMPRESSED)
		return false;
	if (kind == WM_SECTION_OBJECT && reader->runs_only)
		return true;
	if (!(flags & WM_SECTION_COMPRESSED))
		return size == stored && get_payload(reader, kind, data, size);
	if (size > reader->budget)
		return false;
	reader->budget -= size;
	return get_compressed(reader, kind, data, stored, size);
}

static enum wm_profile_status get_sections(
	struct reader *reader, struct wm_cursor *file, uint32_t count, struct wm_profile_error *error)
{
	for (uint32_t i = 0; i < count; i++) {
		if (get_section(reader, file))
			continue;
		if (reader->no_memory)
			return wm_profile_say(WM_PROFILE_NO_MEMORY, error, "there is no memory for its counts");
		if (reader->unknown_scheme)
			return wm_profile_say_scheme(error, reader->unknown_scheme);
		return wm_profile_say(WM_PROFILE_REFUSED, error, "its section %u makes no sense", i);
	}
	if (wm_cursor_left(file))
		return wm_profile_say(WM_PROFILE_REFUSED, error, "bytes remain after its last section");
	return WM_PROFILE_OK;
}

struct header {
	uint32_t version, sections;
};

static enum wm_profile_status check_header(
	struct wm_cursor *file, const uint8_t *data, size_t size, struct header *header, struct wm_profile_error *error)
{
	if (size < 8 || wm_cursor_u64(file) != WM_INDEXED_MAGIC)
		return wm_profile_say(WM_PROFILE_REFUSED, error, size ? "it is no indexed profile" : "it is empty");
	if (size < WM_INDEXED_HEADER_SIZE)
		return wm_profile_say(
			WM_PROFILE_REFUSED, error, "it is cut short inside its header, at byte %zu", size);
	header->version = wm_cursor_u32(file);
	header->sections = wm_cursor_u32(file);
	if (header->version > WM_INDEXED_VERSION)
		return wm_profile_say(WM_PROFILE_REFUSED, error, "it has version %u and this waymark reads up to %d",
			header->version, WM_INDEXED_VERSION);
	if (wm_cursor_u64(file) != checksum(data, size))
		return wm_profile_say(WM_PROFILE_REFUSED, error, "it is damaged or cut short (checksum mismatch)");
	if (!header->version)
		return wm_profile_say(WM_PROFILE_REFUSED, error, "its header makes no sense");
	return WM_PROFILE_OK;
}

static enum wm_profile_status read_profile(
	struct wm_profile *profile, const uint8_t *data, size_t size, struct wm_profile_error *error, bool runs_only)
{
	struct wm_profile result;
	struct wm_cursor file;
	struct header header = {0};
	wm_profile_init(&result);
	struct reader reader = {.profile = &result,
		.budget = WM_INDEXED_FREE_PAYLOAD + size * WM_INDEXED_MAX_RATIO,
		.runs_only = runs_only};
	wm_cursor_init(&file, data, size);
	enum wm_profile_status status = check_header(&file, data, size, &header, error);
	reader.version = header.version;
	if (!status)
		status = get_sections(&reader, &file, header.sections, error);
	if (status) {
		wm_profile_release(&result);
		return status;
	}
	wm_profile_release(profile);
	*profile = result;
	return WM_PROFILE_OK;
}

enum wm_profile_status wm_indexed_read(
	struct wm_profile *profile, const uint8_t *data, size_t size, struct wm_profile_error *error)
{
	return read_profile(profile, data, size, error, false);
}

enum wm_profile_status wm_indexed_read_runs(
	struct wm_profile *profile, const uint8_t *data, size_t size, struct wm_profile_error *error)
{
	return read_profile(profile, data, size, error, true);
}
