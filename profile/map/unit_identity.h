/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Identities of paths across calls (core/scheme/unit_scheme.h), which the compiler, the link step and the reader of
 * a profile compute alike.  doc/formats.md has the definitions. */
#ifndef WM_PROFILE_MAP_UNIT_IDENTITY_H
#define WM_PROFILE_MAP_UNIT_IDENTITY_H

#include "core/scheme/unit_scheme.h"
#include "profile/map/map.h"

/* Hash of everything that the words of a function's table depend on, besides the numbering: the format of tables, graph, scheme, call sites and
 * spanning tree.  function->unit must not be NULL. */
uint64_t wm_unit_layout(const struct wm_map_module *module, const struct wm_map_function *function);
/* Hash of everything that gives an id of the unit its meaning: the scheme and, in the order of the numbering, per function
 * key, graph hash, whether paths begin at its entry, and of each call whether it is crossed and whether it is
 * followed by an end of the block (wm_call.followed).  `key` and `graph_hash` (of
 * wm_map_graph_hash), per function of the unit.  It is the graph hash of all functions of the unit in profiles. */
uint64_t wm_unit_graph_hash(const struct wm_unit_plan *plan, const uint64_t *key, const uint64_t *graph_hash);
/* The source (profile/map/identity.h) of all functions of the unit together, given wm_map_function.source and .code of each; it is
 * that of every function of the unit in profiles.  A half is 0 if it is not known of one of them. */
uint64_t wm_unit_source(const struct wm_unit_plan *plan, const uint64_t *source, const uint32_t *code);
/* The token of a function in a file that is numbered alone.  `scope`: that of the file's local functions. */
uint64_t wm_unit_token(uint64_t key, const char *scope);

#endif
