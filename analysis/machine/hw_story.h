/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A profile of paths of machine code, joined with its binaries: a list of paths. */
#ifndef WM_ANALYSIS_MACHINE_HW_STORY_H
#define WM_ANALYSIS_MACHINE_HW_STORY_H

#include "analysis/machine/descriptor_walk.h"
#include "analysis/machine/machine_trail.h"
#include "analysis/source/source.h"
#include "analysis/tell/steps.h"

struct wm_hw_view {
	enum wm_hw_metric by; /* the metric by which paths are ordered */
	bool counted; /* that metric was counted, even if it is 0 everywhere */
	size_t paths; /* at most so many are printed */
	bool json, no_source;
	const char *html, *debug_dir;
	struct wm_source_dirs source_dirs;
};

struct wm_hw_story_object {
	const struct wm_profile_object *counted;
	struct wm_code code; /* code.file NULL: its binary is not known */
	struct wm_hw_procedures *procedures; /* of the code; NULL: it is not known */
};
struct wm_hw_story_path {
	struct wm_hw_path path; /* start: in the object */
	size_t object;
	uint64_t count[WM_HW_METRIC_COUNT];
};
struct wm_hw_story {
	struct wm_hw_control control;
	const struct wm_hw_view *view;
	size_t object_count, path_count;
	struct wm_hw_story_object *object;
	struct wm_hw_story_path *path; /* by view->by, descending */
	uint64_t total[WM_HW_METRIC_COUNT];
	uint32_t metrics; /* bit set: which were counted */
};
/* Binaries are tried in the order given.  Ends in wm_fail if the profile contains several kinds of paths, or does not
 * contain the metric by which paths are ordered.  The profile must outlive the story. */
void wm_hw_story_build(struct wm_hw_story *story, const struct wm_profile *profile, char *const *binary,
	size_t binary_count, const struct wm_hw_view *view);
void wm_hw_story_release(struct wm_hw_story *story);
const struct wm_code *wm_hw_story_code(const struct wm_hw_story *story, const struct wm_hw_story_path *path);
/* "name", "name+0x12" or "object+0x4012"; heap. */
char *wm_hw_story_place(const struct wm_hw_story *story, const struct wm_hw_story_path *path);
/* The outcomes in the order of execution, as in "0110"; `text` must have room for WM_HW_MAX_BRANCHES + 1 bytes. */
void wm_hw_outcomes_text(const struct wm_hw_path *path, char *text);

/* The trail of a path and how it ends.  Without its binary it has no steps, and the end is unknown. */
enum wm_hw_end wm_hw_story_trail(const struct wm_hw_story *story, const struct wm_hw_story_path *path,
	struct wm_trail *trail, struct wm_arena *arena);
/* The source lines and outcomes of a path, and how it ends. */
enum wm_hw_end wm_hw_story_tell(
	const struct wm_hw_story *story, const struct wm_hw_story_path *path, struct wm_steps *steps);
/* Only how it ends. */
enum wm_hw_end wm_hw_story_end(const struct wm_hw_story *story, const struct wm_hw_story_path *path);

#endif
