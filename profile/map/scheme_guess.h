/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The scheme of counts whose paths stay in one function.  A record of a profile names it (profile/base/scheme_name.h).  Records of
 * earlier versions do not; their graph hash contains the scheme (map.h), which is found by trying: acyclic, loopcontext, and
 * kiter=K for every K, with ids and with names for paths.  This is the only place where a scheme is guessed.
 */
#ifndef WM_PROFILE_SCHEME_GUESS_H
#define WM_PROFILE_SCHEME_GUESS_H

#include "profile/base/scheme_name.h"

/* Whether counts are of this scheme. */
typedef bool wm_scheme_trial(void *closure, const char *scheme);
/* The text of the scheme with this name, if `is_it` agrees; if the name is WM_SCHEME_UNNAMED, the first scheme of which `is_it`
 * says so.  False: there is none.  An unnamed scheme takes some 2,000 trials at most. */
bool wm_scheme_guess(char text[WM_SCHEME_TEXT], uint32_t name, wm_scheme_trial *is_it, void *closure);

#endif
