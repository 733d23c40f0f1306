/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Either format of profile, by its magic. */
#include "abi/abi.h"
#include "profile/collect.h"
#include "profile/indexed/indexed_layout.h"

#include <string.h>

enum wm_format wm_profile_format(const uint8_t *data, size_t size)
{
	uint64_t magic = 0;
	if (size < sizeof(magic))
		return WM_FORMAT_UNKNOWN;
	memcpy(&magic, data, sizeof(magic));
	return magic == WM_RAW_MAGIC	   ? WM_FORMAT_RAW
	       : magic == WM_INDEXED_MAGIC ? WM_FORMAT_INDEXED
					   : WM_FORMAT_UNKNOWN;
}

enum wm_profile_status wm_profile_read_image(struct wm_profile *profile, const struct wm_profile_image *image,
	struct wm_raw_table *table, struct wm_profile_error *error)
{
	struct wm_raw_identity identity;
	switch (wm_profile_format(image->data, image->size)) {
	case WM_FORMAT_RAW:
		return wm_raw_read_image(profile, &identity, image, table, error);
	case WM_FORMAT_INDEXED:
		return wm_indexed_read(profile, image->data, image->size, error);
	case WM_FORMAT_UNKNOWN:
		break;
	}
	return wm_profile_say(WM_PROFILE_REFUSED, error, image->size ? "it is no Waymark profile" : "it is empty");
}

enum wm_profile_status wm_profile_read(
	struct wm_profile *profile, const uint8_t *data, size_t size, struct wm_profile_error *error)
{
	const struct wm_profile_image image = {.data = data, .size = size};
	return wm_profile_read_image(profile, &image, NULL, error);
}
