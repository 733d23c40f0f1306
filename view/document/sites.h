/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* `waymark segments --sites` and `waymark wpp --sites`: the executed call sites of a profile or recording, as a list for
 * -fwaymark-sites (policy/site_list.h). */
#ifndef WM_VIEW_DOCUMENT_SITES_H
#define WM_VIEW_DOCUMENT_SITES_H

#include "analysis/join/story.h"
#include "support/json.h"

struct wm_site_limits {
	uint64_t least; /* executions of a site */
	uint32_t share; /* percent of all executions: the most frequent sites that together have as many */
};
/* Call sites with the function that they call.  Must be initialised with zeros. */
struct wm_sites {
	size_t count;
	struct wm_called_site *site;
	uint64_t executions;
};
struct wm_called_site {
	const struct wm_story_function *caller;
	const struct wm_call *call;
	const char *callee; /* linkage name */
	uint64_t count;
};
void wm_sites_add(struct wm_sites *sites, struct wm_called_site site);
/* Prints the sites within the limits, the most frequent first: as a list for the compiler, or, if `document` is not NULL, as
 * the member "sites" of this document, which is released. */
void wm_sites_print(struct wm_sites *sites, const struct wm_site_limits *limits, json_t *document);
void wm_sites_release(struct wm_sites *sites);

/* Prints the executed direct calls of profiled functions.  Ends in wm_fail if calls were inlined in the program, whose
 * blocks are then not those of the source. */
void wm_print_sites(const struct wm_story *story, const struct wm_site_limits *limits, bool json);

#endif
