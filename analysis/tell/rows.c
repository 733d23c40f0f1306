/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The rows of steps (analysis/tell/steps.h). */
#include "analysis/source/condition.h"
#include "analysis/tell/steps.h"
#include "support/xalloc.h"
#include <stdio.h>
#include <string.h>

static bool same_row(const struct wm_source_step *a, const struct wm_source_step *b)
{
	return a->line && !b->begins[0] && wm_step_stands_at(a, b->file, b->line);
}

size_t wm_steps_rows(const struct wm_steps *steps, struct wm_row **rows)
{
	struct wm_row *row = wm_xmalloc((steps->count + 1) * sizeof *row);
	size_t count = 0;
	for (size_t i = 0; i < steps->count; i++) {
		if (count && same_row(&steps->step[i - 1], &steps->step[i]))
			row[count - 1].end = i + 1;
		else
			row[count++] = (struct wm_row){i, i + 1};
	}
	*rows = row;
	return count;
}

static bool is_braces(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (!strchr(" \t{};", text[i]))
			return false;
	return true;
}

/* Where the name of the file of a step comes from. */
static struct wm_source_origin step_origin(const struct wm_source_step *step, const struct wm_story_function *function)
{
	const struct wm_map_module *module = step->function ? step->function->module : function->module;
	return (struct wm_source_origin){function->object->path, module};
}

const char *wm_step_source(struct wm_sources *sources, const struct wm_source_step *step,
	const struct wm_story_function *function, size_t *length)
{
	const struct wm_source_origin origin = step_origin(step, function);
	return wm_source_line(sources, step->file, step->line, &origin, length);
}

/* Whether two steps are in one statement of one activation. */
static bool in_one_statement(const struct wm_source_step *a, const struct wm_source_step *b, struct wm_sources *sources,
	const struct wm_story_function *function)
{
	size_t at;
	uint32_t first = a->line < b->line ? a->line : b->line, last = a->line < b->line ? b->line : a->line;
	if (!first || a->depth != b->depth || a->function != b->function || a->file != b->file)
		return false;
	const struct wm_map_line place = {.line = last};
	const struct wm_source_origin origin = step_origin(a, function);
	const struct wm_tokens *tokens = wm_source_tokens(sources, a->file, &place, &origin, &at);
	return tokens && !wm_condition_statement_ends(tokens, first, last);
}

/* Whether control returns to an earlier line of the same statement. */
static bool finishes_statement(const struct wm_steps *steps, const struct wm_row *kept, size_t count,
	const struct wm_source_step *step, struct wm_sources *sources, const struct wm_story_function *function)
{
	for (; count > 0; count--) {
		const struct wm_source_step *before = &steps->step[kept[count - 1].first];
		if (!in_one_statement(before, step, sources, function))
			return false;
		if (before->line == step->line)
			return true;
		if (before->begins[0])
			return false;
	}
	return false;
}

static bool has_lines(const struct wm_steps *steps)
{
	for (size_t i = 0; i < steps->count; i++)
		if (steps->step[i].line)
			return true;
	return false;
}

/* Whether a row is of a block for which the source has no code of its own: the end of nested ifs, where they join. */
static bool is_bare(const struct wm_source_step *step)
{
	return !step->line && !step->address;
}

size_t wm_rows_tidy(const struct wm_steps *steps, struct wm_row *rows, size_t count, struct wm_sources *sources,
	const struct wm_story_function *function)
{
	size_t kept = 0;
	bool lines = has_lines(steps);
	for (size_t i = 0; i < count; i++) {
		const struct wm_source_step *step = &steps->step[rows[i].first];
		char outcome[8];
		size_t length;
		wm_row_outcome(steps, &rows[i], outcome, sizeof outcome);
		const char *text = wm_step_source(sources, step, function, &length);
		bool last_chance = !kept && i + 1 == count, bare = lines && is_bare(step),
		     told = outcome[0] || step->begins[0] || (!text && !bare) || last_chance;
		if (told || (!bare && !(is_braces(text, length) ||
					      finishes_statement(steps, rows, kept, step, sources, function))))
			rows[kept++] = rows[i];
	}
	return kept;
}

/* Whether the outcome is printed: "returned" is left out if its line has another outcome. */
static bool is_news(const struct wm_steps *steps, const struct wm_row *row, size_t at)
{
	const char *outcome = steps->step[at].decision.outcome;
	if (!outcome[0] || strcmp(outcome, "returned") != 0)
		return outcome[0];
	for (size_t i = row->first; i < row->end; i++)
		if (steps->step[i].decision.outcome[0] &&
			(i < at || strcmp(steps->step[i].decision.outcome, "returned") != 0))
			return false;
	return true;
}

void wm_row_outcome(const struct wm_steps *steps, const struct wm_row *row, char *text, size_t size)
{
	char decision[WM_CONDITION_MAX + WM_OUTCOME_MAX];
	size_t used = 0;
	text[0] = 0;
	for (size_t i = row->first; i < row->end && used < size; i++)
		if (is_news(steps, row, i))
			used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "",
				wm_decision_text(&steps->step[i].decision, decision));
}

bool wm_row_decides(const struct wm_steps *steps, const struct wm_row *row, uint32_t position)
{
	for (size_t i = row->first; i < row->end; i++)
		if (steps->step[i].position == position && steps->step[i].decision.outcome[0])
			return true;
	return false;
}
