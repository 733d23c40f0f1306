/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * waymark hw: the hardware path profiler on unmodified programs.
 *
 *   feed.c          takes the trace of a program that runs (cmd/hw_command.h) or one that was recorded into one analysis
 *                   (hardware/model/analysis.h)
 *   hw_profile.c    the analysis as an ordinary profile
 *   hw_wpp.c        the sequence of paths as a recording for `waymark wpp`
 *   analysis/machine/hw_story.h, machine_trail.h   a profile and its binaries as a list of paths, and a path as a trail
 *   view/hw/hw_view.c, view/hw/hw_json.c   print the list
 */
#ifndef WM_ANALYSIS_HW_HW_H
#define WM_ANALYSIS_HW_HW_H

#include "analysis/hw/hw_wpp.h"
#include "analysis/join/stopped.h"
#include "analysis/machine/hw_story.h"
#include "hardware/model/analysis.h"
#include "hardware/trace/trace_file.h"
#include "hardware/trace/trace_follow.h"
#include "support/output.h"

struct wm_hw_options {
	struct wm_hw_analysis_config analysis;
	struct wm_hw_table_config *table; /* analysis.table, owned */
	struct wm_hw_view view;
	const char *record, *replay, *output;
	const char *wpp; /* where the whole program path is written */
	const char *program_output; /* --stdout */
	uint64_t limit; /* instructions; 0: all */
	bool from_table; /* --from-table */
	const char *mode; /* as given, or NULL */
	bool quiet;
	bool kill; /* --kill */
	bool plackett; /* --plackett-burman */
	bool accesses; /* trace every memory access */
	char **command;
};

/* Who listens while a feed takes a trace. */
struct wm_hw_feed;
struct wm_hw_listener {
	void *closure; /* of `step` and `finish` */
	void (*step)(void *closure, const struct wm_hw_step *step); /* NULL: the feed may take several steps at once */
	void (*finish)(void *closure); /* after the last step */
	void (*progress)(const struct wm_hw_feed
			*feed); /* after a part of the program has been analysed; NULL: nobody watches */
};

/* Turns a trace into an analysis. */
struct wm_hw_feed {
	const struct wm_hw_options *options;
	struct wm_trace_program program;
	struct wm_follow *follow; /* NULL: no program has started */
	struct wm_hw_analysis analysis;
	struct wm_hw_listener listener; /* set after wm_hw_feed_init */
	struct wm_trace_writer *writer; /* NULL: no --record */
	struct wm_output record;
	struct wm_hw_wpp *sequence; /* NULL: no --wpp */
	uint64_t facts_used;
	int status; /* wait status of the program */
	size_t trace_read, trace_size; /* of a replay, in bytes; size 0: not known */
	/* What stopped the analysis before the end of the program (hw_stopped.c). */
	bool limited; /* the limit of instructions */
	bool interrupted; /* the user, who interrupted a replay */
	bool damaged; /* the end of the trace */
	bool recorded_in_part; /* what stopped the recording of the trace */
};

void wm_hw_feed_init(struct wm_hw_feed *feed, const struct wm_hw_options *options);
void wm_hw_feed_release(struct wm_hw_feed *feed);
/* Must be called first; ends in wm_fail if the architecture is not known. */
void wm_hw_feed_begin(struct wm_hw_feed *feed, const struct wm_trace_header *header);
/* The log of facts has grown to `size` bytes. */
void wm_hw_feed_facts(struct wm_hw_feed *feed, const uint8_t *log, size_t size);
/* False: the limit is reached.  A damaged trace ends in wm_bug, because Waymark itself wrote it. */
bool wm_hw_feed_words(struct wm_hw_feed *feed, uint32_t thread, const uint64_t *word, size_t count);
void wm_hw_feed_end(struct wm_hw_feed *feed, int status);
/* Reads a recorded trace to its end.  If the trace is damaged, warns and uses the part before the damage. */
void wm_hw_feed_file(struct wm_hw_feed *feed, const char *path);

/* hw_stopped.c: why the profile does not have all that the program would have executed, and the same as a sentence: heap, NULL if
 * nothing was stopped. */
struct wm_stops wm_hw_stops(const struct wm_hw_feed *feed);
char *wm_hw_stopped_text(const struct wm_hw_feed *feed);

/* hw_profile.c: the complete profile, for `merge` and `report`. */
struct wm_profile;
void wm_hw_profile_build(struct wm_profile *profile, const struct wm_hw_feed *feed);
void wm_hw_profile_write(const struct wm_hw_feed *feed, const char *path);

#endif
