/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reading raw profiles that were made by hand, and looking at the result. */
#ifndef WM_TEST_RAW_READING_H
#define WM_TEST_RAW_READING_H

#include "profile/base/function_counts.h"
#include "test/profile/raw_builder.h"

/* Reads an exact copy on the heap, so that ASan sees every byte read beyond it. */
enum wm_profile_status read_copy(
	const uint8_t *data, size_t size, struct wm_profile *profile, struct wm_profile_error *error);
/* Initialises the profile and reads the image of the builder, which must be whole. */
void read_built(struct raw_builder *builder, struct wm_profile *profile);
/* The function with this key of the only object; NULL: there is none. */
const struct wm_profile_function *find_function(const struct wm_profile *profile, uint64_t key);
void check_path(const struct wm_profile_function *f, size_t index, uint64_t id, uint64_t count, uint64_t base);

#endif
