/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The name of a scheme as a number of 18 bits, which profiles have for each function above its flags (WM_FUNC_SCHEME in
 * abi/abi.h).  doc/formats.md describes the bits.
 */
#ifndef WM_PROFILE_BASE_SCHEME_NAME_H
#define WM_PROFILE_BASE_SCHEME_NAME_H

#include "core/scheme/scheme.h"

enum { WM_SCHEME_UNNAMED = 0 }; /* the profile or the build is of a version that named no scheme */
/* Room for the text of every name. */
enum { WM_SCHEME_TEXT = 32 };

/* The name of a scheme that wm_scheme_parse() accepts, else WM_SCHEME_UNNAMED. */
uint32_t wm_scheme_name(const char *text);
/* The text of a name.  False: no text has this name, or several texts have it, because loops have a k of their own. */
bool wm_scheme_name_text(char text[WM_SCHEME_TEXT], uint32_t name);
/* Whether a function may have this name: WM_SCHEME_UNNAMED, or that of some scheme. */
bool wm_scheme_name_is_valid(uint32_t name);

#endif
