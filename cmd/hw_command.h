/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the files of `waymark hw` share; analysis/hw/hw.h says how a trace becomes a list of paths.
 *
 *   hw_run.c       runs a program under QEMU: hw_tracee.h has its process, hw_children.c the processes that it starts
 *   hw_progress.c  says how far the program is
 *   hw_plackett.c  --plackett-burman
 */
#ifndef WM_CMD_HW_COMMAND_H
#define WM_CMD_HW_COMMAND_H

#include "analysis/hw/hw.h"

/* The metric that an option names; ends in wm_fail if there is none with that name. */
enum wm_hw_metric wm_hw_metric_need(const char *name);

/* Runs the program and feeds its execution to the analysis. */
void wm_hw_run(struct wm_hw_feed *feed);

/* Tells the user how far the feed is. */
void wm_hw_progress(const struct wm_hw_feed *feed);

/* The study of --plackett-burman, in addition to the analysis: wm_hw_study_listener hears each step of a feed. */
struct wm_hw_study *wm_hw_study_new(const struct wm_hw_analysis_config *base);
void wm_hw_study_free(struct wm_hw_study *study);
struct wm_hw_listener wm_hw_study_listener(struct wm_hw_study *study);
/* Prints what the study of the feed's program found. */
void wm_hw_study_print(const struct wm_hw_study *study, const struct wm_hw_feed *feed);

#endif
