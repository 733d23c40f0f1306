/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The section of marks of a binary. */
#include "profile/map/marks.h"
#include <stdlib.h>

#define CHECK(condition) \
	do { \
		if (!(condition)) \
			abort(); \
	} while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool find(void *closure, uint64_t name, uint64_t *address)
{
	(void)closure;
	*address = name >> 3;
	return name % 4 != 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wm_block_marks marks;
	if (wm_marks_read(&marks, data, size, &(struct wm_mark_names){find, NULL}) != WM_OK) {
		CHECK(!marks.count && !marks.mark);
		return 0;
	}
	CHECK(marks.count <= size);
	for (size_t i = 0; i < marks.count; i++) {
		size_t count;
		const struct wm_block_mark *at = wm_marks_at(&marks, marks.mark[i].address, &count);
		CHECK(!i || marks.mark[i - 1].address <= marks.mark[i].address);
		CHECK(at <= &marks.mark[i] && &marks.mark[i] < at + count);
	}
	wm_marks_release(&marks);
	return 0;
}
