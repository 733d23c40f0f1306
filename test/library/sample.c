/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test/library/sample.h"

#include <stdlib.h>

void sample_open(struct sample *sample, void (*change)(struct fixture *fixture))
{
	uint8_t *map;
	size_t size;
	fixture_init(&sample->fixture);
	sample->fixture.profile_object.build_id_size = 0; /* neither has one */
	if (change)
		change(&sample->fixture);
	assert_int_equal(wm_map_encode(&sample->fixture.module, &map, &size), WM_OK);
	image_open_binary(&sample->binary, map, size);
	image_open_profile(&sample->profile, &sample->fixture.profile);
	free(map);
}

void sample_close(struct sample *sample)
{
	image_close(&sample->profile);
	image_close(&sample->binary);
	fixture_release(&sample->fixture);
}

enum waymark_status sample_read(
	const char *profile, const char *binary, struct waymark **counts, struct waymark_error *error)
{
	const struct waymark_options options = {.size = sizeof options,
		.profiles = &profile,
		.profile_count = 1,
		.binaries = &binary,
		.binary_count = 1};
	return waymark_open(counts, &options, error);
}
