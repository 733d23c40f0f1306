/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the two halves of the encoder of maps share: map_encode.c writes functions, map_encode_extensions.c what follows them in a
 * module. */
#ifndef WM_PROFILE_MAP_ENCODER_H
#define WM_PROFILE_MAP_ENCODER_H

#include "profile/bytes.h"
#include "profile/map.h"

struct wm_map_encoder {
	struct wm_bytes out;
	const struct wm_map_module *module;
	const char *scheme;
	uint32_t file, line; /* the position in the source that the next one is told relative to */
	bool bad; /* the module breaks an invariant of map.h */
};

void wm_map_put_extensions(struct wm_map_encoder *encoder);

#endif
