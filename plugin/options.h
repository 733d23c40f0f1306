/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What `waymark cc` asks of the plugin; it arrives in the environment. */
#ifndef WM_PLUGIN_OPTIONS_H
#define WM_PLUGIN_OPTIONS_H

#include "core/place.h"
#include "plugin/loops.h"
#include "profile/map.h"
#include "profile/profile.h"

struct wm_name_list {
	char *text; /* the file; patterns are cut out of it */
	char **pattern;
	size_t count;
};

struct wm_options {
	struct wm_scheme_choice choice; /* from scheme_text */
	const char *scheme_text;
	enum wm_cfg_stage stage;
	enum wm_update update;
	enum wm_placement placement; /* WAYMARK_PLACEMENT=naive: for tests */
	bool entries; /* WAYMARK_NO_ENTRIES=1: for measuring what entry counters cost */
	bool trace; /* WAYMARK_TRACE=1: calls an independent tracer too; for tests */
	bool has_allow, has_deny, has_weights, has_loops;
	struct wm_name_list allow, deny;
	struct wm_profile weights;
	struct wm_loop_choices loops; /* WAYMARK_K */
};

/* false: *error is one sentence. */
bool wm_options_init(struct wm_options *options, char error[300]);
void wm_options_release(struct wm_options *options);
/* Why a function of this name is not wanted, or NULL. */
const char *wm_options_refuse(const struct wm_options *options, const char *name);

#endif
