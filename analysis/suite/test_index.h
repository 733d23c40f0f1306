/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The index of a directory of `waymark test`: the file WM_TEST_INDEX, a document with the schema "waymark.test/1".  It lists the
 * profiles that the command writes, before it writes them, so that a later run knows which files it may remove.
 */
#ifndef WM_ANALYSIS_SUITE_TEST_INDEX_H
#define WM_ANALYSIS_SUITE_TEST_INDEX_H

#include "support/directory.h"

#define WM_TEST_INDEX "tests.json"

/* Whether `waymark test` has written the directory, which its index shows.  Adds the names of the profiles in the index to `files`,
 * which may be NULL; names that are not those of visible profiles in the directory itself are left out. */
bool wm_test_index_read(const char *directory, struct wm_file_list *files);

#endif
