/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The units of a binary that counts paths across calls (core/scheme/unit_scheme.h): which functions are numbered
 * together, what the numbers mean, and what became of every call site.
 *
 * The map has the graphs and call sites; the link records and tables of the file (abi/unit_tables.h) say which sites are
 * crossed.  Where `waymark cc` did the final link, the file is *numbered whole*: all functions of a scheme whose link
 * records survived are one unit.  Elsewhere (a link by clang or ld, an object file, an archive) each module is
 * *numbered alone*, and the map says which sites are crossed.
 *
 *     struct wm_units units;
 *     wm_units_read(&units, &object, &arena);
 *     const struct wm_binary_unit *unit = wm_units_of(&units, function)->unit;
 *     wm_trail_decode(…, id, &trail, &arena), as analysis/tell/trails.c does, with unit->plan.function;
 *     for (i = 0; i < trail.count; i++)
 *             … unit->member[trail.step[i].function].map->name …
 */
#ifndef WM_ANALYSIS_JOIN_UNITS_H
#define WM_ANALYSIS_JOIN_UNITS_H

#include "analysis/join/gather.h"

/* Reads the file of `object` again for its link records.  Everything is in the arena and points into the map, which
 * must stay.  Binaries without such schemes have no units.  Damaged records are left out, and `trouble` says so. */
void wm_units_read(struct wm_units *units, const struct wm_object *object, struct wm_arena *arena);
/* The same for link records that have been read already. */
void wm_units_build(
	struct wm_units *units, const struct wm_object *object, const struct wm_links *links, struct wm_arena *arena);
/* The unit that a function of the map belongs to, and its index there; if only another module's copy of the function is in
 * a unit, that copy.  NULL: none.  O(log functions). */
const struct wm_unit_index *wm_units_of(const struct wm_units *units, const struct wm_map_function *function);

#endif
