/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "hardware/model/phases.h"
#include "core/base/grow.h"
#include <stdlib.h>
#include <string.h>

void wm_hw_phases_init(struct wm_hw_phases *phases, double threshold)
{
	*phases = (struct wm_hw_phases){.threshold = threshold};
}

void wm_hw_phases_release(struct wm_hw_phases *phases)
{
	free(phases->phase);
	free(phases->window);
	*phases = (struct wm_hw_phases){0};
}

static void insert_share(struct wm_hw_signature *signature, const struct wm_hw_path *path, double share)
{
	size_t at = signature->count++;
	for (; at && wm_hw_path_compare(&signature->path[at - 1], path) > 0; at--) {
		signature->path[at] = signature->path[at - 1];
		signature->share[at] = signature->share[at - 1];
	}
	signature->path[at] = *path;
	signature->share[at] = share;
}

static enum wm_hw_status sign(struct wm_hw_signature *signature, const struct wm_hw_pathmap *map)
{
	uint32_t *order = wm_hw_pathmap_order(map, WM_HW_FREQUENCY);
	if (!order)
		return WM_HW_NO_MEMORY;
	double total = (double)wm_hw_pathmap_total(map, WM_HW_FREQUENCY);
	signature->count = 0;
	for (size_t i = 0; i < map->count && i < WM_HW_PHASE_PATHS; i++) {
		const struct wm_hw_finished *path = &map->path[order[i]];
		insert_share(signature, &path->path, (double)path->events.count[WM_HW_FREQUENCY] / total);
	}
	free(order);
	return WM_HW_OK;
}

double wm_hw_signature_overlap(const struct wm_hw_signature *a, const struct wm_hw_signature *b)
{
	double sum = 0;
	for (size_t i = 0, j = 0; i < a->count && j < b->count;) {
		int order = wm_hw_path_compare(&a->path[i], &b->path[j]);
		if (!order)
			sum += a->share[i] < b->share[j] ? a->share[i] : b->share[j];
		i += order <= 0;
		j += order >= 0;
	}
	return sum;
}

static size_t most_alike(const struct wm_hw_phases *phases, const struct wm_hw_signature *signature, double *overlap)
{
	size_t best = 0;
	*overlap = -1;
	for (size_t i = 0; i < phases->phase_count; i++) {
		double this = wm_hw_signature_overlap(&phases->phase[i], signature);
		if (this > *overlap) {
			*overlap = this;
			best = i;
		}
	}
	return best;
}

enum wm_hw_status wm_hw_phases_add(struct wm_hw_phases *phases, const struct wm_hw_pathmap *map)
{
	struct wm_hw_signature signature;
	double overlap;
	if (!WM_GROW(phases->window, phases->window_count) || !WM_GROW(phases->phase, phases->phase_count) ||
		sign(&signature, map))
		return WM_HW_NO_MEMORY;
	size_t phase = most_alike(phases, &signature, &overlap);
	if (!phases->phase_count || (overlap < phases->threshold && phases->phase_count < WM_HW_PHASES_MAX)) {
		phase = phases->phase_count++;
		phases->phase[phase] = signature;
	}
	phases->window[phases->window_count++] = (uint32_t)phase;
	return WM_HW_OK;
}
