/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Superblocks in a build with a profile: forms those that policy/chosen_superblocks.h chooses, and says so in remarks. */
#ifndef WM_PLUGIN_USE_USE_SUPERBLOCKS_H
#define WM_PLUGIN_USE_USE_SUPERBLOCKS_H

#include "plugin/pass/module_pass.h"

/* A function after superblocks have been formed: what its graph, its anchors and its counts were before no longer holds. */
struct wm_use_shape {
	const struct wm_graph *graph;
	struct wm_anchors anchors;
	struct wm_executions ran;
};

/* Functions with more paths than this in the profile are left alone. */
#define WM_SUPERBLOCK_PATHS 65536u

/* Forms the superblocks of a function that ran, and sets s->shape.  The function keeps its behaviour, and its blocks if it has no
 * superblocks.  `request` is that of s->use.  WM_NO_MEMORY. */
enum wm_status wm_use_superblocks(
	const struct wm_module_pass *p, struct wm_subject *s, const struct wm_use_request *request);

#endif
