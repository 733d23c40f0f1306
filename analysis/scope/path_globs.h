/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Globs of files, as in .gitignore.  They are matched with a path relative to the root of the project:
 *
 *     *.h          a glob without a slash matches a file or a directory of that name at any depth
 *     src/a?.c     a glob with a slash is relative to the root; wildcards match no slash
 *     /main.c      a leading slash stands for the root
 *     gen/         a trailing slash: only a directory
 *     x/ ** /a.c   (without the blanks) two asterisks stand for any number of directories, also none
 *
 * A glob that matches a directory matches everything in it.  Globs that begin with `!` have no special meaning.
 */
#ifndef WM_ANALYSIS_SCOPE_PATH_GLOBS_H
#define WM_ANALYSIS_SCOPE_PATH_GLOBS_H

#include <stdbool.h>
#include <stddef.h>

enum { WM_MOST_GLOBS = 128 };
struct wm_globs {
	size_t count;
	const char *glob[WM_MOST_GLOBS];
};

/* How many bytes of the path, which is normalised, the glob matches: the path, or the first of its directories that it
 * matches.  0: it does not match. */
size_t wm_glob_match(const char *glob, const char *path);
/* Whether a glob matches the path. */
bool wm_globs_match(const struct wm_globs *globs, const char *path);
/* The rest of the path below the directories that the glob names: below the directory that it matches, or those before the
 * first wildcard of a glob that matches the file itself.  NULL: the glob does not match the path. */
const char *wm_glob_rest(const char *glob, const char *path);

#endif
