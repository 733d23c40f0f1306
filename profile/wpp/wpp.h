/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A recording (.wmwpp): the whole program path of a process, or of several that were forked from each other.  The
 * stream of each thread is a sequence of 64-bit entries (abi/stream.h) and is stored as grammars (core/grammar).
 * doc/formats.md has the layout.
 *
 * The function index of an entry is that of wm_wpp_table.function, whatever it was in the raw file.
 */
#ifndef WM_PROFILE_WPP_WPP_H
#define WM_PROFILE_WPP_WPP_H

#include "core/grammar/grammar.h"
#include "profile/base/bytes.h"
#include "profile/base/function_counts.h"

struct wm_wpp_object {
	uint8_t build_id[WM_BUILD_ID_MAX];
	uint32_t build_id_size; /* 0: none */
	char program[WM_PROGRAM_MAX]; /* "": not known */
};
/* What the upper halves of entries name. */
struct wm_wpp_function {
	uint32_t object;
	/* WM_WPP_SUBPATHS: a function */
	uint64_t key, graph_hash; /* of the scheme `subpath` */
	/* WM_WPP_BRANCHES: all paths of machine code with this start and number of branches, as in struct wm_branch_path */
	uint64_t start, control;
	uint32_t length;
};
/*
 * How a process ended.
 *   WM_WPP_END_UNKNOWN  a file of version 2, or a recording of `waymark hw` that is as old
 *   WM_WPP_END_EXIT     by exit or by returning from main; in a recording of `waymark hw`, also by _exit
 *   WM_WPP_END_OTHER    it was killed, called _exit or a function of the exec family, or was still running when its raw
 *                       profile was read or when `waymark hw` stopped to record it
 */
enum wm_wpp_ending { WM_WPP_END_UNKNOWN, WM_WPP_END_EXIT, WM_WPP_END_OTHER, WM_WPP_ENDINGS };
struct wm_wpp_process {
	uint64_t run_id_low, run_id_high;
	enum wm_wpp_ending ending;
};
struct wm_wpp_stream {
	uint32_t process;
	uint64_t number; /* in the raw file, as PARENT entries name it */
	uint64_t length; /* entries */
	uint64_t parent_low, parent_high; /* run id of the process that forked this one; 0: none */
};
/*
 * What the entries of a recording are.
 *   WM_WPP_SUBPATHS  of instrumented programs, as abi/stream.h describes
 *   WM_WPP_BRANCHES  of `waymark hw`: an entry is (index of the function + 1) << 32 | the outcomes of the branches of a
 *                    path
 */
enum wm_wpp_kind { WM_WPP_SUBPATHS, WM_WPP_BRANCHES };

/* All arrays are from malloc. */
struct wm_wpp_table {
	uint32_t object_count, function_count, process_count, stream_count;
	struct wm_wpp_object *object;
	struct wm_wpp_function *function;
	struct wm_wpp_process *process;
	struct wm_wpp_stream *stream;
	enum wm_wpp_kind kind;
};
void wm_wpp_table_release(struct wm_wpp_table *table);

/* A recording in memory.  The sequence of the grammar is that of all streams, one after the other; stream i begins at
 * the sum of the lengths of those before it. */
struct wm_wpp {
	struct wm_wpp_table table;
	struct wm_grammar grammar;
};
void wm_wpp_release(struct wm_wpp *wpp);

/* Hostile input: checksums, sizes and all indices are verified.  `wpp` is untouched unless WM_PROFILE_OK is returned;
 * the others are WM_PROFILE_REFUSED and WM_PROFILE_NO_MEMORY. */
enum wm_profile_status wm_wpp_read(
	struct wm_wpp *wpp, const uint8_t *data, size_t size, struct wm_profile_error *error);
/* Whether the bytes begin as a recording. */
bool wm_wpp_is_recording(const uint8_t *data, size_t size);

/*
 * Writes a recording piece by piece: begin, then the chunks of all streams in any order, those of one stream in the
 * order of the sequence, then the table.  `put` appends bytes to the file and says whether it could.
 * WM_PROFILE_IO: `put` failed.  WM_PROFILE_NO_MEMORY.
 */
struct wm_wpp_writer {
	void *closure;
	bool (*put)(void *closure, const void *data, size_t size);
};
enum wm_profile_status wm_wpp_write_begin(const struct wm_wpp_writer *writer);
enum wm_profile_status wm_wpp_write_chunk(
	const struct wm_wpp_writer *writer, uint32_t stream, const struct wm_grammar *grammar);
enum wm_profile_status wm_wpp_write_end(const struct wm_wpp_writer *writer, const struct wm_wpp_table *table);

#endif
