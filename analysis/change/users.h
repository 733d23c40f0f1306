/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which translation units use a file of a change: those whose debug information names it, whose main file it is, or that include
 * it.  Debug information does not name a header of which a unit has no code, such as one with macros and types only, so the
 * #include lines of the sources are followed, as far as they are found: in the directory of the file that includes them, in
 * the compilation directory, in the root of the change, and in the directories of the files of the change and of the maps.  A name
 * in quotes that is not found there may include any header of the change.  Conditional directives are not evaluated.
 */
#ifndef WM_ANALYSIS_CHANGE_USERS_H
#define WM_ANALYSIS_CHANGE_USERS_H

#include "analysis/change/change.h"

/* Must be initialised with zeros, except `change`, which was joined. */
struct wm_change_users {
	const struct wm_change *change;
	struct wm_sources sources;
	size_t directory_count;
	char **directory; /* to search for headers: absolute, each once */
	/* Of the module that was asked for last: the files that it reads, absolute, and what follows from them. */
	const struct wm_map_module *module;
	size_t read_count;
	char **read;
	bool *uses; /* per file of the diff */
};

/* Also looks for headers in the directories of the files of these maps. */
void wm_change_users_begin(struct wm_change_users *users, const struct wm_object *objects, size_t count);
/* Whether a translation unit uses a file of the diff.  O(size of the sources that it reads), once for each module. */
bool wm_change_uses(struct wm_change_users *users, const struct wm_object *object, const struct wm_map_module *module,
	const struct wm_diff_file *file);
void wm_change_users_release(struct wm_change_users *users);

#endif
