/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profile/map/scheme_guess.h"
#include <stdio.h>

static bool try_all(char text[WM_SCHEME_TEXT], wm_scheme_trial *is_it, void *closure)
{
	const struct wm_scheme *const fixed[] = {&wm_scheme_acyclic, &wm_scheme_loopcontext};
	for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
		snprintf(text, WM_SCHEME_TEXT, "%s", fixed[i]->name);
		if (is_it(closure, text))
			return true;
	}
	for (uint32_t k = 1; k <= WM_MAX_K; k++)
		for (int names = 0; names < 2; names++) {
			snprintf(text, WM_SCHEME_TEXT, "%s=%u%s", wm_scheme_kiter.name, k, names ? WM_SEQUENCES : "");
			if (is_it(closure, text))
				return true;
		}
	return false;
}

static bool stays_inside(const char *text)
{
	struct wm_scheme_choice choice;
	return wm_scheme_parse(text, &choice) == WM_OK && !choice.scheme->crosses && !choice.scheme->at_calls;
}

bool wm_scheme_guess(char text[WM_SCHEME_TEXT], uint32_t name, wm_scheme_trial *is_it, void *closure)
{
	if (name == WM_SCHEME_UNNAMED)
		return try_all(text, is_it, closure);
	return wm_scheme_name_text(text, name) && stays_inside(text) && is_it(closure, text);
}
