/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cmd/push_group.h"
#include "analysis/crash/crash_story.h"
#include "support/attempt.h"

#include "profile/increment.h"
#include "support/buffer.h"
#include "support/fail.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { REASON_SIZE = 256 };

struct wm_push_group wm_push_group_at(const struct wm_push_directory *directory, size_t first)
{
	const struct wm_push_file *file = &directory->file[first];
	struct wm_push_group group = {
		.file = file, .run = {file->identity.run_id_high, file->identity.run_id_low, file->identity.epoch}};
	do
		group.is_alive |= file[group.count++].is_alive;
	while (first + group.count < directory->count && wm_push_file_same_run(file, &file[group.count]));
	return group;
}

static uint64_t sum_counts(const struct wm_profile *profile)
{
	uint64_t sum = 0;
	for (size_t o = 0; o < profile->object_count; o++)
		for (size_t f = 0; f < profile->object[o].function_count; f++) {
			const struct wm_profile_function *function = &profile->object[o].function[f];
			sum += function->entries;
			for (size_t i = 0; i < function->path_count; i++)
				sum += function->path[i].count;
			for (size_t i = 0; i < function->unfinished_count; i++)
				sum += function->unfinished[i].count;
		}
	return sum;
}

/* A service that is asked to end has frames, too, but has not crashed. */
static bool note_thread(void *closure, const struct wm_raw_thread *thread)
{
	bool asked = thread->head.code & WM_CRASH_SUMS && !wm_crash_is_crash(thread->head.signal);
	*(bool *)closure |= !asked;
	return asked;
}

/* Whether it tells how a program has died: `waymark crash`. */
static bool tells_of_crash(const struct wm_buffer *buffer)
{
	bool any = false;
	struct wm_raw_ending ending = {0};
	struct wm_profile_error error;
	wm_raw_threads(buffer->data, buffer->size, note_thread, &any, &ending, &error);
	return any && !ending.ended && !ending.snapshot;
}

/* A file as it was read. */
struct reading {
	enum wm_profile_status status;
	struct wm_profile profile;
	struct wm_profile_error error;
	bool has_crash;
};

static void explain(char text[REASON_SIZE], const struct wm_push_directory *directory)
{
	if (errno == EFBIG)
		snprintf(text, REASON_SIZE, "it is longer than %" PRIu64 " MiB, as no profile should be (--file-limit)",
			directory->longest >> 20);
	else
		snprintf(text, REASON_SIZE, "%s", strerror(errno));
}

static void read_file(
	struct reading *reading, const struct wm_push_directory *directory, const struct wm_push_file *file)
{
	struct wm_buffer buffer;
	struct wm_raw_identity identity;
	*reading = (struct reading){.status = WM_PROFILE_IO};
	wm_profile_init(&reading->profile);
	if (!wm_push_file_read(directory, file, &buffer)) {
		explain(reading->error.text, directory);
		return;
	}
	reading->status = wm_raw_read(&reading->profile, &identity, buffer.data, buffer.size, &reading->error);
	reading->has_crash = tells_of_crash(&buffer);
	wm_buffer_release(&buffer);
	if (reading->status == WM_PROFILE_NO_MEMORY)
		wm_fail_as(WM_FAILURE_MEMORY, "out of memory while reading %s", file->name);
}

/* Counts only grow, so the file with the larger sum is the later one. */
static bool is_better(const struct wm_push_group *group, const struct reading *reading)
{
	bool whole = reading->status == WM_PROFILE_OK;
	if (!whole && reading->status != WM_PROFILE_DAMAGED)
		return false;
	if (!group->best || whole != group->is_whole)
		return !group->best || whole;
	return sum_counts(&reading->profile) > sum_counts(&group->profile);
}

static void consider_file(
	struct wm_push_group *group, const struct wm_push_directory *directory, const struct wm_push_file *file)
{
	struct reading reading;
	read_file(&reading, directory, file);
	bool better = is_better(group, &reading);
	if (better || !group->best)
		snprintf(group->trouble, sizeof group->trouble, "%s", reading.error.text);
	if (better) {
		struct wm_profile worse = group->profile;
		group->profile = reading.profile;
		reading.profile = worse;
		group->best = file;
		group->is_whole = reading.status == WM_PROFILE_OK;
	}
	wm_profile_release(&reading.profile);
}

void wm_push_group_read(struct wm_push_group *group, const struct wm_push_directory *directory)
{
	wm_profile_init(&group->profile);
	for (size_t i = 0; i < group->count; i++)
		consider_file(group, directory, &group->file[i]);
}

void wm_push_group_release(struct wm_push_group *group)
{
	wm_profile_release(&group->profile);
}

/* Whether the best file has at least all counts of another one.  From counts in doubt nothing can be subtracted. */
static bool covers(const struct wm_push_group *group, const struct wm_profile *other)
{
	struct wm_profile rest;
	if (!wm_state_is_certain(other))
		return sum_counts(&group->profile) >= sum_counts(other);
	wm_profile_init(&rest);
	enum wm_profile_status status = wm_increment(&rest, &group->profile, other);
	if (status == WM_PROFILE_NO_MEMORY)
		wm_no_memory();
	wm_profile_release(&rest);
	return status == WM_PROFILE_OK;
}

bool wm_push_group_is_done(const struct wm_push_group *group, const struct wm_push_directory *directory,
	const struct wm_push_file *file, char reason[256])
{
	struct reading reading;
	const char *why = NULL;
	read_file(&reading, directory, file);
	if (reading.status)
		why = reading.error.text;
	else if (reading.has_crash)
		why = "it tells how the program died (`waymark crash`)";
	else if (file != group->best && !covers(group, &reading.profile))
		why = "another file of the same run was stored, and does not have all its counts";
	snprintf(reason, REASON_SIZE, "%s", why ? why : "");
	wm_profile_release(&reading.profile);
	return !why;
}
