/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names of source files: the same form for the same file, so that names can be compared and read. */
#ifndef WM_POLICY_FILE_NAMES_H
#define WM_POLICY_FILE_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/* Removes empty components, "." and "name/.." from a path, in place.  Looks at no file: if `name` is a symbolic link, the
 * result may name another file. */
void wm_file_name_normalise(char *path);

/* The name, relative to the directory unless it is absolute, normalised; heap, NULL: no memory.  The directory may be "". */
char *wm_file_name_join(const char *directory, const char *name);

/* The same, for a name in debug information: if there is such a file and the normalised name leads elsewhere, because of
 * symbolic links, the links are resolved instead. */
char *wm_file_name_settle(const char *directory, const char *name);

/* Whether a normalised path is in the normalised directory or below it.  The directory "" contains all relative paths. */
bool wm_file_name_is_below(const char *path, const char *directory);

/* Whether the last component of the path is that of the name, of `length` bytes. */
bool wm_file_name_ends_as(const char *path, const char *name, size_t length);

/* How a normalised absolute path is reached from a normalised absolute directory: "../src/a.c"; heap, NULL: no memory. */
char *wm_file_name_relative(const char *path, const char *directory);

#endif
