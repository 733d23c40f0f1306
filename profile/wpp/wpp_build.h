/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Turns the streams of raw profiles (profile/raw/raw_recording.h) into a recording (profile/wpp/wpp.h), one stream after the other,
 * in linear time.  Memory is bounded by the size of a chunk, which is independent of the length of the streams.
 */
#ifndef WM_PROFILE_WPP_WPP_BUILD_H
#define WM_PROFILE_WPP_WPP_BUILD_H

#include "core/grammar/sequitur.h"
#include "profile/raw/raw_recording.h"
#include "profile/wpp/wpp.h"

struct wm_wpp_builder {
	const struct wm_wpp_writer *writer;
	struct wm_sequitur sequitur;
	struct wm_wpp_table table;
	uint32_t *index; /* of the functions of the raw profile at work, in the table */
	uint64_t index_count;
	enum wm_profile_status status; /* of the stream at work */
	uint64_t entries; /* so far */
	/* May be set after initialisation: whether to go on, asked from time to time.  If not, the stream at work ends with a
	 * STOP entry, and those that follow consist of one. */
	bool (*goes_on)(void *closure, uint64_t entries);
	void *closure;
	bool stopped;
};

/* Grammars get up to this many symbols before the next chunk begins. */
#define WM_WPP_CHUNK_SYMBOLS (1u << 20)
/* Writes the beginning of the file.  WM_PROFILE_IO, WM_PROFILE_NO_MEMORY. */
enum wm_profile_status wm_wpp_builder_init(
	struct wm_wpp_builder *builder, const struct wm_wpp_writer *writer, uint32_t chunk_symbols);
/* Adds all streams of a raw profile of this program.  WM_PROFILE_DAMAGED: a stream lacks entries; what was before them is
 * added. */
enum wm_profile_status wm_wpp_builder_add(struct wm_wpp_builder *builder, const struct wm_raw_recording *recording,
	const char *program, struct wm_profile_error *error);
/* Writes the sequence so far as a chunk of this stream, and begins a new sequence.  An empty sequence is not written. */
enum wm_profile_status wm_wpp_close_chunk(
	const struct wm_wpp_writer *writer, uint32_t stream, struct wm_sequitur *sequitur);
/* Writes the end of the file. */
enum wm_profile_status wm_wpp_builder_finish(struct wm_wpp_builder *builder);
void wm_wpp_builder_release(struct wm_wpp_builder *builder);

#endif
