/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Plans the functions of a module as one unit, for schemes whose paths cross calls (core/scheme/unit_scheme.h).
 *
 * The numbering is that of the file alone: it holds unless the link step numbers the whole program.  policy/roots.h says at
 * which functions paths begin.  Calls of functions of which another
 * definition may win at link time are stepped over, and so are calls of functions that may be signal handlers.
 */
#ifndef WM_PLUGIN_ACROSS_MODULE_UNIT_H
#define WM_PLUGIN_ACROSS_MODULE_UNIT_H

#include "plugin/actions/emission.h"
#include "plugin/extract/calls.h"
#include "policy/plugin_options.h"

/* A function of the unit.  The caller fills in what is above the results. */
struct wm_unit_subject {
	LLVMValueRef ir;
	struct wm_map_function *function; /* with its call sites */
	const struct wm_call_anchors *calls;
	struct wm_weights weights;
	/* Results: */
	struct wm_unit_program program; /* with its end */
	struct wm_across_function across;
};
struct wm_module_unit {
	LLVMModuleRef module;
	const struct wm_unit *unit;
	const struct wm_options *options;
	const char *scope; /* of local functions */
	struct wm_map_module *map;
	struct wm_unit_subject *subject; /* per function of the unit */
	LLVMValueRef *member; /* the functions of the unit by address; result */
	struct wm_unit_plan plan; /* result */
};

/* Sets `opaque` of the calls of a function that can never be crossed, and `tail`. */
void wm_unit_find_opaque(
	struct wm_unit_function *function, const struct wm_call_anchors *calls, struct wm_shim_analyses *analyses);
/* Numbers the unit and makes the programs and tables of all functions, and what the map says about them and about
 * functions that are called otherwise (map->taken). */
enum wm_status wm_module_unit_plan(struct wm_module_unit *module, struct wm_arena *arena);

#endif
