/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which call sites of a unit are crossed, and the plan that follows (interprocedural.h). */
#ifndef WM_CORE_SCHEME_UNIT_PLAN_H
#define WM_CORE_SCHEME_UNIT_PLAN_H

#include "core/scheme/unit_choice.h"

/*
 * Chooses what to cross (core/scheme/unit_choice.h) and numbers.  If ids do not fit although nothing is crossed, graphs
 * are cut, unless the request has a share.  Deterministic in the request.
 * WM_TOO_MANY when not even the acyclic paths of all functions fit, however their graphs are cut.
 */
enum wm_status wm_unit_plan_make(
	struct wm_unit_plan *plan, const struct wm_unit_request *request, struct wm_arena *arena);

#endif
