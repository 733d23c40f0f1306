/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * In how many runs a path was taken: expressions of SQL that roll-ups and reports share.
 *
 * A bundle of one run, which is what a raw profile is, says it of its paths; one of several runs (an indexed profile) only says that there
 * is at least one.  An increment of `waymark push` is a bundle, too, and the increments of one run are one run.  So two numbers are
 * kept, between which the number of runs lies, and which are the same wherever it is known.
 *
 * The increments of a run may be divided between a sum and later bundles.  That the run does not enter the smaller number twice, it does
 * so only beside its first increment, which is at one place.
 *
 * The expressions have the tables p (path), b (bundle of p), c (content of b with the function of p) and n (WM_RUNS_OF_BUNDLES).
 */
#ifndef WM_STORE_RUNS_H
#define WM_STORE_RUNS_H

/* clang-format off */

/* Per bundle that is no sum: how many ids of runs it has, one of them, and whether the first increment of that run (or the whole
 * run) is in a bundle with which it is counted.  beside: a condition on the bundle of the first increment, h.  Between the two
 * parts stands " JOIN …" or " WHERE …", which selects bundles by r.bundle: a store may have millions. */
#define WM_RUNS_OF_BUNDLES(beside) \
	"(SELECT r.bundle, count(*) AS ids, min(r.high || ',' || r.low || ',' || r.epoch) AS name, max(CASE WHEN r.part <= 1 OR" \
	" EXISTS (SELECT 1 FROM run q JOIN bundle h ON h.id = q.bundle AND h.sums = 0 AND " beside " WHERE q.high = r.high" \
	" AND q.low = r.low AND q.epoch = r.epoch AND q.part <= 1) THEN 1 ELSE 0 END) AS begins" \
	" FROM run r JOIN bundle g ON g.id = r.bundle AND g.sums = 0"
#define WM_RUNS_OF_BUNDLES_END " GROUP BY r.bundle)"

#define WM_IS_SEEN "coalesce(p.count, 0) <> 0"
#define WM_IS_ONE_RUN "b.sums = 0 AND b.runs <= 1 AND n.ids = 1"
/* Columns of a row of `path`: the run, if it is known, and again if it counts as at least one; and what to add of other rows. */
#define WM_RUN "CASE WHEN " WM_IS_SEEN " AND " WM_IS_ONE_RUN " THEN n.name END"
#define WM_RUN_THAT_BEGINS "CASE WHEN " WM_IS_SEEN " AND " WM_IS_ONE_RUN " AND n.begins = 1 THEN n.name END"
#define WM_OTHER_RUNS_LEAST \
	"CASE WHEN b.sums <> 0 THEN coalesce(p.runs, 0) WHEN " WM_IS_ONE_RUN " OR NOT " WM_IS_SEEN " THEN 0 ELSE 1 END"
#define WM_OTHER_RUNS_MOST \
	"CASE WHEN b.sums <> 0 THEN coalesce(p.most, 0) WHEN " WM_IS_ONE_RUN " OR NOT " WM_IS_SEEN " THEN 0" \
	" WHEN c.runs > 0 THEN c.runs WHEN b.runs > n.ids THEN b.runs ELSE n.ids END"

/* clang-format on */

#endif
