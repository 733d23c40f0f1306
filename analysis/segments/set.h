/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The path segments across calls that runs of a program executed (thesis07, section 3.4.2), from the profile of a build
 * with -fwaymark-segments or from recordings (-fwaymark-wpp), and which of them no test executed (section 3.5.2).
 *
 * Segments of different builds are compared by their blocks.  A block is FUNCTION:INDEX; where several functions of the
 * binaries have the same name, FUNCTION is NAME@KEY, or NAME@PROGRAM (analysis/segments/segment_names.h).
 *
 * The acyclic paths of single functions answer the question which untested segments a profile of single functions cannot
 * show.  A recording contains them.  Profiles contain them if the build without -fwaymark-segments was run too.
 */
#ifndef WM_ANALYSIS_SEGMENTS_SET_H
#define WM_ANALYSIS_SEGMENTS_SET_H

#include "analysis/counts/segment_counts.h"
#include "analysis/join/filter.h"
#include "analysis/join/story.h"
#include "analysis/projection/projection.h"
#include "analysis/replay/recording_view.h"
#include "analysis/tell/steps.h"

struct wm_segment_recording {
	struct wm_wpp_view view;
	bool borrowed; /* the view belongs to someone else */
	struct wm_segment_counts counts;
};

/* Must be initialised with zeros, except any_program. */
struct wm_segment_set {
	bool any_program; /* functions are compared by name and key alone */
	struct wm_projection segments; /* descending counts */
	struct wm_projection paths; /* acyclic paths: the text is FUNCTION, a blank, graph and id */
	bool paths_known;
	struct wm_words path_functions; /* functions of the builds whose paths are known */
	bool residual; /* executions of tested segments were not counted */
	uint64_t stepped_over; /* executions of calls that were not inlined and may have called a profiled function */
	uint64_t abandoned, resumed; /* paths through calls that were begun and not counted, or continued elsewhere */
	uint64_t cut; /* executions of paths that were cut, because their function has too many paths */
	size_t inlined; /* executed functions into which calls were inlined */
	size_t recording_count;
	struct wm_segment_recording *recording;
	char *lacks; /* sentences, one per line, from wm_segment_set_finish() on: what the recordings lack */
	bool stopped; /* the recordings, or reading them, stopped early */
};

/* Whether a file is a recording: grammars, or a raw profile with streams.  A directory, and a file that cannot be read, is none:
 * who then reads it as a profile says what is wrong. */
bool wm_segments_is_recording(const char *path);

/* Adds what a profile counts.  The story must outlive the set.  wm_fail if no build has paths through calls. */
void wm_segment_set_take_story(struct wm_segment_set *set, const struct wm_story *story, uint32_t depth);
/* Adds recordings of any of the binaries.  Raw profiles are taken as one recording, because processes that were forked
 * continue what their parents recorded. */
void wm_segment_set_take_recordings(struct wm_segment_set *set, char *const *paths, size_t count,
	const struct wm_operands *binaries, uint32_t depth, const char *debug_dir);
/* Adds one recording, which must outlive the set. */
void wm_segment_set_take_view(struct wm_segment_set *set, const struct wm_wpp_view *view, uint32_t depth);
/* Sums up; call it once, after everything was taken. */
void wm_segment_set_finish(struct wm_segment_set *set);
void wm_segment_set_release(struct wm_segment_set *set);

struct wm_untested_segments {
	size_t executed, untested; /* segments of the field */
	/* Not among the untested ones: the tests executed a call on the segment that is not inlined, or abandoned a path that
	 * may contain it, so their profile cannot show whether they executed the segment. */
	size_t perhaps_tested;
	uint64_t executions, untested_executions;
	bool paths_known; /* of the field and of the tests; else the two numbers below are not known */
	size_t functions_with_paths; /* functions that have an untested acyclic path */
	size_t hidden; /* untested segments that go only through other functions */
	/* Untested segments through functions that the build whose paths are known does not have, by name and key: link-time
	 * optimisation changes keys. */
	size_t without_paths;
	const struct wm_segment_set *tests;
};
/* Leaves in `field` only the segments that the tests do not have: first the untested ones, with `hidden` of each, then those
 * that are perhaps tested. */
void wm_segment_set_subtract(
	struct wm_segment_set *field, const struct wm_segment_set *tests, struct wm_untested_segments *untested);

/* The steps of a segment of the set; returns a function of the binary that it belongs to. */
const struct wm_story_function *wm_segment_steps(
	const struct wm_segment_set *set, const struct wm_projected_segment *segment, struct wm_steps *steps);

/* Whether the segment has a line in a file that --file and --exclude let pass.  `steps` is working memory. */
bool wm_segment_wanted(const struct wm_segment_set *set, const struct wm_projected_segment *segment,
	struct wm_steps *steps, const struct wm_function_filter *filter);

#endif
