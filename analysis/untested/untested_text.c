/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The words of analysis/untested/untested.h. */
#include "analysis/tell/edge_words.h"
#include "analysis/tell/steps.h"
#include "analysis/untested/untested.h"
#include "support/string_builder.h"
#include "support/xalloc.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *wm_tested_text(enum wm_tested tested)
{
	static const char *const text[] = {[WM_TESTED] = "",
		[WM_TESTED_ENTERED] = "tests enter this function but complete no path of it",
		[WM_TESTED_NEVER] = "no test runs this function",
		[WM_TESTED_UNKNOWN] = ""};
	return text[tested];
}

static char *times(const struct wm_story_path *nearest)
{
	return wm_xprintf("the nearest tested path (path %" PRIu64 ", %s %s in the tests)", nearest->id,
		wm_thousands(nearest->count), nearest->count == 1 ? "time" : "times");
}

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

static char *start_news(
	const struct wm_untested_function *function, const struct wm_untested_path *path, const char *nearest)
{
	if (path->common)
		return wm_xprintf("it returns to another caller than %s", nearest);
	char *own = start_text(function->field, path->path), *other = start_text(function->field, path->nearest);
	char *news =
		wm_xprintf("it starts %s, and %s %s; %s", own, nearest, strcmp(own, other) == 0 ? "at another" : other,
			path->beginning_tested ? "tests start here too, but go on differently" : "no test starts here");
	free(own);
	free(other);
	return news;
}

const struct wm_story_function *wm_untested_parting(
	const struct wm_untested_function *function, const struct wm_untested_path *path)
{
	return path->function ? path->function : function->field;
}

char *wm_untested_news(
	const struct wm_untested_function *function, const struct wm_untested_path *path, struct wm_sources *sources)
{
	char at[512], text[WM_CONDITION_MAX + WM_OUTCOME_MAX], other_text[WM_CONDITION_MAX + WM_OUTCOME_MAX], *news;
	struct wm_decision decision, other;
	if (wm_untested_is_unfinished(path) && function->tested == WM_TESTED)
		return wm_xstrdup("it was left inside a call, to which no test comes in the same way");
	if (!path->nearest)
		return wm_xstrdup(wm_tested_text(function->tested));
	char *nearest = times(path->nearest);
	if (path->block == WM_NONE) {
		news = start_news(function, path, nearest);
	} else {
		const struct wm_story_function *in = wm_untested_parting(function, path);
		wm_decision_tell(&decision, in, path->block, path->edge, sources);
		wm_decision_tell(&other, in, path->block, path->nearest_edge, sources);
		if (strcmp(decision.condition, other.condition) == 0)
			other.condition[0] = 0;
		wm_decision_place(in, path->block, &decision, at, sizeof at);
		bool goes = strcmp(wm_decision_verb(&decision), "goes ") == 0;
		news = wm_xprintf("%s%s%s %s%s, where %s %s%s; %s", in == function->field ? "" : in->brief,
			in == function->field ? "" : ", ", at, goes ? "goes " : "", wm_decision_text(&decision, text),
			nearest, wm_decision_verb(&other), wm_decision_text(&other, other_text),
			path->beginning_tested ? "tests begin like this too, but go on differently"
			: path->edge_tested    ? "both outcomes are tested, but not this combination of decisions"
			: path->edge_unknown   ? "it is not known whether a test goes this way, after another beginning"
					       : "no test goes this way");
	}
	free(nearest);
	return news;
}

char *wm_untested_edges_text(const struct wm_untested_function *function, size_t most, struct wm_sources *sources)
{
	struct wm_string list = {0};
	wm_string_add(&list, "%zu untested edge%s", function->edge_count, function->edge_count == 1 ? "" : "s");
	for (size_t i = 0; i < function->edge_count && i < most; i++) {
		char *edge = wm_edge_text(function->field, function->edge[i], sources);
		wm_string_add(&list, "%s %s", i ? "," : ":", edge);
		free(edge);
	}
	if (function->edge_count > most)
		wm_string_add(&list, " and %zu more", function->edge_count - most);
	return wm_string_text(&list);
}
