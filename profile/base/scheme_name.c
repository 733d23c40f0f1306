/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profile/base/scheme_name.h"
#include "abi/abi.h"
#include <stdio.h>

/* A name from its lowest bit on: the number of the scheme, whether paths are named by their pieces, k (0 for schemes without),
 * and whether loops have a k of their own.  Names of one scheme ascend with k. */
enum { NUMBER_BITS = 5, K_BITS = 10 };
enum {
	SEQUENCES = 1 << NUMBER_BITS,
	K = SEQUENCES << 1,
	LOOPS = K << K_BITS,
	NAMES = LOOPS << 1,
};
_Static_assert(WM_MAX_K < 1 << K_BITS && NAMES - 1 <= UINT32_MAX >> WM_FUNC_SCHEME_SHIFT, "names fit");

uint32_t wm_scheme_name(const char *text)
{
	struct wm_scheme_choice choice;
	if (wm_scheme_parse(text, &choice) != WM_OK)
		return WM_SCHEME_UNNAMED;
	return choice.scheme->number | (choice.sequences ? SEQUENCES : 0) |
	       (choice.scheme->parameter ? choice.k * K : 0) | (wm_scheme_has_loops(&choice) ? LOOPS : 0);
}

static const struct wm_scheme *find_number(uint32_t number)
{
	for (const struct wm_scheme *const *s = wm_schemes; *s; s++)
		if ((*s)->number == number)
			return *s;
	return NULL;
}

bool wm_scheme_name_is_valid(uint32_t name)
{
	const struct wm_scheme *scheme = find_number(name % SEQUENCES);
	uint32_t k = name % LOOPS / K;
	if (!scheme)
		return name == WM_SCHEME_UNNAMED;
	return scheme->parameter ? name < NAMES && k >= 1 && k <= WM_MAX_K : name < SEQUENCES;
}

bool wm_scheme_name_text(char text[WM_SCHEME_TEXT], uint32_t name)
{
	const struct wm_scheme *scheme = find_number(name % SEQUENCES);
	if (!scheme || !wm_scheme_name_is_valid(name) || name & LOOPS)
		return false;
	if (scheme->parameter)
		snprintf(text, WM_SCHEME_TEXT, "%s=%u%s", scheme->name, name % LOOPS / K,
			name & SEQUENCES ? WM_SEQUENCES : "");
	else
		snprintf(text, WM_SCHEME_TEXT, "%s", scheme->name);
	return true;
}
