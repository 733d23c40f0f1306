/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The scheme of counts.  A profile does not name the scheme of a function; the hash of the function contains it (map.h).  The
 * scheme is found by trying those whose paths stay in one function: acyclic, loopcontext, and kiter=K for every K, with ids and
 * with names for paths.
 */
#ifndef WM_PROFILE_SCHEME_GUESS_H
#define WM_PROFILE_SCHEME_GUESS_H

#include <stdbool.h>
#include <stdint.h>

/* Room for the text of every scheme that is tried. */
enum { WM_GUESS_SIZE = 32 };
/* Whether counts are of this scheme. */
typedef bool wm_scheme_trial(void *closure, const char *scheme);
/* The first scheme of which `is_it` says so, as text.  False: there is none.  Tries some 2,000 texts at most. */
bool wm_scheme_guess(char text[WM_GUESS_SIZE], wm_scheme_trial *is_it, void *closure);

#endif
