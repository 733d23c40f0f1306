/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the two halves of the decoder of maps share: map_decode.c reads functions, map_decode_extensions.c what follows them in a
 * module.  The input is hostile: a count is accepted only if the remaining bytes can hold that many records, and a graph
 * only after every target, ordinal and end has been checked.
 */
#ifndef WM_PROFILE_MAP_MAP_DECODER_H
#define WM_PROFILE_MAP_MAP_DECODER_H

#include "profile/base/bytes.h"
#include "profile/map/map.h"

struct wm_map_decoder {
	struct wm_cursor in;
	struct wm_arena *arena;
	struct wm_map_module *module;
	uint32_t version;
	const char *scheme;
	uint32_t file, line;
	bool has_unit, has_inlined, has_code; /* the extensions WM_MAP_UNIT, WM_MAP_INLINED and WM_MAP_CODE were read */
	const char *wrong; /* first thing found wrong; static text */
	bool out_of_memory;
};

/* Fails the decoder.  `wrong` says why, if nothing was wrong before. */
void wm_map_reject(struct wm_map_decoder *decoder, const char *wrong);
/* NULL: the decoder has failed, perhaps for want of memory. */
void *wm_map_obtain(struct wm_map_decoder *decoder, size_t count, size_t size);
/* "" if the decoder has failed. */
const char *wm_map_get_string(struct wm_map_decoder *decoder);

/* An unknown extension is skipped. */
void wm_map_get_extension(struct wm_map_decoder *decoder);

#endif
