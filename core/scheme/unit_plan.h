/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Makes the plan of a unit (unit_scheme.h): chooses the call sites to cross, and numbers the paths. */
#ifndef WM_CORE_SCHEME_UNIT_PLAN_H
#define WM_CORE_SCHEME_UNIT_PLAN_H

#include "core/scheme/unit_choice.h"

/*
 * The sites are chosen by core/scheme/unit_choice.h.  If ids do not fit although no site is crossed, graphs are cut,
 * unless the request has a share.  Equal requests give equal plans.
 * WM_TOO_MANY: even the acyclic paths of all functions do not fit, however their graphs are cut.
 */
enum wm_status wm_unit_plan_make(
	struct wm_unit_plan *plan, const struct wm_unit_request *request, struct wm_arena *arena);

#endif
