/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Writes an analysis as an indexed profile.  The binary has no map, so a function of the profile stands for an address
 * at which paths start (flag WM_FUNC_BRANCHES):
 *
 *   key         start address in the object, as linked
 *   graph hash  the control register (wm_hw_control_pack), and the metric in the top bits
 *   path id     length << 32 | outcomes
 *   count       events of the metric
 */
#include "analysis/hw/profile.h"
#include "abi/abi.h"
#include "analysis/hw/hw.h"
#include "elf/hw_images.h"
#include "profile/profile.h"
#include <stdlib.h>
#include <string.h>

struct record {
	size_t object; /* index into objects, ordered by build-id */
	uint64_t key, hash, id, count;
};

struct builder {
	const struct wm_hw_feed *feed;
	struct wm_hw_images images;
	struct wm_profile *profile;
	struct record *record;
	size_t record_count;
};

static void add_objects(struct builder *builder)
{
	struct wm_profile *profile = builder->profile;
	const struct wm_hw_images *images = &builder->images;
	wm_hw_images_number(&builder->images);
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

static void add_records(struct builder *builder, const struct wm_hw_finished *path)
{
	uint64_t control = wm_hw_control_pack(&builder->feed->options->analysis.detector.control);
	struct record record = {.id = wm_hw_profile_id(&path->path)};
	size_t image = wm_hw_images_locate(&builder->images, path->path.start, &record.key);
	record.object = builder->images.image[image].object;
	for (unsigned metric = 0; metric < WM_HW_METRIC_COUNT; metric++) {
		if (!path->events.count[metric])
			continue;
		record.hash = wm_hw_profile_hash(control, (enum wm_hw_metric)metric);
		record.count = path->events.count[metric];
		builder->record[builder->record_count++] = record;
	}
}

static int compare_records(const void *left, const void *right)
{
	const struct record *a = left, *b = right;
	const uint64_t x[] = {a->object, a->key, a->hash, a->id}, y[] = {b->object, b->key, b->hash, b->id};
	for (size_t i = 0; i < 4; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

static struct wm_profile_function *function_of(struct wm_profile_object *object, const struct record *record)
{
	struct wm_profile_function *last =
		object->function_count ? &object->function[object->function_count - 1] : NULL;
	if (last && last->key == record->key && last->graph_hash == record->hash)
		return last;
	if (object->function_count == object->function_capacity) {
		object->function_capacity = object->function_capacity ? 2 * object->function_capacity : 64;
		object->function = wm_xrealloc(object->function, object->function_capacity, sizeof *object->function);
	}
	last = &object->function[object->function_count++];
	*last = (struct wm_profile_function){.key = record->key, .graph_hash = record->hash, .flags = WM_FUNC_BRANCHES};
	return last;
}

static void add_path(struct wm_profile_function *function, const struct record *record)
{
	struct wm_counted_path *last = function->path_count ? &function->path[function->path_count - 1] : NULL;
	if (last && last->id == record->id) {
		last->count += record->count;
		return;
	}
	if (function->path_count == function->path_capacity) {
		function->path_capacity = function->path_capacity ? 2 * function->path_capacity : 4;
		function->path = wm_xrealloc(function->path, function->path_capacity, sizeof *function->path);
	}
	function->path[function->path_count++] = (struct wm_counted_path){.id = record->id, .count = record->count};
}

void wm_hw_profile_build(struct wm_profile *profile, const struct wm_hw_feed *feed)
{
	const struct wm_hw_pathmap *paths = &feed->analysis.paths;
	struct builder builder = {.feed = feed, .images.program = &feed->program, .profile = profile};
	uint64_t ignored;
	wm_profile_init(profile);
	profile->runs = 1;
	for (size_t i = 0; i < paths->count; i++)
		wm_hw_images_locate(&builder.images, paths->path[i].path.start, &ignored);
	add_objects(&builder);
	builder.record = wm_xrealloc(NULL, paths->count * WM_HW_METRIC_COUNT + 1, sizeof *builder.record);
	for (size_t i = 0; i < paths->count; i++)
		add_records(&builder, &paths->path[i]);
	qsort(builder.record, builder.record_count, sizeof *builder.record, compare_records);
	for (size_t i = 0; i < builder.record_count; i++)
		add_path(function_of(&profile->object[builder.record[i].object], &builder.record[i]),
			&builder.record[i]);
	wm_hw_images_release(&builder.images);
	free(builder.record);
}

void wm_hw_profile_write(const struct wm_hw_feed *feed, const char *path)
{
	struct wm_profile profile;
	uint8_t *data;
	size_t size;
	wm_hw_profile_build(&profile, feed);
	if (wm_indexed_write(&profile, &data, &size) != WM_PROFILE_OK)
		wm_bug("out of memory");
	wm_write_file(path, data, size);
	free(data);
	wm_profile_release(&profile);
}
