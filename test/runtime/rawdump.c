/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * rawdump [-s] FILE...: prints raw profiles as lines for awk.
 *     file NAME STATUS kill_safe second_thread foreign is_snapshot inherited epoch snapshot pid slack
 *     func NAME KEY entries base_entries completed base_completed paths doubt
 *     path NAME KEY id count base first_seen pid (without -s)
 */
#include "abi/abi.h"
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
