/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Functions whose one path follows from the paths of their callers.
 *
 * A small function without a decision that always comes back takes its only path as often as it
 * is called.  In a block of a caller it need not count, then: the call goes to a twin, a
 * copy without probes, and a record (WM_FUNC_FOLLOWS) says which cells count its path too:
 *
 *     the cells of the caller's paths through that block, if whoever takes the block takes
 *         such a path to its end, and if their ids are few runs;
 *     a cell of the block for all that it calls, if that is more than one function.
 *
 * What twins call follows as well.  This pays where functions are inlined, on the graph
 * `source`: tiny ones would otherwise count, one after the other, what their caller has
 * just counted.  Records cost space, so it is done where a profile says that it pays.
 */
#ifndef WM_PLUGIN_FOLLOW_H
#define WM_PLUGIN_FOLLOW_H

#include "core/numbering/weights.h"
#include "plugin/emit.h"
#include "profile/profile.h"

struct wm_follower {
	LLVMValueRef ir, twin; /* no twin: it is not counted */
	const struct wm_map_function *function;
};
/* Cells that count the path of a function too. */
struct wm_followed {
	struct wm_follower *follower;
	LLVMValueRef cells; /* NULL while the caller has none yet */
	uint64_t first;
	uint64_t count;
	bool site; /* of a block, not of the caller's paths */
};
struct wm_follow_call {
	LLVMValueRef call;
	struct wm_follower *follower;
};
struct wm_followers {
	double least; /* calls for which a record is worth its space */
	size_t count;
	struct wm_follower *item; /* by address */
	/* What is behind `done` is of the caller being instrumented. */
	size_t followed_count, followed_done, followed_room;
	struct wm_followed *followed;
	size_t call_count, call_done, call_room;
	struct wm_follow_call *call;
	size_t site_count, site_room;
	LLVMValueRef *site; /* of that caller: the first call that its cell stands for */
};

/* The functions of a module that may follow.  After wm_leaving_find.  `wanted`: whether a function is to
 * be instrumented. */
enum wm_status wm_follow_find(struct wm_followers *followers, LLVMModuleRef module, const struct wm_profile *weights,
	bool (*wanted)(void *closure, LLVMValueRef ir), void *closure);
void wm_follow_release(struct wm_followers *followers);

/* For every caller, before it is changed. */
enum wm_status wm_follow_choose(struct wm_followers *followers, LLVMValueRef ir, const struct wm_plan *plan,
	const struct wm_counting *counting, const struct wm_weights *weights, const struct wm_anchors *anchors);
/* For every function, when nothing but its probes is missing. */
void wm_follow_twin(struct wm_followers *followers, LLVMValueRef ir, const struct wm_map_function *function);
bool wm_is_twin(LLVMValueRef ir);
/* For every caller, when it has its cells. */
void wm_follow_emit(struct wm_followers *followers, struct wm_emitter *emitter, const struct wm_emitted *emitted);
/* In the end: twins are called, and records made: an array of them, to be retained.  NULL: there are none. */
LLVMValueRef wm_follow_finish(struct wm_followers *followers, struct wm_emitter *emitter);

#endif
