/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What `waymark cc` asks of the plugin: the settings (policy/settings.h) with the files that they name read. */
#ifndef WM_POLICY_PLUGIN_OPTIONS_H
#define WM_POLICY_PLUGIN_OPTIONS_H

#include "core/probes/place.h"
#include "core/scheme/unit_scheme.h"
#include "policy/chosen_loops.h"
#include "policy/chosen_superblocks.h"
#include "policy/site_list.h"
#include "profile/base/function_counts.h"
#include "profile/map/map.h"

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
/* How a residual build tells tested paths from others.  A preferential build uses regions, or unfolds frequent paths. */
enum wm_check_method {
	WM_CHECK_CHEAPLY, /* by whichever of the others is expected to cost least */
	WM_CHECK_WITH_REGIONS, /* at the ends of iterations, with small loops as regions */
	WM_CHECK_EARLY, /* as early as is cheap, without regions */
	WM_CHECK_BY_CORE, /* likewise, by whether they leave the core (core/paths/closed_core.h) */
	WM_CHECK_BY_PLACE, /* by which copy of the code they run in (policy/copies.h) */
	WM_CHECK_UNFOLDED, /* as early as is cheap, and frequent paths by their own copies (policy/unfold.h) */
};

/*
 * What tests and measurements may change, in one variable:  WAYMARK_TEST=KEY=VALUE,KEY,…
 *
 *     placement=naive        every value on its own edge
 *     no-entries             functions do not count their entries
 *     trace                  calls an independent tracer too (plugin/pass/trace.h)
 *     perfect                interesting paths are looked up by a perfect hash
 *     check=NAME             cheaply, regions, early, core, place or unfolded
 *     copy-limit=N           of functions with more than N blocks only loops are copied
 *     all-regions            loops that hardly run are regions too
 *     array-limit=N          functions with more paths than N are not counted in an array
 *     step-over              no call is crossed
 *     spoil                  the description of the function `spoilt` is such that the map cannot hold it
 *     superblocks=NAME       decided, iterated, determined, hot or all: the traces that are formed (policy/chosen_superblocks.h)
 */
struct wm_test_options {
	enum wm_placement placement;
	bool entries, trace, perfect, all_regions, step_over, spoil;
	enum wm_check_method check_method;
	uint32_t array_limit; /* 0: WM_ARRAY_PATHS and so on */
	uint32_t copy_limit; /* 0: WM_COPY_SMALL */
	enum wm_superblock_evidence evidence;
};

/* Which calls are inlined (core/graph/supergraph.h). */
struct wm_inline_options {
	uint32_t copies; /* of a recursive function; 0: nothing is inlined */
	uint32_t percent; /* how large the module may become, in percent of its size before; 0: the user did not say */
	bool has_sites; /* only the calls that `sites` names are inlined */
	struct wm_site_list sites;
};

struct wm_options {
	struct wm_scheme_choice choice; /* from scheme_text */
	const char *scheme_text;
	enum wm_cfg_stage stage;
	enum wm_update update;
	enum wm_purpose purpose;
	struct wm_test_options test;
	bool has_allow, has_deny, has_weights, has_loops;
	bool system_headers; /* functions in system headers are instrumented too */
	bool conditions_of_values; /* operands that are no branches become branches (-fwaymark-conditions=values) */
	bool unfinished; /* -fwaymark-unfinished */
	bool crash; /* -fwaymark-crash */
	unsigned crash_paths; /* … how many finished paths it is asked for; 0: none are noted */
	struct wm_name_list allow, deny;
	struct wm_profile weights;
	struct wm_profile paths; /* purpose not ALL */
	const char *paths_name; /* of their file */
	bool marks; /* -fwaymark-marks */
	bool has_use, has_scheme; /* -fwaymark-use, -fwaymark-scheme or -fwaymark-k were given */
	struct wm_profile use; /* the sum of the profiles of -fwaymark-use */
	uint32_t superblock_growth,
		superblock_small; /* of a function: in percent, and in instructions (policy/chosen_superblocks.h) */
	struct wm_loop_choices loops; /* WAYMARK_K */
	struct wm_inline_options inlining;
};

/* What kind of build they ask for. */
bool wm_options_instruments(const struct wm_options *options); /* neither a profile is used nor are blocks marked */
bool wm_options_uses(
	const struct wm_options *options); /* nothing is instrumented: the program is optimised with a profile */
bool wm_options_records(const struct wm_options *options); /* subpaths are recorded, and nothing is counted */
bool wm_options_crosses(const struct wm_options *options); /* paths cross calls: functions are planned together */
bool wm_options_counts(const struct wm_options *options); /* paths are counted, in functions or across calls */
bool wm_options_counts_inside(const struct wm_options *options); /* every function counts the paths in itself */
/* Calls say where unfinished paths stand (plugin/sites/described_calls.h). */
bool wm_options_leaves(const struct wm_options *options);
bool wm_options_inlines(const struct wm_options *options); /* calls are inlined before functions are planned */
bool wm_options_knows(const struct wm_options *options); /* a profile says which paths are interesting or tested … */
bool wm_options_knows_inside(const struct wm_options *options); /* … of paths in functions */
/* Calls may read and write the counters although the IR of their callees says that they do not: other files are instrumented
 * too, or callees continue paths. */
bool wm_options_changes_callees(const struct wm_options *options);

/* Reads the environment.  false: *error is one sentence. */
bool wm_options_init(struct wm_options *options, char error[300]);
/* The profile that says how often edges run, or NULL.  Paths across calls are known by ids of a numbering that depends on
 * the weights, so `paths` are no weights for them: the numbering must be that of the build that counted `paths`. */
const struct wm_profile *wm_options_weights(const struct wm_options *options);
void wm_options_release(struct wm_options *options);
/* How many instructions inlining may add to a module that has `size`.  By default as many as WM_INLINE_PERCENT says, but small
 * modules may always grow by WM_INLINE_FREE. */
#define WM_INLINE_PERCENT 150u
#define WM_INLINE_FREE 1000u
uint64_t wm_options_inline_room(const struct wm_options *options, uint64_t size);
/* Whether a call site is to be inlined if it can be.  *count: how often it is executed, 1 if that is not known. */
bool wm_options_inline(struct wm_options *options, const struct wm_map_function *caller, const struct wm_call *call,
	const char *callee, uint64_t *count);
/* Why a function of this name is not wanted, or NULL. */
const char *wm_options_refuse(const struct wm_options *options, const char *name);

#endif
