/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The words of analysis/untested/gaps.h. */
#include "analysis/tell/edge_words.h"
#include "analysis/tell/steps.h"
#include "analysis/untested/gaps.h"
#include "support/string_builder.h"
#include "support/xalloc.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* "at the entry", or "at the loop head in line 12" */
static char *start_text(const struct wm_story_function *function, const struct wm_story_path *path)
{
	static const char *const words[] = {[WM_START_ENTRY] = "entry",
		[WM_START_LOOP] = "loop head",
		[WM_START_CUT] = "cut",
		[WM_START_CALL] = "call"};
	struct wm_steps steps = {0};
	struct wm_path_ends ends;
	wm_steps_tell(&steps, function, path->id, &ends);
	uint32_t line = path->start == WM_START_ENTRY ? 0 : wm_block_line(ends.first, ends.block);
	wm_steps_release(&steps);
	if (line)
		return wm_xprintf("at the %s in line %" PRIu32, words[path->start], line);
	return wm_xprintf("at the %s", words[path->start]);
}

char *wm_gap_text(const struct wm_gap_function *function, const struct wm_gap *gap, struct wm_sources *sources)
{
	if (gap->kind == WM_GAP_EDGE)
		return wm_edge_text(function->base.field, gap->path.edge, sources);
	if (gap->path.block != WM_NONE)
		return wm_untested_news(&function->base, &gap->path, sources);
	char *own = start_text(function->base.field, &gap->own);
	char *other = start_text(function->base.field, gap->path.nearest);
	char *text = wm_xprintf("it starts %s, where the nearest tested path (path %" PRIu64
				", %s time%s in the tests) starts %s",
		own, gap->path.nearest->id, wm_thousands(gap->path.nearest->count),
		gap->path.nearest->count == 1 ? "" : "s", other);
	free(own);
	free(other);
	return text;
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
