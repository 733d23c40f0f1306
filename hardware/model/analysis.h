/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * One pass over an execution: every thread's steps drive the models of the machine, the
 * events of each block go with its branch to the thread's path detector, and finished paths
 * go to the complete profile and to any number of hot path tables.
 *
 * Each thread has a machine and a path stack of its own; the tables and the profile are
 * common to all.  With a core, the first table is the one whose misses cost time.
 */
#ifndef WM_HARDWARE_ANALYSIS_H
#define WM_HARDWARE_ANALYSIS_H

#include "hardware/model/hot_path_table.h"
#include "hardware/model/modelled_machine.h"
#include "hardware/model/phases.h"

/* Gets the paths in the order in which each thread finishes them. */
struct wm_hw_path_sink {
	void *closure;
	/* NULL: nobody wants them.  Any other status than WM_HW_OK ends the analysis with this status. */
	enum wm_hw_status (*take)(void *closure, uint32_t thread, const struct wm_hw_path *path);
	enum wm_hw_status (*end)(void *closure, uint32_t thread); /* the thread has ended */
};

struct wm_hw_analysis_config {
	struct wm_hw_detector_config detector;
	struct wm_hw_machine_config machine;
	const struct wm_hw_table_config *table; /* not kept */
	size_t table_count;
	/* Instructions in a window, for overlaps over windows and phases; 0: neither. */
	uint64_t window;
	double phase_threshold;
	struct wm_hw_path_sink sink;
};

/* A table under judgement. */
struct wm_hw_judged {
	struct wm_hw_table complete; /* updated all the time */
	struct wm_hw_table window; /* emptied at the end of each window */
	double window_overlap; /* the sum over all windows in which the metric had any event */
	uint64_t windows; /* how many these are */
};

struct wm_hw_analysis {
	struct wm_hw_pathmap paths;
	struct wm_hw_judged *judged; /* one for each table of the configuration */
	size_t judged_count;
	struct wm_hw_phases phases;
	uint64_t instructions;
	struct wm_hw_detector_stats stats; /* of all threads; complete after wm_hw_analysis_finish */
	struct wm_hw_core_stats core; /* likewise; cycles of threads add up */
	struct wm_hw_analysis_state *state;
};

/* WM_HW_BAD_CONFIG: one of the parts' configurations is bad. */
enum wm_hw_status wm_hw_analysis_init(struct wm_hw_analysis *analysis, const struct wm_hw_analysis_config *config);
void wm_hw_analysis_release(struct wm_hw_analysis *analysis);
enum wm_hw_status wm_hw_analysis_step(struct wm_hw_analysis *analysis, const struct wm_hw_step *step);
/* Whether wm_hw_analysis_run may be used: neither a part of a machine nor windows are modelled. */
bool wm_hw_analysis_takes_runs(const struct wm_hw_analysis *analysis);
/* The same as wm_hw_analysis_step for each step of the run, in less time, until at least `most` instructions have been
 * executed in all. */
enum wm_hw_status wm_hw_analysis_run(struct wm_hw_analysis *analysis, const struct wm_hw_run *run, uint64_t most);
/* The execution is over.  The last window counts if it is at least half full, or the only one. */
enum wm_hw_status wm_hw_analysis_finish(struct wm_hw_analysis *analysis);

/* Mean of the overlaps over windows; 1 without any. */
double wm_hw_judged_window_overlap(const struct wm_hw_judged *judged);

#endif
