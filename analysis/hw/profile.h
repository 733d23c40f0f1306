/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads and writes paths of `waymark hw` in a profile; profile.c describes the fields. */
#ifndef WM_ANALYSIS_HW_PROFILE_H
#define WM_ANALYSIS_HW_PROFILE_H

#include "hardware/model/path.h"

static inline uint64_t wm_hw_profile_id(const struct wm_hw_path *path)
{
	return (uint64_t)path->length << 32 | path->outcomes;
}

static inline uint64_t wm_hw_profile_hash(uint64_t control, enum wm_hw_metric metric)
{
	return control | (uint64_t)metric << 56;
}

#define WM_HW_PROFILE_CONTROL ((UINT64_C(1) << 56) - 1)
static inline unsigned wm_hw_profile_metric(uint64_t hash)
{
	return (unsigned)(hash >> 56);
}

#endif
