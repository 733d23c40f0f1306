/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/scheme/scheme.h"
#include <string.h>

const struct wm_scheme *const wm_schemes[] = {
	&wm_scheme_acyclic,
	&wm_scheme_preferential,
	&wm_scheme_kiter,
	&wm_scheme_loopcontext,
	&wm_scheme_subpath,
	&wm_scheme_context,
	&wm_scheme_context_cut,
	&wm_scheme_context_pending,
	&wm_scheme_piecewise,
	&wm_scheme_piecewise_cut,
	&wm_scheme_piecewise_pending,
	NULL,
};

bool wm_scheme_is_plain(const struct wm_scheme *scheme)
{
	return !scheme->iterates && !scheme->contexts && !scheme->interesting && !scheme->at_calls && !scheme->crosses;
}

/* A parameter, and only a parameter, follows the name. */
static const struct wm_scheme *find_scheme(const char *text)
{
	for (const struct wm_scheme *const *s = wm_schemes; *s; s++) {
		size_t length = strlen((*s)->name);
		if (strncmp((*s)->name, text, length) == 0 && text[length] == ((*s)->parameter ? '=' : 0))
			return *s;
	}
	return NULL;
}

/* A number below `bound`; NULL when there is none at `text`, else what follows it. */
static const char *read_number(const char *text, uint32_t bound, uint32_t *value)
{
	uint64_t sum = 0;
	const char *at = text;
	for (; *at >= '0' && *at <= '9'; at++)
		if ((sum = sum * 10 + (uint64_t)(*at - '0')) >= bound)
			return NULL;
	*value = (uint32_t)sum;
	return at > text ? at : NULL;
}

static const char *k_at(const char *text, uint32_t *k)
{
	const char *end = read_number(text, WM_MAX_K + 1, k);
	return end && *k > 0 ? end : NULL;
}

/* What follows ",HEAD:K", or NULL. */
static const char *loop_at(const char *text, uint32_t *head, uint32_t *k)
{
	const char *end = *text == ',' ? read_number(text + 1, WM_NONE, head) : NULL;
	return end && *end == ':' ? k_at(end + 1, k) : NULL;
}

static bool parse_iterations(const char *text, struct wm_scheme_choice *choice)
{
	uint32_t head, k;
	const char *at = k_at(text, &choice->k);
	choice->loops = at;
	while (at && *at && strcmp(at, WM_SEQUENCES) != 0)
		at = loop_at(at, &head, &k);
	choice->sequences = at && *at;
	return at != NULL;
}

enum wm_status wm_scheme_parse(const char *text, struct wm_scheme_choice *choice)
{
	struct wm_scheme_choice made = {.scheme = find_scheme(text), .k = 1, .loops = ""};
	if (!made.scheme)
		return WM_UNKNOWN;
	if (made.scheme->parameter && !parse_iterations(text + strlen(made.scheme->name) + 1, &made))
		return WM_UNKNOWN;
	*choice = made;
	return WM_OK;
}

bool wm_scheme_has_loops(const struct wm_scheme_choice *choice)
{
	return *choice->loops && strcmp(choice->loops, WM_SEQUENCES) != 0;
}

uint32_t wm_scheme_loop_k(const struct wm_scheme_choice *choice, uint32_t head)
{
	uint32_t found = 0, named, k;
	const char *at = choice->loops;
	while (*at && strcmp(at, WM_SEQUENCES) != 0) {
		at = loop_at(at, &named, &k);
		found = named == head ? k : found;
	}
	return found;
}
