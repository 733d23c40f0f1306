/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which functions of two builds or programs are the same function.
 *
 * Within builds of one program, a function is identified by its key and its graph.  Across programs that is not
 * sufficient: every program has a `main`.  There the source must be the same too, which is the base name and the
 * checksum of the file of the function.  So the paths that the unit tests of a library take are tested in the application
 * that contains the library, and the `main`s of both stay two functions.
 */
#ifndef WM_PROFILE_IDENTITY_H
#define WM_PROFILE_IDENTITY_H

#include "profile/map.h"
#include "profile/profile.h"

struct wm_function_identity {
	uint64_t key, graph_hash, source;
};
/* The only place that decides.  `same_program`: both are known to be of one program, or the user said that what one
 * program did counts for every other.  A function whose source is not known is the same in no other program. */
bool wm_same_function(const struct wm_function_identity *a, const struct wm_function_identity *b, bool same_program);

struct wm_function_identity wm_record_identity(const struct wm_profile_function *record);

/* The source of a function whose file has this path and checksum; 0, which is no source, if the checksum is not known. */
uint64_t wm_source_of_file(const char *path, const struct wm_map_checksum *checksum);
/* The source of something that consists of several functions; 0 if one of them is not known. */
uint64_t wm_source_of_all(const uint64_t *source, size_t count);

/* Fills in own_source of a function from the checksums of the module: that of its file or, without debug information, that
 * of the main file. */
void wm_map_set_own_source(const struct wm_map_module *module, struct wm_map_function *function);
/* Fills in source of a function, when own_source of all functions is filled in: a function into which calls were inlined
 * consists of several functions. */
void wm_map_set_source(const struct wm_map_module *module, struct wm_map_function *function);

#endif
