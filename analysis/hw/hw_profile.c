/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes an analysis as an indexed profile: paths of machine code, with a count for each metric that is not 0. */
#include "analysis/hw/hw.h"
#include "elf/hw_images.h"
#include "profile/branch_paths.h"
#include "profile/collect.h"
#include "support/fail.h"
#include "support/output.h"
#include "support/xalloc.h"
#include <stdlib.h>
#include <string.h>

_Static_assert(WM_BRANCH_PATH_MAX == WM_HW_MAX_BRANCHES, "a profile has all paths of the detector");

static void add_objects(struct wm_profile *profile, const struct wm_hw_images *images)
{
	profile->object = wm_xrealloc(NULL, images->object_count + 1, sizeof *profile->object);
	profile->object_capacity = images->object_count + 1;
	profile->object_count = images->object_count;
	for (size_t i = 0; i < images->count; i++) {
		const struct wm_code *code = &images->image[i].code;
		struct wm_profile_object *object = &profile->object[images->image[i].object];
		*object = (struct wm_profile_object){.build_id_size = code->build_id_size};
		memcpy(object->build_id, code->build_id, sizeof object->build_id);
	}
}

static void add_path(struct wm_profile *profile, struct wm_hw_images *images, uint64_t control,
	const struct wm_hw_finished *finished)
{
	struct wm_branch_path path = {
		.control = control, .length = finished->path.length, .outcomes = finished->path.outcomes};
	size_t image = wm_hw_images_locate(images, finished->path.start, &path.start);
	for (path.metric = 0; path.metric < WM_HW_METRIC_COUNT; path.metric++) {
		path.count = finished->events.count[path.metric];
		if (path.count && !wm_object_append_branches(&profile->object[images->image[image].object], &path))
			wm_no_memory();
	}
}

/* What the hardware would hand over: the paths that the table has, with their sums. */
static size_t list_table(const struct wm_hw_table *table, struct wm_hw_finished **list)
{
	size_t count = 0;
	*list = wm_xrealloc(NULL, (size_t)table->config.entries + 1, sizeof **list);
	for (uint32_t i = 0; i < table->config.entries; i++) {
		const struct wm_hw_table_entry *entry = &table->entry[i];
		if (!entry->used)
			continue;
		(*list)[count] = (struct wm_hw_finished){.path = entry->path};
		(*list)[count++].events.count[table->config.metric] = entry->sum;
	}
	return count;
}

static void add_paths(
	struct wm_profile *profile, const struct wm_hw_feed *feed, const struct wm_hw_finished *path, size_t count)
{
	struct wm_hw_images images = {.program = &feed->program};
	uint64_t control = wm_hw_control_pack(&feed->options->analysis.detector.control), ignored;
	for (size_t i = 0; i < count; i++)
		wm_hw_images_locate(&images, path[i].path.start, &ignored);
	wm_hw_images_number(&images);
	add_objects(profile, &images);
	for (size_t i = 0; i < count; i++)
		add_path(profile, &images, control, &path[i]);
	wm_hw_images_release(&images);
}

void wm_hw_profile_build(struct wm_profile *profile, const struct wm_hw_feed *feed)
{
	const struct wm_hw_pathmap *paths = &feed->analysis.paths;
	struct wm_hw_finished *list;
	wm_profile_init(profile);
	profile->runs = 1;
	if (feed->options->from_table) {
		size_t count = list_table(&feed->analysis.judged[0].complete, &list);
		add_paths(profile, feed, list, count);
		free(list);
	} else {
		add_paths(profile, feed, paths->path, paths->count);
	}
	for (size_t i = 0; i < profile->object_count; i++)
		wm_object_sort_branches(&profile->object[i]);
}

void wm_hw_profile_write(const struct wm_hw_feed *feed, const char *path)
{
	struct wm_profile profile;
	uint8_t *data;
	size_t size;
	wm_hw_profile_build(&profile, feed);
	if (wm_indexed_write(&profile, &data, &size) != WM_PROFILE_OK)
		wm_no_memory();
	wm_write_file(path, data, size);
	free(data);
	wm_profile_release(&profile);
}
