/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which call sites of a unit are crossed.
 *
 * Crossing a call multiplies the number of paths through the callee by the number of completions after the call.  Ids
 * have 63 bits, so a crossed site uses up bits of every path that contains it, in its function and in all callers that
 * cross calls of that function.  A function that no call crosses into begins paths of its own and has all bits for
 * itself.  So bits are scarce along a chain of calls, not in the unit as a whole.
 *
 * If all ids fit, every site that can be crossed is crossed.  So a request that steps over all sites but the crossed ones
 * of an earlier plan gives that plan again.  Otherwise callees are decided before their callers, and the sites of a
 * function in the order of falling frequency.  A site is crossed if the function's paths then have at most `budget` bits,
 * and if
 *
 *     inside · budget >= cost · outside
 *
 * where `inside` is the frequency of the site, `outside` the frequency of the calls of the function by sites that could be
 * crossed, and `cost` the number of bits that the site adds to those that a call of the function uses.  So a call in a loop may use all bits, and
 * a call in a rarely executed branch may use few, because the callers of the function need them.  Several sites are tried
 * together; a site that does not fit is stepped over, and less frequent sites are still tried.
 *
 * The budget is the largest integer for which all ids fit.
 *
 * Frequencies are executions counted by a profile, or estimates: those of wm_weights_static, multiplied along the call
 * graph from the functions that no site calls.  The frequency of a site that did not run in the profile is a small part of
 * its estimate.  The choice depends on the unit and the frequencies alone, not on the order of the functions.
 *
 * O((edges + sites) · trials · budgets), with 24 trials on average in large units and about 8 budgets.
 */
#ifndef WM_CORE_SCHEME_UNIT_CHOICE_H
#define WM_CORE_SCHEME_UNIT_CHOICE_H

#include "core/numbering/weights.h"
#include "core/scheme/unit_scheme.h"

/* The most acyclic paths (wm_unit_request.share) of a function that is compiled before its unit is known. */
#define WM_UNIT_SHARE ((uint64_t)1 << 44)

struct wm_unit_request {
	const struct wm_unit *unit;
	const struct wm_scheme *scheme;
	uint64_t limit; /* ids stay below this, at most 2^63; 0: 2^63 */
	/* The graph of every function is cut so that the function has at most this many acyclic paths; 0: graphs are cut only as
	 * far as the limit demands.  The cuts are part of the probe program.  So where the program is made before the unit is
	 * known, the share must be WM_UNIT_SHARE both for the program and for the table. */
	uint64_t share;
	/* Per function, or NULL for none: it can be called from outside of the unit. */
	const bool *entry;
	/* Per function, or NULL for none: calls of it are stepped over, because it may run at any time as a signal handler. */
	const bool *handler;
	/* Per function, per call site, or NULL for none: the site is stepped over. */
	const bool *const *over;
	/* Per function, per call site, or NULL for none: the site is tried before the other sites of its function, and is not
	 * compared with its cost. */
	const bool *const *first;
	/* Per function, or NULL for an estimate: executions of blocks and of the entry, on one scale for the whole unit.  A
	 * function whose entry did not run has estimated weights. */
	const struct wm_weights *weights;
};

/* Sets the crossing of every site of a plan whose functions have DAGs and whose call graph is known, and numbers the unit.
 * WM_TOO_MANY when ids do not fit although no site is crossed. */
enum wm_status wm_unit_choose(struct wm_unit_plan *plan, const struct wm_unit_request *request, struct wm_arena *arena);

#endif
