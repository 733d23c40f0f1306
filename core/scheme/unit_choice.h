/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which call sites of a unit are crossed.
 *
 * Every crossed call multiplies: the ways through the callee times the ways behind the call.  Ids have 63 bits, so a site
 * uses up bits of every path that passes it, in its function and in all callers that are crossed into that function.  A
 * function whose calls are all stepped over begins paths of its own and has all bits for itself.  So bits are scarce
 * along a chain of calls, not in the unit as a whole.
 *
 * If all ids fit, every site is crossed that can be.  So a request that steps over all sites but the crossed ones of an
 * earlier plan gives that plan again.  Otherwise functions are decided callees first; the sites of a function from the
 * hottest on.  A site is crossed if the function's paths then have at most `budget` bits, and if
 *
 *     inside · budget >= cost · outside
 *
 * where `inside` is how often the site runs, `outside` how often the function is called by sites that could be crossed,
 * and `cost` how many bits the site adds to what a call of the function uses.  So a call in a loop may use all bits, and
 * a call in a rarely executed branch may use few, because the callers of the function need them.  Several sites are tried
 * together; a site that does not fit is left out, and the colder ones are still tried.
 *
 * The budget is the largest integer for which all ids fit.
 *
 * Frequencies are executions counted by a profile, or estimates: those of wm_weights_static, multiplied along the call
 * graph from the functions that no site calls.  A site that did not run in the profile counts as much as a small part of
 * its estimate.  The choice depends on the unit and the frequencies alone, not on the order of the functions.
 *
 * O((edges + sites) · trials · budgets), with 24 trials on average in large units and about 8 budgets.
 */
#ifndef WM_CORE_SCHEME_UNIT_CHOICE_H
#define WM_CORE_SCHEME_UNIT_CHOICE_H

#include "core/numbering/weights.h"
#include "core/scheme/interprocedural.h"

/* The share of a function that is compiled before its unit is known. */
#define WM_UNIT_SHARE ((uint64_t)1 << 44)

struct wm_unit_request {
	const struct wm_unit *unit;
	const struct wm_unit_scheme *scheme;
	uint64_t limit; /* ids stay below this, at most 2^63; 0: 2^63 */
	/* The graph of every function is cut so that the function has at most so many acyclic paths; 0: graphs are cut only as
	 * far as the limit demands.  Where programs and tables are made apart it must be WM_UNIT_SHARE, because the cuts
	 * are part of the program. */
	uint64_t share;
	/* Per function, or NULL for none: it can be called from outside of the unit. */
	const bool *entry;
	/* Per function, or NULL for none: calls of it are stepped over, for it may run at any time, as a signal handler. */
	const bool *handler;
	/* Per function, per call site, or NULL for none: the site is stepped over. */
	const bool *const *over;
	/* Per function, per call site, or NULL for none: of the sites of a function these are crossed before all others,
	 * whatever they cost. */
	const bool *const *first;
	/* Per function, or NULL for an estimate: executions of blocks and of the entry, on one scale for the whole unit.  A
	 * function whose entry did not run has estimated weights. */
	const struct wm_weights *weights;
};

/* Sets the crossing of every site of a plan whose functions have DAGs and whose call graph is known, and numbers the unit.
 * WM_TOO_MANY when ids do not fit although no site is crossed. */
enum wm_status wm_unit_choose(struct wm_unit_plan *plan, const struct wm_unit_request *request, struct wm_arena *arena);

#endif
