/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * An executable that counts paths across calls: its link records, tables and map.  Whatever the file says, the units are
 * read or refused; if the link step takes it, what it wrote must be read back as one numbering of the whole file.
 */
#include "analysis/join/units.h"
#include "core/trail/trail.h"
#include "link/link.h"
#include "link/tested_object.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use(const struct wm_units *units, struct wm_arena *arena)
{
	for (uint32_t i = 0; i < units->count; i++) {
		const struct wm_binary_unit *unit = units->unit[i];
		struct wm_trail path;
		uint64_t id = unit->plan.path_count - 1;
		if (unit->plan.path_count && wm_trail_decode(unit->plan.function, id, &path, arena) != WM_OK)
			abort();
	}
}

static void check(uint8_t *image, size_t size)
{
	struct wm_arena arena;
	struct wm_object object;
	struct wm_links links;
	struct wm_units units;
	wm_arena_init(&arena);
	enum wm_object_status status = wm_object_read(&object, image, size, &arena);
	wm_links_read(&links, image, size);
	if (status == WM_OBJECT_OK) {
		wm_units_build(&units, &object, &links, &arena);
		use(&units, &arena);
	}
	if (status == WM_OBJECT_OK && links.located && links.count &&
		!wm_link_step_number(&(struct wm_link_step){.output = ""}, &object, &links)) {
		wm_links_release(&links);
		wm_links_read(&links, image, size);
		wm_units_build(&units, &object, &links, &arena);
		use(&units, &arena);
	}
	wm_tested_put(&links, (const uint64_t[]){0, 1, size}, 3);
	wm_links_release(&links);
	wm_object_release(&object);
	wm_arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *image = malloc(size + 1);
	if (!image)
		return 0;
	memcpy(image, data, size);
	check(image, size);
	free(image);
	return 0;
}
