/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The configuration file of a project: any bytes are read or refused, and its globs can be matched with any path. */
#include "analysis/scope/project_file.h"
#include "support/fail.h"
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void match(const struct wm_globs *globs)
{
	static const char *const paths[] = {"a.c", "src/a.c", "src/b/c/a.c", "a/a/a/a/b"};
	for (size_t i = 0; i < globs->count; i++)
		for (size_t p = 0; p < sizeof paths / sizeof *paths; p++) {
			size_t length = wm_glob_match(globs->glob[i], paths[p]);
			const char *rest = wm_glob_rest(globs->glob[i], paths[p]);
			if (length > strlen(paths[p]) || (paths[p][length] && paths[p][length] != '/' && length))
				wm_bug("a glob matches a part of a name");
			if (!rest != !length || (rest && (rest < paths[p] || rest > paths[p] + strlen(paths[p]))))
				wm_bug("the rest of a path is not in the path");
		}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wm_project_file file;
	struct wm_project_file_error error = {0};
	if (!wm_project_file_parse(&file, (const char *)data, size, &error)) {
		if (!error.line || !error.text[0])
			wm_bug("a file is refused, and nothing says where or why");
		return 0;
	}
	match(&file.include);
	match(&file.exclude);
	match(&file.tests);
	match(&file.ignored);
	if (file.base && *file.base == '-')
		wm_bug("git would take the base branch for an option");
	wm_project_file_release(&file);
	return 0;
}
