/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The public functions of libwaymark.  The input is
 *
 *     byte 0       bit 0: the rest is the payload of a map, and is wrapped into a binary; else it is a binary
 *                  bit 1: the profile is of any program
 *     bytes 1-8    from which the ids and counts of the profile are made
 *     the rest     a binary, or the payload of a map
 *
 * A profile that belongs to the binary would hardly be found, so it is made of the functions that the binary describes.
 * Whatever the binary says, the library tells exact counts or a reason, without a defect and without a leak.
 */
#include "analysis/join/operands.h"
#include "analysis/join/story.h"
#include "core/base/grow.h"
#include "library/waymark/profile.h"
#include "profile/collect.h"
#include "profile/map/map_layout.h"
#include "support/attempt.h"
#include "test/library/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEAD = 9, PATHS = 3 };

#define check(holds) ((holds) ? (void)0 : give_up(#holds))
static _Noreturn void give_up(const char *what)
{
	fprintf(stderr, "not so: %s\n", what);
	abort();
}

/* ---- Files ------------------------------------------------------------------------------- */

static void open_wrapped(struct image *image, const uint8_t *payload, size_t size)
{
	const uint64_t magic = WM_MAP_MAGIC;
	const uint32_t words[4] = {WM_MAP_VERSION, 0, (uint32_t)size, (uint32_t)size};
	uint8_t *blob = malloc(WM_MAP_HEADER_SIZE + size);
	check(blob);
	memcpy(blob, &magic, 8);
	memcpy(blob + 8, words, sizeof words);
	if (size)
		memcpy(blob + WM_MAP_HEADER_SIZE, payload, size);
	uint64_t sum = wm_map_blob_checksum(blob, size);
	memcpy(blob + WM_MAP_CHECKSUM_OFFSET, &sum, 8);
	image_open_binary(image, blob, WM_MAP_HEADER_SIZE + size);
	free(blob);
}

/* Which paths a profile counts: the low bits of the seed choose ids, of which a few do not exist. */
struct making {
	const char *binary;
	uint64_t seed;
	struct wm_profile profile;
};

static uint64_t paths_of(const struct wm_story_function *function)
{
	return wm_story_crosses_calls(function) ? wm_plan_ids(wm_story_plan(function)) : function->possible.count;
}

static void count_function(
	struct making *making, struct wm_profile_object *object, const struct wm_story_function *function)
{
	struct wm_profile_function record = {.key = function->map->key,
		.graph_hash = wm_story_hash(function),
		.flags = WM_FUNC_ENTRIES | (wm_story_crosses_calls(function) ? WM_FUNC_UNIT : 0)};
	uint64_t id = making->seed % 5, paths = paths_of(function);
	for (int i = 0; i < PATHS; i++) {
		making->seed = making->seed * 6364136223846793005u + 1442695040888963407u;
		uint64_t count = 1 + (making->seed >> 60);
		if (id <= paths && (id < paths || !(making->seed >> 40 & 63)))
			check(wm_function_append(&record, id, count, 0));
		id += 1 + (making->seed >> 32) % (paths / 4 + 2);
		record.entries += count;
	}
	check(WM_GROW(object->function, object->function_count));
	object->function[object->function_count++] = record;
	object->function_capacity = object->function_count;
}

static int by_identity(const void *a, const void *b)
{
	return wm_function_compare(a, b);
}

/* Counts functions of the binary.  It fails like any reader of the binary. */
static void make_profile(void *argument)
{
	struct making *making = argument;
	const struct wm_operands operands = {.binary = (char **)&making->binary, .binary_count = 1};
	struct wm_binaries binaries;
	struct wm_story story;
	wm_binaries_open(&binaries, &operands, NULL);
	wm_story_build_bare(&story, binaries.object, binaries.count);
	struct wm_heap *heap = wm_heap_use(NULL); /* the profile outlives the attempt */
	struct wm_profile_object *object = wm_profile_append_object(&making->profile, NULL, 0);
	check(object);
	for (size_t i = 0; i < story.function_count; i++)
		if (story.function[i].state != WM_STORY_SKIPPED)
			count_function(making, object, &story.function[i]);
	if (object->function_count)
		qsort(object->function, object->function_count, sizeof *object->function, by_identity);
	wm_heap_use(heap);
}

static void ignore_warning(void *closure, const char *sentence)
{
	(void)closure;
	check(*sentence);
}

static void ignore_progress(void *closure, const char *what, size_t done, size_t total)
{
	(void)closure, (void)what, (void)done, (void)total;
}

/* An empty profile if the binary cannot be read. */
static void open_profile(struct image *image, const char *binary, uint64_t seed)
{
	static const struct wm_listener nobody = {NULL, ignore_warning, ignore_progress};
	struct wm_heap heap = {0};
	struct making making = {.binary = binary, .seed = seed};
	struct wm_attempt attempt = {.listener = &nobody, .heap = &heap};
	wm_profile_init(&making.profile);
	making.profile.runs = 1;
	if (!wm_attempt_run(&attempt, make_profile, &making))
		check(attempt.failure == WM_FAILURE_MISTAKE);
	free(attempt.sentence);
	wm_heap_release(&heap);
	image_open_profile(image, &making.profile);
	wm_profile_release(&making.profile);
}

/* ---- Reading ----------------------------------------------------------------------------- */

static void use_step(const struct waymark_step *step)
{
	check(waymark_step_function(step) && waymark_step_outcome(step) && waymark_step_condition(step) &&
		waymark_step_begins(step));
	check(waymark_step_kind(step) <= WAYMARK_STEP_RETURN);
	check(!waymark_step_source(step));
}

static uint64_t use_path(struct waymark *counts, const struct waymark_function *function, size_t index)
{
	const struct waymark_path *path = waymark_path_at(function, index);
	struct waymark_trail *trail;
	check(!index || waymark_path_executions(waymark_path_at(function, index - 1)) >= waymark_path_executions(path));
	check(waymark_path_start(path) <= WAYMARK_START_CALL && waymark_path_end(path) <= WAYMARK_END_CALL);
	check(waymark_trail_new(counts, function, path, &trail, NULL) == WAYMARK_OK);
	for (size_t i = 0; i < waymark_step_count(trail); i++)
		use_step(waymark_step_at(trail, i));
	if (index % 2)
		waymark_trail_free(trail);
	return waymark_path_executions(path);
}

static void use_function(struct waymark *counts, const struct waymark_function *function)
{
	uint64_t sum = 0, executions = 0;
	check(waymark_function_name(function) && waymark_function_display(function) &&
		waymark_function_scheme(function));
	check(!*waymark_function_reason(function) == (waymark_function_status(function) == WAYMARK_EXACT) ||
		waymark_function_status(function) == WAYMARK_SKIPPED);
	for (size_t i = 0; i < waymark_path_count(function); i++)
		sum += use_path(counts, function, i);
	check(waymark_function_executions(function, &executions) ? executions == sum : !sum);
}

static void use(struct waymark *counts)
{
	for (size_t i = 0; i < waymark_function_count(counts); i++)
		use_function(counts, waymark_function_at(counts, i));
	for (size_t i = 0; i < waymark_refused_count(counts); i++)
		check(waymark_refused_name(counts, i) && *waymark_refused_reason(counts, i));
	for (size_t i = 0; i < waymark_note_count(counts); i++)
		check(*waymark_note(counts, i));
}

static void read_files(const struct image *profile, const struct image *binary, bool any_program)
{
	const char *profiles = profile->path, *binaries = binary->path;
	struct waymark_options options = {.size = sizeof options,
		.profiles = &profiles,
		.profile_count = 1,
		.binaries = &binaries,
		.binary_count = 1,
		.no_source = true,
		.any_program = any_program,
		.warn = ignore_warning};
	struct waymark_error error;
	struct waymark *counts = NULL;
	enum waymark_status status = waymark_open(&counts, &options, &error);
	check(status == error.status && !status == !error.text[0] && status < WAYMARK_NO_MEMORY);
	if (!status)
		use(counts);
	waymark_close(counts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct image binary, profile;
	uint64_t seed;
	if (size < HEAD)
		return 0;
	memcpy(&seed, data + 1, sizeof seed);
	if (data[0] & 1)
		open_wrapped(&binary, data + HEAD, size - HEAD);
	else
		image_open(&binary, data + HEAD, size - HEAD);
	open_profile(&profile, binary.path, seed);
	read_files(&profile, &binary, data[0] & 2);
	image_close(&profile);
	image_close(&binary);
	return 0;
}
