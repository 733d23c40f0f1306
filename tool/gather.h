/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Gathers the functions of units from the map and the link records of a binary, and finds the callee of every call
 * site: the part that the link step, which chooses what to cross, and tool/unit.c, which reads what was chosen, share.
 *
 * Of the linker's work only the link records are left: which definitions of a function are in the file.  A callee is
 * the function with the key that the call names.  If several definitions have that key, the single one that is not weak
 * is the callee; if there is no such one, the callee is not known.
 */
#ifndef WM_TOOL_GATHER_H
#define WM_TOOL_GATHER_H

#include "tool/links.h"
#include "tool/unit.h"

/* One unit per scheme of all functions that have a link record, by linkage name, then key, then layout.  Sets all but
 * plan and hash; fate is WM_CROSSED where nothing speaks against it yet.  `trouble` of *units counts records that the
 * map does not know. */
void wm_gather_whole(
	struct wm_units *units, const struct wm_object *object, const struct wm_links *links, struct wm_arena *arena);
/* One unit per module and scheme, of all its functions. */
void wm_gather_alone(
	struct wm_units *units, const struct wm_object *object, const struct wm_links *links, struct wm_arena *arena);
/* unit.c: wm_units_read, for link records that have been read already. */
void wm_units_build(
	struct wm_units *units, const struct wm_object *object, const struct wm_links *links, struct wm_arena *arena);
/* After the plan was made: sets the hash and the fate of sites that the plan steps over. */
void wm_gather_finish(struct wm_binary_unit *unit);
/* The key of the function that a call site, or an index in the same numbering as wm_call.callee, names. */
uint64_t wm_callee_key(const struct wm_map_module *module, uint32_t callee);

/* The functions of a unit by key. */
struct wm_keyed {
	uint64_t key;
	uint32_t function;
};
struct wm_keyed *wm_unit_keys(const struct wm_binary_unit *unit, struct wm_arena *arena);
/* The first element with the key; `count` when there is none. */
uint32_t wm_keyed_find(const struct wm_keyed *keyed, uint32_t count, uint64_t key);

#endif
