/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Any text as the family of a process, and the test that it belongs to. */
#include "abi/family.h"
#include "analysis/tests/runner.h"
#include <stdlib.h>
#include <string.h>

#define CHECK(condition) \
	do { \
		if (!(condition)) \
			abort(); \
	} while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Without current directories no runner is asked for its tests. */
static void forget_directories(struct wm_family *family)
{
	for (size_t i = 0; i < family->count; i++) {
		CHECK(family->member[i].directory && !family->member[i].word[family->member[i].word_count]);
		family->member[i].directory[0] = 0;
	}
}

static bool is_asked(const struct wm_family *family)
{
	for (size_t i = 0; i < family->count; i++)
		for (size_t w = 0; w < family->member[i].word_count; w++)
			if (strstr(family->member[i].word[w], "ctest") || strstr(family->member[i].word[w], "meson"))
				return true;
	return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wm_family family;
	struct wm_session session = {0};
	wm_family_parse(&family, (const char *)data, size);
	CHECK(family.count <= WM_FAMILY_MOST);
	forget_directories(&family);
	if (!is_asked(&family)) {
		struct wm_session_file file = {
			.path = "a.wmraw", .family = &family, .program = "program", .process = 1};
		wm_session_add(&session, &file);
		file.process = 2;
		wm_session_add(&session, &file);
		wm_session_finish(&session);
		CHECK(session.count == 1 && session.test[0].name && session.test[0].file_count == 2 &&
			session.test[0].process_count == 2);
	}
	wm_session_release(&session);
	wm_family_release(&family);
	return 0;
}
