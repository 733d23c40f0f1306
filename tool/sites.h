/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* `waymark segments --sites`: the executed call sites of a profile, as a list for -fwaymark-sites (policy/cross.h). */
#ifndef WM_TOOL_SITES_H
#define WM_TOOL_SITES_H

#include "tool/story.h"

struct wm_site_limits {
	uint64_t least; /* executions of a site */
	uint32_t share; /* percent of all executions: the most frequent sites that together have as many */
};
/* Only calls of functions that are profiled in the same file can be inlined, and are listed.  Ends in wm_fail if calls
 * were inlined in the program, whose blocks are then not those of the source. */
void wm_print_sites(const struct wm_story *story, const struct wm_site_limits *limits, bool json);

#endif
