/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "view/export.h"
#include <string.h>

const struct wm_export_format wm_export_formats[] = {
	{"lcov", "tracefile of LCOV: lines, functions, branches (genhtml)", WM_EXPORT_COVERAGE, false, wm_export_lcov},
	{"cobertura", "XML report of Cobertura (GitLab, Jenkins, Azure)", WM_EXPORT_COVERAGE, false,
		wm_export_cobertura},
	{0},
};

const struct wm_export_format *wm_export_find(const char *name)
{
	for (const struct wm_export_format *format = wm_export_formats; format->name; format++)
		if (strcmp(format->name, name) == 0)
			return format;
	return NULL;
}
