/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The source lines of faults and calls.
 *
 * The marks around an instruction say in which function the fault is and, mostly, between which lines.  The debug information
 * has a list of places for the instruction, because functions are inlined into each other.  The place in the function of the
 * mark is the one of the frame, and those before it are places in functions that were inlined into it and have no frames
 * of their own.
 *
 * The debug information may be wrong: an instruction that LLVM has made of several ones has line 0 or a place in another
 * function, and one without a location seems to be where the instruction before it is.  So places must not contradict the
 * marks, and a row of the line table must begin with the instruction unless the marks have a single line.  Otherwise the nearest
 * known line is that of the frame's function in these places, in those of a neighbour between the same marks, or in the
 * block.
 */
#include "analysis/crash/crash_story.h"
#include "support/fail.h"
#include <stdlib.h>
#include <string.h>

/* The places of an instruction in the function and in what was inlined into it. */
struct places {
	struct wm_code_place *place;
	size_t own; /* the one in the function; those before it are inlined */
	bool found; /* the function is among them, and its line is known */
};

static struct places find_places(const struct wm_crash *crash, const char *function, uint64_t address)
{
	struct places p = {0};
	size_t count = wm_code_places(&crash->code.code, address, &p.place);
	while (p.own < count && !(p.place[p.own].function && strcmp(p.place[p.own].function, function) == 0))
		p.own++;
	p.found = p.own < count && p.place[p.own].line;
	return p;
}

static bool holds(const struct places *p, const struct wm_crash_mark *end)
{
	struct wm_crash_lines lines = wm_crash_mark_lines(end);
	const struct wm_code_place *inner = p->place;
	if (!p->found || !inner->line)
		return false;
	if (!lines.least)
		return inner->begins || !(end->flags & WM_MARK_LINES);
	return inner->line >= lines.least && inner->line <= lines.greatest &&
	       (p->own == 0 || p->place[p->own].line == lines.own) && (inner->begins || lines.least == lines.greatest);
}

static void take_inlined(
	struct wm_crash *crash, struct wm_crash_step *step, const struct wm_code_place *place, size_t count)
{
	step->inlined_count = count;
	if (!count)
		return;
	step->inlined = WM_NEW(&crash->arena, struct wm_code_place, count);
	if (!step->inlined)
		wm_no_memory();
	memcpy(step->inlined, place, count * sizeof *place);
}

static void take_own(struct wm_crash_step *step, const struct places *p)
{
	step->file = p->place[p->own].file;
	step->line = p->place[p->own].line;
}

static const char *file_of(const struct wm_crash_step *step, const struct wm_map_line *line)
{
	return line->file < step->function->module->file_count ? step->function->module->file[line->file] : NULL;
}

/* The file of a line of the last block; NULL: not known. */
static const char *file_in_block(const struct wm_crash_step *step, uint32_t line)
{
	const struct wm_map_block *block =
		step->trail.count ? &step->function->map->block[step->trail.step[step->trail.last].block] : NULL;
	for (uint32_t i = 0; block && i < block->line_count; i++)
		if (block->line[i].line == line)
			return file_of(step, &block->line[i]);
	return NULL;
}

/* If the lines of a call, or of all instructions between two marks, are a single one. */
static bool take_only_line(struct wm_crash *crash, struct wm_crash_step *step, struct wm_crash_lines lines)
{
	struct wm_code_place inner = {.line = lines.least, .file = file_in_block(step, lines.least)};
	if (!lines.least || lines.least != lines.greatest)
		return false;
	step->line = lines.own;
	if (lines.least != lines.own)
		take_inlined(crash, step, &inner, 1);
	else
		step->file = inner.file;
	return true;
}

static bool take_neighbour(
	struct wm_crash *crash, struct wm_crash_step *step, uint64_t address, bool forward, uint64_t limit)
{
	for (uint64_t at = address; !step->line && wm_code_next_row(&crash->code.code, &at, forward) &&
				    (forward ? at < limit : at >= limit);) {
		struct places p = find_places(crash, step->function->map->name, at);
		if (p.found)
			take_own(step, &p);
		free(p.place);
	}
	return step->line;
}

/* The last known line of the pending path. */
static void take_line_of_path(struct wm_crash_step *step)
{
	for (uint32_t i = step->trail.count; i-- > 0 && !step->line;) {
		const struct wm_map_block *block = &step->function->map->block[step->trail.step[i].block];
		const struct wm_map_line *last =
			block->line_count ? &block->line[block->line_count - 1] : &block->decision;
		step->line = last->line;
		step->file = file_of(step, last);
	}
}

static void take_nearest(struct wm_crash *crash, struct wm_crash_step *step, const struct wm_crash_mark *mark,
	uint64_t address, const struct places *here)
{
	if (here->found)
		take_own(step, here);
	else if (!take_neighbour(crash, step, address, false, mark->address) &&
		 !take_neighbour(crash, step, address, true, mark[1].address))
		take_line_of_path(step);
	step->near = step->line;
}

void wm_crash_place(
	struct wm_crash *crash, struct wm_crash_step *step, const struct wm_crash_mark *mark, uint64_t address)
{
	struct places here = find_places(crash, step->function->map->name, address);
	if (holds(&here, &mark[1])) {
		take_own(step, &here);
		take_inlined(crash, step, here.place, here.own);
	} else if (!take_only_line(crash, step, wm_crash_mark_lines(&mark[1]))) {
		take_nearest(crash, step, mark, address, &here);
	}
	free(here.place);
}

/* The call site is known, so that the callee must be the function that was inlined there. */
bool wm_crash_place_inside(struct wm_crash *crash, struct wm_crash_step *step, uint64_t address)
{
	if (step->trouble || !step->callee || step->inlined_count)
		return false;
	struct places here = find_places(crash, step->function->map->name, address);
	bool inside = here.found && here.own && here.place[here.own].line == step->line &&
		      here.place[here.own - 1].function && strcmp(here.place[here.own - 1].function, step->callee) == 0;
	if (inside) {
		step->near = !here.place->line || !here.place->begins;
		take_own(step, &here);
		take_inlined(crash, step, here.place, here.place->line ? here.own : 0);
	}
	free(here.place);
	return inside;
}

void wm_crash_place_call(struct wm_crash *crash, struct wm_crash_step *step, uint32_t site)
{
	take_only_line(crash, step, wm_crash_code_call(&crash->code, step->function->map->key, site));
}
