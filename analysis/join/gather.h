/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Gathers the functions of units from the map and the link records of a binary, and finds the callee of every call
 * site: the part that the link step, which chooses what to cross, and analysis/join/units.c, which reads what was chosen, share.
 *
 * Of the linker's work only the link records are left: which definitions of a function are in the file.  Records with the
 * same key and layout are copies of one function: whichever copy runs, its numbers are the same.  A callee is the
 * function with the key that the call names.  If several functions have that key, the single one that is not weak is the
 * callee; if there is no such one, the callee is not known.  An alias is one more name of the function beside which it is
 * defined.
 */
#ifndef WM_ANALYSIS_JOIN_GATHER_H
#define WM_ANALYSIS_JOIN_GATHER_H

#include "core/scheme/unit_scheme.h"
#include "elf/elf_object.h"
#include "elf/links.h"

/* Why a call site is stepped over, as far as the core does not know (enum wm_crossing, whose values this list
 * continues).  The link step leaves the value in the table of a site that is stepped over: values are stored in linked files,
 * so a new one is added at the end.  A reason that follows from the unit alone belongs to enum wm_crossing. */
enum wm_site_fate {
	WM_SITE_INDIRECT = 64, /* the call names no callee */
	WM_SITE_OUTSIDE, /* the callee is not in the file, or does not count paths of this scheme */
	WM_SITE_NOT_PREPARED, /* the compiler saw that the call can never be crossed */
	WM_SITE_REPLACEABLE, /* a shared object exports the callee: another object may define it */
	WM_SITE_SEVERAL, /* there are several definitions of the callee */
	WM_SITE_HANDLER, /* the callee may run as a signal handler */
	WM_SITE_WRAPPED, /* --wrap replaces the callee */
	WM_SITE_LISTED, /* -fwaymark-cross says so */
	WM_SITE_NOT_LEAF, /* only earlier versions: the callee calls functions */
	WM_SITE_OF_LINK, /* numbered alone: what the callee is, the link decides */
	WM_SITE_FATE_END
};

/* A function of a unit. */
struct wm_unit_member {
	const struct wm_map_function *map;
	const struct wm_map_module *module;
	/* Its link records, in struct wm_links: one per copy of the function.  None: the file does not have its code. */
	uint32_t link_count;
	uint32_t *link;
	uint64_t flags; /* WM_LINK_*; WEAK and COPY if all records have them, the others if any has */
};

struct wm_binary_unit {
	const struct wm_object *object;
	const struct wm_map_module *module; /* numbered alone; NULL: numbered whole */
	bool linked; /* numbered whole */
	const struct wm_scheme *scheme;
	uint64_t hash; /* graph_hash of its functions in profiles (wm_unit_graph_hash) */
	uint64_t source; /* of its functions in profiles (wm_unit_source) */
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

/* Whether paths across calls are counted in the function. */
bool wm_counts_across(const struct wm_map_function *function);
/* A clause that says why a site is stepped over, or "it is crossed". */
const char *wm_site_fate_text(uint8_t fate);

/* One unit per scheme of all functions that have a link record, by linkage name, then key, then layout.  Sets all but
 * plan and hash; fate is WM_CROSSED where nothing speaks against it yet.  `trouble` of *units counts records that the
 * map does not know. */
void wm_gather_whole(
	struct wm_units *units, const struct wm_object *object, const struct wm_links *links, struct wm_arena *arena);
/* One unit per module and scheme, of all its functions. */
void wm_gather_alone(struct wm_units *units, const struct wm_object *object, struct wm_arena *arena);
/* After the plan was made: sets the hash and the fate of sites that the plan steps over. */
void wm_gather_finish(struct wm_binary_unit *unit);
/* The key of the function that a call site, or an index in the same numbering as wm_call.callee, names. */
uint64_t wm_callee_key(const struct wm_map_module *module, uint32_t callee);

/* The functions of a unit by key. */
struct wm_keyed {
	uint64_t key;
	uint32_t function;
	bool weak; /* another definition of this name may win */
};
struct wm_keyed *wm_unit_keys(const struct wm_binary_unit *unit, struct wm_arena *arena);
/* The first element with the key; `count` when there is none. */
uint32_t wm_keyed_find(const struct wm_keyed *keyed, uint32_t count, uint64_t key);

#endif
