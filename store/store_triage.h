/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The triaged paths of a store (profile/profile_triage.h).  Functions that fail end in wm_fail. */
#ifndef WM_STORE_STORE_TRIAGE_H
#define WM_STORE_STORE_TRIAGE_H

#include "profile/profile_triage.h"
#include "store/store.h"

/* Bytes, without the NUL, of a note and of the names of an author and a function; longer ones are cut. */
enum { WM_TRIAGE_TEXT_MAX = 1000 };

/* Adds all of them, sorted, to a list that is initialised. */
void wm_store_triages(struct wm_profile_store *store, struct wm_triages *triages);
/* Stores them, all or none.  Notes of paths that are triaged already are replaced. */
void wm_store_triage(struct wm_profile_store *store, const struct wm_triages *triages);
/* The path is triaged no more, in the programs that the filter selects.  False: it was not.  Fails if the id is that of paths of
 * several programs and the filter does not say which is meant. */
bool wm_store_untriage(struct wm_profile_store *store, const struct wm_filter *filter, uint64_t id);
/* The profile of everything that is tested (kind=test, and what else the filter of the store selects) or triaged, added to an
 * initialised profile.  Fails if the store has neither. */
void wm_store_known(struct wm_profile_store *store, struct wm_profile *profile);

#endif
