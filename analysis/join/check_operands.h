/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Operands of asserts.  assert(a || b) branches on `a` alone, and both sides of this branch hold or go on with `b`: it decides
 * nothing but the assert, although neither of its edges leads to a failure.
 *
 * A branch is of an assert if it is where the assert is in the source, and if all its edges that remain lead to where control
 * goes when the assert holds, or to other operands of the same assert.  In C++, an operand may have no branch, but the value that
 * the branch of the assert tests.  Without debug information, no operand is found.  A macro that tests something else for its
 * assert alone looks the same, and nothing but the assert depends on it.
 */
#ifndef WM_ANALYSIS_JOIN_CHECK_OPERANDS_H
#define WM_ANALYSIS_JOIN_CHECK_OPERANDS_H

#include "core/graph/checks.h"
#include "profile/map/map.h"

/* Fills in remainder->operand; the rest of the remainder must be there.  WM_NO_MEMORY.  O((blocks + edges) · operands of an assert). */
enum wm_status wm_check_operands_find(
	struct wm_remainder *remainder, const struct wm_map_function *map, struct wm_arena *arena);

#endif
