/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The words of analysis/untested/untested.h. */
#include "analysis/tell/steps.h"
#include "analysis/untested/untested.h"
#include "support/tool.h"
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

static bool same_line(const struct wm_map_line *a, const struct wm_map_line *b)
{
	return a->line == b->line && a->file == b->file;
}

static bool decides_alone(const struct wm_map_function *map, uint32_t block)
{
	const struct wm_map_line *at = &map->block[block].decision;
	for (uint32_t b = 0; b < map->graph.block_count; b++)
		if (b != block && map->block[b].terminator != WM_TERM_NONE && same_line(&map->block[b].decision, at))
			return false;
	return true;
}

/* "line 40", "line 40:7" if the line has several decisions and the text of the condition is not known, "other.h:40", or
 * "block 7"; before a condition, a comma follows. */
static void place(const struct wm_story_function *function, uint32_t block, const struct wm_decision *decision,
	char *text, size_t size)
{
	const struct wm_map_line *at = &function->map->block[block].decision;
	const char *file = at->file < function->module->file_count ? function->module->file[at->file] : NULL;
	const char *home = wm_story_file(function);
	uint32_t line = at->line ? at->line : wm_block_line(function, block);
	bool elsewhere = at->line && file && home && strcmp(file, home) != 0;
	if (!line)
		snprintf(text, size, "block %u", block);
	else if (!at->line || !at->column || decision->condition[0] || decides_alone(function->map, block))
		snprintf(text, size, "%s%s%u%s", elsewhere ? wm_short_file(file) : "line", elsewhere ? ":" : " ", line,
			decision->condition[0] ? "," : "");
	else
		snprintf(text, size, "%s%s%u:%u", elsewhere ? wm_short_file(file) : "line", elsewhere ? ":" : " ", line,
			at->column);
}

static char *times(const struct wm_story_path *nearest)
{
	return wm_xprintf("the nearest tested path (path %" PRIu64 ", %s %s in the tests)", nearest->id,
		wm_thousands(nearest->count), nearest->count == 1 ? "time" : "times");
}

static char *start_news(const struct wm_untested_path *path, const char *nearest)
{
	static const char *const here[] = {"at the entry", "at this loop head", "at this cut"};
	static const char *const there[] = {"at the entry", "at a loop head", "at a cut"};
	bool same = path->path->start == path->nearest->start;
	if (path->common)
		return wm_xprintf("it returns to another caller than %s", nearest);
	return wm_xprintf("no tested path starts %s; %s starts %s", here[path->path->start], nearest,
		same ? "at another" : there[path->nearest->start]);
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
	if (!path->nearest)
		return wm_xstrdup(wm_tested_text(function->tested));
	char *nearest = times(path->nearest);
	if (path->block == WM_NONE) {
		news = start_news(path, nearest);
	} else {
		const struct wm_story_function *in = wm_untested_parting(function, path);
		wm_decision_tell(&decision, in, path->block, path->edge, sources);
		wm_decision_tell(&other, in, path->block, path->nearest_edge, sources);
		if (strcmp(decision.condition, other.condition) == 0)
			other.condition[0] = 0;
		place(in, path->block, &decision, at, sizeof at);
		news = wm_xprintf("%s%s%s %s, where %s has %s; %s", in == function->field ? "" : in->brief,
			in == function->field ? "" : ", ", at, wm_decision_text(&decision, text), nearest,
			wm_decision_text(&other, other_text),
			path->beginning_tested ? "tests begin like this too, but go on differently"
			: path->edge_tested    ? "tests go this way too, but not after coming here like this"
			: path->edge_unknown   ? "it is not known whether a test goes this way, after another beginning"
					       : "no test goes this way");
	}
	free(nearest);
	return news;
}

/* "line 12 to line 14": an edge without a decision. */
static char *undecided_text(const struct wm_story_function *function, uint32_t edge)
{
	const struct wm_graph *graph = &function->map->graph;
	const uint32_t block[2] = {graph->edge_from[edge], graph->edge_to[edge]};
	char text[2][64];
	for (int i = 0; i < 2; i++) {
		uint32_t line = wm_block_line(function, block[i]);
		snprintf(text[i], sizeof text[i], "%s %u", line ? "line" : "block", line ? line : block[i]);
	}
	return wm_xprintf("%s to %s", text[0], text[1]);
}

char *wm_untested_edge_text(const struct wm_untested_function *function, uint32_t edge, struct wm_sources *sources)
{
	char at[512], text[WM_CONDITION_MAX + WM_OUTCOME_MAX];
	struct wm_decision decision;
	if (edge == WM_NONE)
		return wm_xstrdup("entry");
	uint32_t block = function->field->map->graph.edge_from[edge];
	wm_decision_tell(&decision, function->field, block, edge, sources);
	if (!decision.outcome[0])
		return undecided_text(function->field, edge);
	place(function->field, block, &decision, at, sizeof at);
	return wm_xprintf("%s %s", at, wm_decision_text(&decision, text));
}

char *wm_untested_edges_text(const struct wm_untested_function *function, size_t most, struct wm_sources *sources)
{
	char *list = wm_xprintf("%zu untested edge%s", function->edge_count, function->edge_count == 1 ? "" : "s");
	for (size_t i = 0; i < function->edge_count && i < most; i++) {
		char *edge = wm_untested_edge_text(function, function->edge[i], sources);
		char *longer = wm_xprintf("%s%s %s", list, i ? "," : ":", edge);
		free(list);
		free(edge);
		list = longer;
	}
	if (function->edge_count <= most)
		return list;
	char *whole = wm_xprintf("%s and %zu more", list, function->edge_count - most);
	free(list);
	return whole;
}
