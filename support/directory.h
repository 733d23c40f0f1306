/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Directories and lists of files. */
#ifndef WM_SUPPORT_DIRECTORY_H
#define WM_SUPPORT_DIRECTORY_H

#include <stdbool.h>
#include <stddef.h>

/* Both levels are from malloc.  Must be initialised with zeros. */
struct wm_file_list {
	char **path;
	size_t count;
};
/* Takes ownership of the path. */
void wm_file_list_add(struct wm_file_list *list, char *path);
void wm_file_list_release(struct wm_file_list *list);

bool wm_is_directory(const char *path);
/* That of the process when a thread asked first; "" if it is not known.  The text belongs to the thread. */
const char *wm_current_directory(void);
/* Whether the name is that of a profile: NAME.wmraw or NAME.wmprof. */
bool wm_is_profile_name(const char *name);
bool wm_is_raw_name(const char *name); /* NAME.wmraw */
/* "DIRECTORY/NAME" for every entry but those that begin with a dot, with numbers in numerical order: t2 before t10.  Ends in
 * wm_fail if the directory cannot be read. */
struct wm_file_list wm_directory_list(const char *directory);
/* Adds the profiles that an operand stands for: a directory stands for the .wmraw files in it or, if it has none, for the
 * .wmprof files, because a sum is often written beside what was added.  Anything else stands for itself. */
void wm_file_list_add_profiles(struct wm_file_list *list, const char *operand);

#endif
