/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which functions of a unit can be entered by code that hands no path over, and which of them may be signal handlers.  Paths across
 * calls begin at the entries of these functions: they are roots.  wm_unit_number (core/scheme/unit_scheme.h) makes roots also of
 * the callees of calls that are stepped over, and of functions that no crossed call enters.  Three readers of facts ask here, so that they agree: the compiler, which sees
 * one file (plugin/across/module_unit.h); the link step, which sees the program (link/link.h); and the reader of a profile of a file
 * that was numbered alone, which has what the compiler wrote into the map (analysis/join/units.h).
 */
#ifndef WM_POLICY_ROOTS_H
#define WM_POLICY_ROOTS_H

#include <stdbool.h>

struct wm_entry_facts {
	bool main; /* the C library calls it */
	bool visible; /* code outside of the unit can name it */
	bool taken; /* its address is taken, or a function without probes calls it */
	bool replaced; /* calls of it lead elsewhere: --wrap, or only inlined copies of it are left */
	bool handler_type; /* it has the type of a signal handler */
};
bool wm_is_entry(struct wm_entry_facts facts);
/* No call of such a function is crossed: a signal that arrives just before the call would take the path. */
bool wm_may_be_handler(struct wm_entry_facts facts);

#endif
