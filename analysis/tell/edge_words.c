/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/tell/edge_words.h"
#include "analysis/tell/steps.h"
#include "support/xalloc.h"
#include <stdio.h>
#include <string.h>

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

void wm_decision_place(const struct wm_story_function *function, uint32_t block, const struct wm_decision *decision,
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

char *wm_edge_text(const struct wm_story_function *function, uint32_t edge, struct wm_sources *sources)
{
	char at[512], text[WM_CONDITION_MAX + WM_OUTCOME_MAX];
	struct wm_decision decision;
	if (edge == WM_NONE)
		return wm_xstrdup("entry");
	uint32_t block = function->map->graph.edge_from[edge];
	wm_decision_tell(&decision, function, block, edge, sources);
	if (!decision.outcome[0])
		return undecided_text(function, edge);
	/* The line is named without its text, so that the condition is told also if it is the only one there. */
	if (!decision.condition[0])
		memcpy(decision.condition, decision.statement, sizeof decision.condition);
	wm_decision_place(function, block, &decision, at, sizeof at);
	return wm_xprintf("%s %s", at, wm_decision_text(&decision, text));
}
