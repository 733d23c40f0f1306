/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/scheme.h"
#include <string.h>

const struct wm_scheme *const wm_schemes[] = {
	&wm_scheme_acyclic,
	&wm_scheme_preferential,
	NULL,
};

enum wm_status wm_scheme_find(const char *text, const struct wm_scheme **scheme)
{
	for (const struct wm_scheme *const *s = wm_schemes; *s; s++) {
		if (strcmp((*s)->name, text) != 0)
			continue;
		*scheme = *s;
		return WM_OK;
	}
	return WM_UNKNOWN;
}
