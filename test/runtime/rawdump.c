/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * rawdump [-s] FILE...: prints raw profiles as lines for awk.
 *     file NAME STATUS kill_safe second_thread foreign is_snapshot inherited epoch snapshot pid slack
 *     func NAME KEY entries base_entries completed base_completed paths doubt
 *     path NAME KEY id count base first_seen pid (without -s)
 *     unfinished NAME KEY site sum count where (without -s; where: chunk, counts, pool or test)
 */
#include "abi/counts.h"
#include "abi/pool.h"
#include "abi/unfinished.h"
#include "profile/base/function_counts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool summary;

static uint8_t *slurp(const char *name, size_t *size)
{
	FILE *file = fopen(name, "rb");
	size_t room = 1 << 16, count = 0, got;
	uint8_t *data = malloc(room);
	while (file && data && (got = fread(data + count, 1, room - count, file)) > 0) {
		count += got;
		if (count == room)
			data = realloc(data, room *= 2);
	}
	if (file)
		fclose(file);
	*size = count;
	return data;
}

static void print_function(const char *name, const struct wm_profile_function *f)
{
	uint64_t count = 0, base = 0;
	for (size_t i = 0; i < f->path_count; i++) {
		count += f->path[i].count;
		base += f->path[i].base;
		if (!summary)
			printf("path %s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
				name, f->key, f->path[i].id, f->path[i].count, f->path[i].base, f->path[i].first_seen,
				f->path[i].pid);
	}
	printf("func %s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %zu %u\n", name, f->key, f->entries,
		f->base_entries, count, base, f->path_count, f->doubt);
}

/* ---- Unfinished paths ------------------------------------------------------------------ */

/* A file whose form has been checked. */
struct raw {
	const char *name;
	const uint8_t *data;
	struct wm_raw_header header;
	const char *where;
};

static void print_unfinished(const struct raw *raw, uint64_t function, uint64_t site, uint64_t sum, uint64_t count)
{
	struct wm_raw_func func;
	if (function >= raw->header.func_count) {
		printf("unfinished %s without a function\n", raw->name);
		return;
	}
	memcpy(&func, raw->data + raw->header.func_offset + function * sizeof func, sizeof func);
	printf("unfinished %s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %s\n", raw->name, func.key, site, sum,
		count, raw->where);
}

static void print_records(const struct raw *raw, const uint8_t *at, uint64_t size)
{
	struct wm_unfinished record;
	for (; size >= sizeof record; size -= sizeof record, at += sizeof record) {
		memcpy(&record, at, sizeof record);
		if (record.function)
			print_unfinished(raw, record.function - 1, record.site, record.sum, record.count);
	}
}

/* An entry of a group, after its first number; `extra` numbers follow it. */
static const uint8_t *skip(const uint8_t *at, const uint8_t *end, unsigned extra)
{
	uint64_t ignored;
	while (extra-- > 0)
		at = wm_get_variable(at, end, &ignored);
	return at;
}

static const uint8_t *print_group(const struct raw *raw, uint64_t group, const uint8_t *at, const uint8_t *end)
{
	uint64_t function = 0, first, site, sum;
	if (group != WM_GROUP_CELLS)
		at = wm_get_variable(at, end, &function);
	while ((at = wm_get_variable(at, end, &first)) && first) {
		if (group == WM_GROUP_UNFINISHED) {
			at = wm_get_variable(at, end, &site);
			at = wm_get_variable(at, end, &sum);
			print_unfinished(raw, function, site, sum, first);
		} else {
			at = skip(at, end, group == WM_GROUP_TIMED ? 2 : 1);
		}
	}
	return at;
}

static void print_groups(const struct raw *raw, const uint8_t *at, const uint8_t *end)
{
	while (at && at < end) {
		uint64_t group;
		at = wm_get_variable(at, end, &group);
		at = print_group(raw, group, at, end);
	}
}

static void print_chunk(struct raw *raw, uint64_t offset, const struct wm_raw_chunk *chunk)
{
	const uint8_t *at = raw->data + offset + sizeof *chunk, *end = at + chunk->used;
	bool replaced =
		raw->header.condensed && offset < raw->header.condensed && !(raw->header.flags & WM_RAW_CLEARED);
	raw->where = chunk->kind == WM_CHUNK_UNFINISHED ? "chunk" : chunk->kind == WM_CHUNK_COUNTS ? "counts" : "pool";
	if (chunk->kind == WM_CHUNK_UNFINISHED && !replaced) {
		print_records(raw, at, chunk->used);
	} else if (chunk->kind == WM_CHUNK_COUNTS) {
		raw->where = chunk->thread & WM_COUNTS_BASE ? "base" : raw->where;
		print_groups(raw, at, end);
	} else if (chunk->kind == WM_CHUNK_RUNS) {
		print_groups(raw, at + chunk->thread * sizeof(struct wm_raw_run) + chunk->parent_low, end);
	} else if (chunk->kind == WM_CHUNK_TEST) {
		raw->where = "test";
		print_groups(raw, at + chunk->thread, end);
	}
}

static void print_all_unfinished(const char *name, const uint8_t *data, size_t size)
{
	struct raw raw = {.name = name, .data = data};
	struct wm_raw_chunk chunk;
	memcpy(&raw.header, data, sizeof raw.header);
	for (uint64_t at = raw.header.chunks_offset; at + sizeof chunk <= size;) {
		memcpy(&chunk, data + at, sizeof chunk);
		if (chunk.magic == WM_CHUNK_MAGIC && chunk.size)
			print_chunk(&raw, at, &chunk);
		at += chunk.magic == WM_CHUNK_MAGIC && chunk.size ? chunk.size : 4096;
	}
}

static int dump(const char *name)
{
	struct wm_profile profile;
	struct wm_raw_identity identity;
	struct wm_profile_error error = {""};
	struct wm_raw_header header = {0};
	size_t size;
	uint8_t *data = slurp(name, &size);
	wm_profile_init(&profile);
	enum wm_profile_status status = wm_raw_read(&profile, &identity, data, size, &error);
	if (size >= sizeof header)
		memcpy(&header, data, sizeof header);
	printf("file %s %d %d %d %d %d %d %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", name, status,
		!!(header.flags & WM_RAW_KILL_SAFE), !!(header.flags & WM_RAW_SECOND_THREAD),
		!!(header.flags & WM_RAW_FOREIGN_PROCESS), !!(header.flags & WM_RAW_SNAPSHOT),
		!!(header.flags & WM_RAW_INHERITED), header.epoch, header.snapshot, header.pid,
		size - header.file_size);
	if (status)
		fprintf(stderr, "rawdump: %s: %s\n", name, error.text);
	for (size_t i = 0; i < profile.object_count; i++)
		for (size_t j = 0; j < profile.object[i].function_count; j++)
			print_function(name, &profile.object[i].function[j]);
	if (!status && !summary)
		print_all_unfinished(name, data, size);
	wm_profile_release(&profile);
	free(data);
	return status != WM_PROFILE_OK;
}

int main(int argc, char **argv)
{
	int failed = 0;
	summary = argc > 1 && !strcmp(argv[1], "-s");
	for (int i = 1 + summary; i < argc; i++)
		failed |= dump(argv[i]);
	return failed;
}
