/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Paths whose decisions contradict each other: `n == 3` is true, later `n > 5` is true, and nothing between them changes `n`.
 * Such a path is *likely infeasible*: it cannot be executed, as far as the facts (core/graph/facts.h) are right about what the
 * code between the decisions changes.  A path that is not recognised may be infeasible for a reason that is not seen here.
 */
#ifndef WM_CORE_TRAIL_FEASIBLE_H
#define WM_CORE_TRAIL_FEASIBLE_H

#include "core/graph/facts.h"
#include "core/trail/trail.h"

/* What is known of the tested values of one activation while its blocks are executed. */
struct wm_knowledge {
	const struct wm_facts *facts;
	struct wm_known_value *value; /* facts->value_count */
};
/* Nothing is known at first.  WM_NO_MEMORY. */
enum wm_status wm_knowledge_init(struct wm_knowledge *k, const struct wm_facts *facts, struct wm_arena *arena);
void wm_knowledge_forget(struct wm_knowledge *k);
/* The activation comes to the block by the edge `from` and leaves the block by the edge `to`; WM_NONE: it does not, or that is
 * not known.  `step` is any number, by which the caller knows this execution of the block.  Returns WM_NONE if this is
 * possible as far as is known; else the `step` of the block after which `to` cannot be taken.  O(log(facts) + facts of the
 * block). */
uint32_t wm_knowledge_pass(struct wm_knowledge *k, uint32_t block, uint32_t from, uint32_t to, uint32_t step);

/* Whether the activation, if it comes to the block by the edge `from`, may leave the block by the edge `to` as far as is known.
 * Nothing is learnt.  O(log(facts) + facts of the block). */
bool wm_knowledge_allows(const struct wm_knowledge *k, uint32_t block, uint32_t from, uint32_t to);

/* Two steps of a trail, or WM_NONE twice. */
struct wm_contradiction {
	uint32_t earlier; /* the step after which … */
	uint32_t later; /* … the decision at the end of this step cannot be as the trail has it */
};
/*
 * The first contradiction of a trail.  facts[f] are those of the function that the trail calls f, or NULL; a trail of original
 * functions (core/trail/original.h) is not accepted, because facts are of compiled functions.  Iterations of a loop are followed
 * where the path has them one after another; what happened between a context and the active part is not known.
 * WM_NO_MEMORY.
 */
enum wm_status wm_trail_find_contradiction(const struct wm_trail *trail, const struct wm_facts *const *facts,
	struct wm_contradiction *found, struct wm_arena *arena);

#endif
