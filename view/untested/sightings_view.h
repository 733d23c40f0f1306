/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a store knows of untested paths beside their counts: parts of the documents of view/untested/untested_view.h. */
#ifndef WM_VIEW_UNTESTED_SIGHTINGS_VIEW_H
#define WM_VIEW_UNTESTED_SIGHTINGS_VIEW_H

#include "analysis/untested/untested.h"
#include "store/store_sightings.h"
#include "support/json.h"
#include "view/document/document.h"

/* HTML: the versions, with their untested paths, and the days on which untested paths were first taken. */
void wm_sightings_tables(struct wm_document *document, const struct wm_untested *untested);
/* On how many machines, in how many runs, in which versions and when a path was taken. */
void wm_sightings_tell(struct wm_document *document, const struct wm_sightings *sightings,
	const struct wm_story_function *function, uint64_t id);
/* The same for JSON documents; null if the store does not know the path. */
json_t *wm_sightings_json(const struct wm_sightings *sightings, const struct wm_story_function *function, uint64_t id);

#endif
