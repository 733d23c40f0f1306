/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The words of analysis/untested/gaps.h. */
#include "analysis/tell/edge_words.h"
#include "analysis/tell/steps.h"
#include "analysis/untested/gaps.h"
#include "support/string_builder.h"
#include "support/xalloc.h"
#include <math.h>
#include <stdlib.h>

char *wm_gap_text(const struct wm_gap_function *function, const struct wm_gap *gap, struct wm_sources *sources)
{
	if (gap->kind == WM_GAP_EDGE)
		return wm_edge_text(function->base.field, gap->path.edge, sources);
	return wm_untested_news(&function->base, &gap->path, sources);
}

char *wm_gap_infeasible_text(const struct wm_gap_function *function, const struct wm_gap *gap)
{
	char *reason = gap->infeasible ? wm_story_contradiction_text(function->base.field, gap->own.id) : NULL;
	char *text = reason ? wm_xprintf("likely infeasible: %s", reason) : NULL;
	free(reason);
	return text;
}

char *wm_gap_tests_text(const struct wm_gaps *gaps, const struct wm_gap *gap, size_t most)
{
	struct wm_string list = {0};
	if (gap->test_count > most && gap->test_count == gaps->suite->test_count)
		return wm_xprintf("all %zu", gap->test_count);
	for (size_t i = 0; i < gap->test_count && i < most; i++)
		wm_string_add(&list, "%s%s",
			!i			   ? ""
			: i + 1 == gap->test_count ? " and "
						   : ", ",
			gaps->suite->test[gap->test[i]].name);
	if (list.length && gap->test_count > most)
		wm_string_add(&list, " and %zu more", gap->test_count - most);
	return list.text;
}

const char *wm_paths_print(double paths, char text[32])
{
	if (paths < 1e9)
		return wm_thousands_print((uint64_t)paths, text);
	snprintf(text, 32, "10^%.1f", log10(paths));
	return text;
}
