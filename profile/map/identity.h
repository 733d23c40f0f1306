/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which functions of two builds or programs are the same function.
 *
 * Within builds of one program, a function is identified by its key and its graph.  Across programs that is not
 * sufficient: every program has a `main`.  There the source must be the same too.  So the paths that the unit tests of a
 * library take are tested in the application that contains the library, and the `main`s of both stay two functions.
 *
 * The source of a function has two halves, and one of them suffices.  The high half is that of its file: base name and
 * checksum.  The low half is that of its code: the base name of the file, and what the compiler made of the text of the
 * function and of the macros that it uses.  So a function stays the same when something else in its file changes, and it is
 * the same in builds with other options as long as its file is.  A half that is 0 is not known.  Half a hash is enough,
 * because it is compared only where the hashes of name and graph are equal.
 *
 * Profiles of older versions have a hash of the file in both halves.  Its high half is the one of today, and its low half is
 * that of no code.
 */
#ifndef WM_PROFILE_MAP_IDENTITY_H
#define WM_PROFILE_MAP_IDENTITY_H

#include "profile/base/function_counts.h"
#include "profile/map/map.h"

struct wm_function_identity {
	uint64_t key, graph_hash, source;
};
/* The source of which these are the halves: the high half of what wm_source_of_file() returns, and the code. */
uint64_t wm_source_pack(uint64_t file, uint32_t code);
bool wm_same_source(uint64_t a, uint64_t b);
/* Whether a source is of this file. */
bool wm_source_is_of_file(uint64_t source, uint64_t file);
/* Of a function that two inputs have: what both say. */
uint64_t wm_common_source(uint64_t a, uint64_t b);
/* The only place that decides.  `same_program`: both are known to be of one program, or the user said that what one
 * program did counts for every other.  A function whose source is not known is the same in no other program. */
bool wm_same_function(const struct wm_function_identity *a, const struct wm_function_identity *b, bool same_program);

struct wm_function_identity wm_record_identity(const struct wm_profile_function *record);
uint64_t wm_map_source(const struct wm_map_function *function);

/* The source of a function whose file has this path and checksum; 0, which is no source, if the checksum is not known. */
uint64_t wm_source_of_file(const char *path, const struct wm_map_checksum *checksum);
/* The source of something that consists of several functions; 0 if one of them is not known.  The same for their code. */
uint64_t wm_source_of_all(const uint64_t *source, size_t count);
uint32_t wm_code_of_all(const uint32_t *code, size_t count);

/* Fills in own_source of a function from the checksums of the module: that of its file; of the main file, without debug
 * information and behind its #line directives. */
void wm_map_set_own_source(const struct wm_map_module *module, struct wm_map_function *function);
/* Fills in source and code of a function, when own_source and own_code of all functions are filled in: a function into which
 * calls were inlined consists of several functions. */
void wm_map_set_source(const struct wm_map_module *module, struct wm_map_function *function);

#endif
