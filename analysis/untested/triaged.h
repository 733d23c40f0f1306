/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Untested paths that a person has looked at: profile/profile_triage.h. */
#ifndef WM_ANALYSIS_UNTESTED_TRIAGED_H
#define WM_ANALYSIS_UNTESTED_TRIAGED_H

#include "analysis/join/story.h"
#include "profile/profile_triage.h"

/* The triage id of a path that is listed under the function. */
uint64_t wm_path_triage_id(const struct wm_story_function *function, uint64_t id);
/* Whether a path of the function that has this id is triaged. */
bool wm_path_is_triaged(const struct wm_triages *triages, const struct wm_story *story,
	const struct wm_story_function *function, uint64_t id);
/* Appends the records of the profile of the story that count the path, without note, author and time. */
void wm_path_triage(struct wm_triages *triages, const struct wm_story *story, const struct wm_story_function *function,
	uint64_t id);

#endif
