/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Any text as a diff. */
#include "analysis/change/diff.h"
#include <stdlib.h>
#include <string.h>

#define CHECK(condition) \
	do { \
		if (!(condition)) \
			abort(); \
	} while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_file(const struct wm_diff_file *file)
{
	CHECK(file->name && file->line);
	for (size_t i = 0; i < file->count; i++) {
		const struct wm_diff_range *range = &file->range[i];
		CHECK(range->first < range->end && (range->removal || range->first));
		CHECK(!range->removal || range->end == range->first + 2);
		CHECK(!i || (range[-1].first <= range->first && range[-1].end <= range->end));
	}
}

static void check_diff(const uint8_t *data, size_t size, bool backwards)
{
	struct wm_diff diff;
	struct wm_diff_error error = {0};
	bool well = wm_diff_parse(&diff, (const char *)data, size, backwards, &error);
	CHECK(well ? !error.what : error.line && error.what && !diff.count);
	for (size_t f = 0; f < diff.count; f++) {
		check_file(&diff.file[f]);
		CHECK(!f || strcmp(diff.file[f - 1].name, diff.file[f].name) < 0);
	}
	wm_diff_release(&diff);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	check_diff(data, size, false);
	check_diff(data, size, true);
	return 0;
}
