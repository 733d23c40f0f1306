/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Random profiles, and what it means that two of them are equal. */
#ifndef WM_TEST_RANDOM_PROFILE_H
#define WM_TEST_RANDOM_PROFILE_H

#include "profile/base/function_counts.h"

void random_profile(uint64_t *seed, struct wm_profile *profile);
/* Fail the test unless equal, but for functions about which there is nothing to say. */
void check_object(const struct wm_profile_object *a, const struct wm_profile_object *b);
void check_profile(const struct wm_profile *a, const struct wm_profile *b);

#endif
