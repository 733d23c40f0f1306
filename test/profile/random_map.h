/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Random modules of maps, which the encoder accepts. */
#ifndef WM_TEST_RANDOM_MAP_H
#define WM_TEST_RANDOM_MAP_H

#include "profile/map/map.h"

/* Everything is in the arena. */
void random_map_module(uint64_t *seed, struct wm_arena *arena, struct wm_map_module *module);

#endif
