/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Subpaths: the unit of a whole program path (Larus, "Whole program paths", PLDI 1999; thesis07, section 3.6).  They are
 * the acyclic paths of Ball and Larus that also end before every call and begin again after it, so that the sequence of
 * subpaths of a thread says when each call happened.
 *
 * The graph of a plan is that of the parts of a function (core/graph/parts.h).  A call edge is treated like a back edge:
 * Start → part after the call, and part before the call → End.  Without parts the paths are the acyclic ones.
 * O(edges).
 */
#include "core/scheme/kiter.h"

const struct wm_scheme wm_scheme_subpath = {
	.name = "subpath",
	.number = 5,
	.summary = "acyclic paths that also end before calls (Larus 1999)",
	.at_calls = true,
	.build = wm_unroll,
};
