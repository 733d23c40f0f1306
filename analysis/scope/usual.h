/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where code that is not of a project usually is. */
#ifndef WM_ANALYSIS_SCOPE_USUAL_H
#define WM_ANALYSIS_SCOPE_USUAL_H

#include "analysis/scope/path_globs.h"

/* Globs of code of third parties and of tests, below the root. */
extern const struct wm_globs wm_usual_third_parties, wm_usual_tests;
/* Whether a normalised absolute path is that of a header of the system. */
bool wm_usual_system_header(const char *path);

#endif
