/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the two halves of the encoder of maps share: map_encode.c writes functions, map_encode_extensions.c what follows them in a
 * module. */
#ifndef WM_PROFILE_MAP_MAP_ENCODER_H
#define WM_PROFILE_MAP_MAP_ENCODER_H

#include "profile/base/bytes.h"
#include "profile/map/map.h"

struct wm_map_encoder {
	struct wm_bytes out;
	const struct wm_map_module *module;
	const char *scheme;
	uint32_t file, line; /* the position in the source that the next one is told relative to */
	uint32_t function; /* of which something is written now; WM_NONE: of the module */
	const char *part; /* what is written now */
	struct wm_map_fault fault; /* the first; `part` NULL: none */
};

/* Notes a fault where the encoder is, if `wrong`. */
void wm_map_forbid(struct wm_map_encoder *encoder, bool wrong);

void wm_map_put_extensions(struct wm_map_encoder *encoder);

#endif
