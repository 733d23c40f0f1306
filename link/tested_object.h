/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * -fwaymark-residual and -fwaymark-interesting for paths across calls, whose ids are known only after the link: room for
 * the set of tested paths (abi/unit_tables.h) before the link, and what the profile knows about the numbered file after it.
 */
#ifndef WM_LINK_TESTED_OBJECT_H
#define WM_LINK_TESTED_OBJECT_H

#include "analysis/join/gather.h"
#include "policy/plugin_options.h"

/* An object file for the linker, with an empty set that has room for the tested paths of the profile.  `digest` is that of
 * the profile, `clang` the assembler.  wm_tested_object_remove deletes the file and releases the name. */
char *wm_tested_object_make(const struct wm_profile *profile, uint64_t digest, const char *clang);
void wm_tested_object_remove(char *path);

/* Adds ids to the set in the image.  False: the file has no set with enough room. */
bool wm_tested_put(const struct wm_links *links, const uint64_t *id, size_t count);

/*
 * What the profile of the options says about the units, which are numbered and patched: the tested paths enter the set, or
 * each function learns how many paths are expected to end in it.  A profile of another numbering says nothing; then a note
 * on stderr says so.  `output` is the name of the file, for notes.
 */
void wm_tested_apply(const struct wm_links *links, const struct wm_units *units, const struct wm_options *options,
	const char *output);

#endif
