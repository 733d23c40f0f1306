/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What `waymark test` prints: a table of the tests, and the index of the directory, which is the same as JSON. */
#ifndef WM_VIEW_TESTS_TEST_PRINT_H
#define WM_VIEW_TESTS_TEST_PRINT_H

#include "analysis/tests/runner.h"
#include <stdio.h>

struct wm_test_row {
	const struct wm_session_test *test;
	char *file; /* name of its profile in the directory */
	size_t paths, only; /* paths that it takes, and that no other test takes */
};

struct wm_test_table {
	const char *directory;
	char **command;
	bool ended; /* the command; otherwise there is no status yet */
	int status; /* wait status of the command */
	bool counted; /* whether the numbers of paths are known */
	size_t paths; /* of all tests */
	size_t count;
	struct wm_test_row *row;
};

void wm_test_text(const struct wm_test_table *table, bool all, FILE *out);
void wm_test_json(const struct wm_test_table *table, FILE *out);
/* Writes the file WM_TEST_INDEX (analysis/suite/test_index.h). */
void wm_test_write_index(const struct wm_test_table *table);

#endif
