/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The units of a binary that counts paths across calls (core/scheme/interprocedural.h): which functions are numbered
 * together, what the numbers mean, and what became of every call site.
 *
 * The map has the graphs and call sites; the link records and tables of the file (abi/unit.h) say which sites are
 * crossed.  Where `waymark cc` did the final link, the file is *numbered whole*: all functions of a scheme whose link
 * records survived are one unit.  Elsewhere (a link by clang or ld, an object file, an archive) each module is
 * *numbered alone*, and the map says which sites are crossed.
 *
 *     struct wm_units units;
 *     wm_units_read(&units, &object, &arena);
 *     const struct wm_binary_unit *unit = wm_units_find(&units, func->graph_hash);
 *     wm_unit_path_decode(&unit->plan, id, &path, &arena);
 *     for (i = 0; i < path.length; i++)
 *             … unit->member[path.step[i].function].map->name …
 */
#ifndef WM_TOOL_UNIT_H
#define WM_TOOL_UNIT_H

#include "core/scheme/interprocedural.h"
#include "tool/object.h"

/* Why a call site is stepped over, as far as the core does not know (enum wm_crossing, whose values this list
 * continues).  The link step leaves the value in the table of a site that is stepped over. */
enum wm_site_fate {
	WM_SITE_INDIRECT = 64, /* the call names no callee */
	WM_SITE_OUTSIDE, /* the callee is not in the file, or does not count paths of this scheme */
	WM_SITE_NOT_PREPARED, /* the compiler saw that the call can never be crossed */
	WM_SITE_REPLACEABLE, /* a shared object exports the callee: another object may define it */
	WM_SITE_SEVERAL, /* there are several definitions of the callee */
	WM_SITE_HANDLER, /* the callee may run as a signal handler */
	WM_SITE_WRAPPED, /* --wrap replaces the callee */
	WM_SITE_LISTED, /* -fwaymark-cross says so */
	WM_SITE_OF_LINK, /* numbered alone: what the callee is, the link decides */
	WM_SITE_FATE_END
};

/* A function of a unit. */
struct wm_unit_member {
	const struct wm_map_function *map;
	const struct wm_map_module *module;
	uint32_t link; /* its link record, in struct wm_links; WM_NONE: the file does not have the function's code */
};

struct wm_binary_unit {
	const struct wm_object *object;
	const struct wm_map_module *module; /* numbered alone; NULL: numbered whole */
	bool linked; /* numbered whole */
	const struct wm_unit_scheme *scheme;
	uint64_t hash; /* graph_hash of its functions in profiles (wm_unit_graph_hash) */
	struct wm_unit unit;
	struct wm_unit_plan plan; /* plan.unit == &unit */
	struct wm_unit_member *member; /* per function of `unit` */
	uint8_t **fate; /* per function, per call site: enum wm_crossing or enum wm_site_fate */
};

/* Where a function of the map is in the units. */
struct wm_unit_index {
	const struct wm_map_function *map;
	const struct wm_binary_unit *unit;
	uint32_t function;
};
struct wm_units {
	uint32_t count, capacity;
	struct wm_binary_unit **unit;
	size_t index_count;
	struct wm_unit_index *index; /* for wm_units_of */
	char trouble[256]; /* "" or why some functions are in no unit: one clause */
};

/* Reads the file of `object` again for its link records.  Everything is in the arena and points into the map, which
 * must stay.  Binaries without such schemes have no units.  Damaged records are left out, and `trouble` says so. */
void wm_units_read(struct wm_units *units, const struct wm_object *object, struct wm_arena *arena);
/* The unit whose functions have this graph_hash in profiles; NULL: there is none.  O(units). */
const struct wm_binary_unit *wm_units_find(const struct wm_units *units, uint64_t hash);
/* The unit that a function of the map belongs to, and its index there; if only another module's copy of the function is in
 * a unit, that copy.  NULL: none.  O(log functions). */
const struct wm_unit_index *wm_units_of(const struct wm_units *units, const struct wm_map_function *function);
/* The function of a unit with this key (wm_function_key()); WM_NONE: there is none.  O(functions). */
uint32_t wm_binary_unit_function(const struct wm_binary_unit *unit, uint64_t key);
/* Whether paths across calls are counted in the function. */
bool wm_counts_across(const struct wm_map_function *function);

/* A clause that says why a site is stepped over, or "it is crossed". */
const char *wm_site_fate_text(uint8_t fate);

#endif
