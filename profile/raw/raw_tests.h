/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The counts of a raw profile, test by test (abi/tests.h).
 *
 * A part is what the process has counted between two marks, as if it had been reset there: paths that were open at its beginning are
 * inherited.  What had been counted before is in the part only for functions that counted in it, and for all
 * functions with paths across calls if one of these did.  An unfinished path is in the part in which its activation was left.  The sum of all parts counts what wm_raw_read() counts.
 */
#ifndef WM_PROFILE_RAW_RAW_TESTS_H
#define WM_PROFILE_RAW_RAW_TESTS_H

#include "profile/base/function_counts.h"

/* `name` "": outside of tests.  Both are valid during the call.  Says whether to go on. */
typedef bool wm_raw_take_part(void *closure, const char *name, const struct wm_profile *part);

/* Whether the file has marks.  Hostile input. */
bool wm_raw_has_tests(const struct wm_profile_image *image);
/* Gives the parts that counted something, in their order; without marks, one.  Hostile input.  WM_PROFILE_DAMAGED: the file is
 * readable in part, or its marks make no sense; what follows the last mark that does is one part.  REFUSED and NO_MEMORY: nothing
 * was given, or not all. */
enum wm_profile_status wm_raw_parts(
	const struct wm_profile_image *image, wm_raw_take_part *take, void *closure, struct wm_profile_error *error);

#endif
