/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Phases of an execution, by the set of its hot paths (thesis, section 6.2.3).  Execution is
 * cut into windows.  The signature of a window is its WM_HW_PHASE_PATHS most frequent paths
 * with their shares; two windows are alike as far as their signatures overlap.  A window
 * belongs to the phase whose first window it is most like, if their overlap is at least the
 * threshold, and starts a new phase otherwise.  Programs that run the same blocks along
 * other paths so change their phase.
 */
#ifndef WM_HARDWARE_PHASES_H
#define WM_HARDWARE_PHASES_H

#include "hardware/model/pathmap.h"

enum { WM_HW_PHASE_PATHS = 64, WM_HW_PHASES_MAX = 4096 };

struct wm_hw_signature {
	size_t count;
	struct wm_hw_path path[WM_HW_PHASE_PATHS]; /* in the order of their descriptors */
	double share[WM_HW_PHASE_PATHS];
};

struct wm_hw_phases {
	double threshold; /* between 0 and 1 */
	struct wm_hw_signature *phase; /* of each phase's first window; owned */
	size_t phase_count;
	uint32_t *window; /* the phase of each window; owned */
	size_t window_count;
};

void wm_hw_phases_init(struct wm_hw_phases *phases, double threshold);
void wm_hw_phases_release(struct wm_hw_phases *phases);
/* The next window executed the paths of `map`.  Windows after WM_HW_PHASES_MAX phases join
 * the phase they are most like, whatever the threshold. */
enum wm_hw_status wm_hw_phases_add(struct wm_hw_phases *phases, const struct wm_hw_pathmap *map);
double wm_hw_signature_overlap(const struct wm_hw_signature *a, const struct wm_hw_signature *b);

#endif
