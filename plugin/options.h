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

/* Which paths are worth counting cheaply, or at all. */
enum wm_purpose {
	WM_PURPOSE_ALL,
	WM_PURPOSE_INTERESTING, /* all are counted; those in `paths` are expected */
	WM_PURPOSE_RESIDUAL, /* only paths that are not in `paths` are counted */
};
/* How a residual build tells tested paths from others. */
enum wm_telling {
	WM_TELL_CHEAPLY, /* by whichever of the others is expected to cost least */
	WM_TELL_WITH_REGIONS, /* at the ends of iterations, with small loops as regions */
	WM_TELL_EARLY, /* as early as is cheap, without regions */
	WM_TELL_BY_CORE, /* likewise, by whether they leave the core (core/closed.h) */
	WM_TELL_ASIDE, /* those that leave it go aside (plugin/aside.h) */
	WM_TELLING_COUNT
};
enum wm_interesting_store { WM_INTERESTING_PACKED, WM_INTERESTING_PERFECT, WM_INTERESTING_HASH };
/* What becomes of interesting paths whose dense ids need too many cells. */
enum wm_large_ids {
	WM_LARGE_IDS_HASH, /* their function counts in a hash table, with inline probes */
	WM_LARGE_IDS_UNINTERESTING, /* they are counted as if they were not interesting */
};

struct wm_options {
	struct wm_scheme_choice choice; /* from scheme_text */
	const char *scheme_text;
	enum wm_cfg_stage stage;
	enum wm_update update;
	enum wm_placement placement; /* WAYMARK_PLACEMENT=naive: for tests */
	bool entries; /* WAYMARK_NO_ENTRIES=1: for measuring what entry counters cost */
	bool trace; /* WAYMARK_TRACE=1: calls an independent tracer too; for tests */
	enum wm_purpose purpose;
	enum wm_interesting_store interesting_store; /* WAYMARK_INTERESTING_STORE: for tests and measuring */
	enum wm_large_ids large_ids;
	enum wm_telling telling; /* WAYMARK_TELLING: for tests and measuring */
	bool all_regions; /* WAYMARK_ALL_REGIONS: for tests; loops that hardly run are regions too */
	uint32_t array_limit; /* WAYMARK_ARRAY_LIMIT: for tests; 0: WM_ARRAY_PATHS and so on */
	uint32_t aside_limit; /* WAYMARK_ASIDE_LIMIT: for tests; 0: WM_ASIDE_SMALL */
	uint32_t large_id_limit; /* WAYMARK_LARGE_ID_LIMIT: for tests; a power of two, 0: WM_LOOP_ARRAY_PATHS */
	bool has_allow, has_deny, has_weights, has_loops;
	struct wm_name_list allow, deny;
	struct wm_profile weights;
	struct wm_profile paths; /* purpose not ALL */
	const char *paths_name; /* of their file */
	struct wm_loop_choices loops; /* WAYMARK_K */
};

/* false: *error is one sentence. */
bool wm_options_init(struct wm_options *options, char error[300]);
/* The profile that says how often edges run, or NULL. */
const struct wm_profile *wm_options_weights(const struct wm_options *options);
void wm_options_release(struct wm_options *options);
/* Why a function of this name is not wanted, or NULL. */
const char *wm_options_refuse(const struct wm_options *options, const char *name);

#endif
