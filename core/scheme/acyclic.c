/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Acyclic paths: Ball and Larus, "Efficient path profiling", MICRO 1996, sections 2 and 3.4.  A back edge t → h is
 * replaced by t → End and Start → h.
 *
 * Departures: back edges with the same head share one Start edge, because the paths that begin there are the same.
 * Cut edges are treated like back edges.
 *
 * The DAG is that of k-iteration paths in which no loop is unrolled (unroll.c).  Its nodes are Start, End, then the
 * reached blocks in reverse postorder.  O(edges).
 */
#include "core/scheme/kiter.h"

const struct wm_scheme wm_scheme_acyclic = {
	.name = "acyclic",
	.number = 1,
	.summary = "paths between back edges (Ball and Larus 1996)",
	.build = wm_unroll,
};

/* The same DAG; what differs is the second numbering: core/preferential/preferential.h. */
const struct wm_scheme wm_scheme_preferential = {
	.name = "preferential",
	.number = 2,
	.summary = "acyclic paths, with dense ids for interesting ones (POPL 2007)",
	.interesting = true,
	.build = wm_unroll,
};
