/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profile/map/scheme_guess.h"
#include "core/scheme/scheme.h"
#include <stdio.h>

bool wm_scheme_guess(char text[WM_GUESS_SIZE], wm_scheme_trial *is_it, void *closure)
{
	const struct wm_scheme *const fixed[] = {&wm_scheme_acyclic, &wm_scheme_loopcontext};
	for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
		snprintf(text, WM_GUESS_SIZE, "%s", fixed[i]->name);
		if (is_it(closure, text))
			return true;
	}
	for (uint32_t k = 1; k <= WM_MAX_K; k++)
		for (int names = 0; names < 2; names++) {
			snprintf(text, WM_GUESS_SIZE, "%s=%u%s", wm_scheme_kiter.name, k, names ? WM_SEQUENCES : "");
			if (is_it(closure, text))
				return true;
		}
	return false;
}
