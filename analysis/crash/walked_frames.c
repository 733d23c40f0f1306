/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The frames that the runtime has found by unwinding the stack when a signal ended the process (WM_CRASH_SUMS in abi/crash.h).
 *
 * A frame in a call has the sum of its path.  Of an instruction that was interrupted only the address is known: the debug
 * information says in which function it is, and on which line, so there may be a frame for each function that was inlined there.
 * Such a frame has a path only if a single block of the function has the line, and a single prefix leads to the block.
 */
#include "analysis/crash/crash_story.h"
#include "analysis/tell/abandoned.h"
#include "core/probes/prefix_sums.h"
#include "core/scheme/kiter.h"
#include "support/fail.h"
#include "support/xalloc.h"
#include <stdlib.h>
#include <string.h>

static const char not_recorded[] = "how it got there is not known: compile with -fwaymark-crash";

static void append(struct wm_crash_thread *thread, struct wm_crash_step step)
{
	WM_XGROW(thread->frame, thread->frame_count);
	thread->frame[thread->frame_count++] = step;
}

static const char *file_of(const struct wm_crash_step *step, uint32_t file)
{
	return file < step->function->module->file_count ? step->function->module->file[file] : NULL;
}

/* ---- Paths ------------------------------------------------------------------------------ */

/* The plan whose paths have sums; NULL: there is none. */
static const struct wm_plan *plan_with_sums(struct wm_crash *crash, const struct wm_story_function *function)
{
	struct wm_story_function *own = &crash->story.function[function - crash->story.function];
	if (wm_story_crosses_calls(own) || !wm_story_number(own))
		return NULL;
	const struct wm_plan *plan = wm_story_plan(own);
	return plan->iterations && plan->iterations->count ? NULL : plan;
}

static void decode(struct wm_crash *crash, struct wm_crash_step *step, uint32_t block, uint64_t sum)
{
	struct wm_block_path path = {0};
	const struct wm_plan *plan = plan_with_sums(crash, step->function);
	enum wm_status status = WM_BAD_PATH;
	if (plan && block < step->function->map->graph.block_count)
		status = wm_prefix_decode(plan, block, sum, &path, &crash->arena);
	if (status == WM_NO_MEMORY)
		wm_no_memory();
	if (status == WM_OK)
		wm_story_block_trail(step->function, &path, &step->trail, &crash->arena);
	else
		step->trouble = "what the profile says of it is no path of the function";
}

static const char *why_unknown(struct wm_crash *crash, const struct wm_story_function *function)
{
	return plan_with_sums(crash, function)
		       ? not_recorded
		       : "paths with several iterations, or across calls, are known here only with -fwaymark-crash";
}

/* ---- Calls ------------------------------------------------------------------------------- */

static void place_call(struct wm_crash_step *step, uint32_t call)
{
	const struct wm_map_function *map = step->function->map;
	const struct wm_map_block *block = &map->block[map->call[call].block];
	uint32_t lines = wm_call_line(map, call);
	step->callee = wm_map_callee(step->function->module, &map->call[call]);
	if (!lines)
		return;
	step->line = block->line[lines - 1].line;
	step->file = file_of(step, block->line[lines - 1].file);
}

/* A call that is not in the map, as of memcpy: its line is known if the block has no other. */
static void place_in_block(struct wm_crash_step *step, uint32_t number)
{
	const struct wm_map_block *block = &step->function->map->block[number];
	if (block->line_count != 1)
		return;
	step->line = block->line->line;
	step->file = file_of(step, block->line->file);
}

static struct wm_crash_step at_call(struct wm_crash *crash, const struct wm_raw_frame *frame)
{
	struct wm_crash_step step = {.spot = WM_SPOT_CALL};
	uint32_t site = frame->site & ~WM_SITE_UNKNOWN;
	wm_crash_find_function(crash, frame->tag, &step);
	if (step.trouble)
		return step;
	uint32_t block = wm_story_site_block(step.function, site);
	if (block >= step.function->map->graph.block_count) {
		step.trouble = "what the profile says of it is no call of the function";
		return step;
	}
	if (frame->site & WM_SITE_UNKNOWN)
		step.trouble = why_unknown(crash, step.function);
	else
		decode(crash, &step, block, frame->kept);
	if (site & WM_SITE_BLOCK)
		place_in_block(&step, block);
	else
		place_call(&step, wm_story_site_call(site));
	return step;
}

/* ---- Instructions -------------------------------------------------------------------------- */

static bool same_file(const char *a, const char *b)
{
	return !a || !b || strcmp(wm_crash_last_component(a), wm_crash_last_component(b)) == 0;
}

/* The instrumented function at a place.  Of local functions with one name, the file tells which it is. */
static const struct wm_story_function *function_at(const struct wm_crash *crash, const struct wm_code_place *place)
{
	const struct wm_story_function *found = NULL;
	for (size_t i = 0; place->function && i < crash->story.function_count; i++) {
		const struct wm_story_function *function = &crash->story.function[i];
		if (function->state == WM_STORY_SKIPPED || strcmp(function->map->name, place->function) != 0 ||
			!same_file(wm_story_file(function), place->file))
			continue;
		if (found)
			return NULL;
		found = function;
	}
	return found;
}

/* The only block of the function that has the line; WM_NONE: there is none, or there are several. */
static uint32_t block_of_line(const struct wm_crash_step *step)
{
	const struct wm_map_function *map = step->function->map;
	uint32_t found = WM_NONE;
	for (uint32_t b = 0; step->line && b < map->graph.block_count; b++) {
		const struct wm_map_block *block = &map->block[b];
		bool has = block->decision.line == step->line &&
			   same_file(file_of(step, block->decision.file), step->file);
		for (uint32_t i = 0; i < block->line_count && !has; i++)
			has = block->line[i].line == step->line &&
			      same_file(file_of(step, block->line[i].file), step->file);
		if (has && found != WM_NONE)
			return WM_NONE;
		found = has ? b : found;
	}
	return found;
}

static bool is_on_line(const struct wm_crash_step *step, uint32_t call)
{
	const struct wm_map_function *map = step->function->map;
	uint32_t lines = wm_call_line(map, call);
	return step->line && lines && map->block[map->call[call].block].line[lines - 1].line == step->line;
}

/* The only call of the function on the line that can be the one: of `inlined`, or, if that is NULL, one that is not described because it
 * is known to return.  WM_NONE: there is none, or there are several. */
static uint32_t call_on_line(const struct wm_crash_step *step, const char *inlined)
{
	const struct wm_map_function *map = step->function->map;
	uint32_t found = WM_NONE;
	for (uint32_t c = 0; c < map->call_count; c++) {
		const char *callee = wm_map_callee(step->function->module, &map->call[c]);
		bool fits = inlined ? callee && strcmp(callee, inlined) == 0 : !map->call[c].may_not_return;
		if (!fits || !is_on_line(step, c))
			continue;
		if (found != WM_NONE)
			return WM_NONE;
		found = c;
	}
	return found;
}

/* The block in which a frame stands, as far as the line tells; its callee, if it is in a call. */
static uint32_t find_block(struct wm_crash_step *step, const char *inlined)
{
	uint32_t call = step->spot == WM_SPOT_CALL ? call_on_line(step, inlined) : WM_NONE;
	step->callee = inlined;
	if (call == WM_NONE)
		return block_of_line(step);
	step->callee = wm_map_callee(step->function->module, &step->function->map->call[call]);
	return step->function->map->call[call].block;
}

static void find_path(struct wm_crash *crash, struct wm_crash_step *step, uint32_t block)
{
	uint64_t sum;
	const struct wm_plan *plan = block != WM_NONE ? plan_with_sums(crash, step->function) : NULL;
	enum wm_status status = plan ? wm_prefix_only(plan, block, &sum, &crash->arena) : WM_BAD_PATH;
	if (status == WM_NO_MEMORY)
		wm_no_memory();
	if (status == WM_OK)
		decode(crash, step, block, sum);
	else
		step->trouble = not_recorded;
}

static void take_inlined(
	struct wm_crash *crash, struct wm_crash_step *step, const struct wm_code_place *place, size_t count)
{
	step->inlined = count ? WM_NEW(&crash->arena, struct wm_code_place, count) : NULL;
	if (count && !step->inlined)
		wm_no_memory();
	if (count)
		memcpy(step->inlined, place, count * sizeof *place);
	step->inlined_count = count;
}

/* Whether the blocks of what was inlined into the function are its own. */
static bool has_inlined_blocks(const struct wm_story_function *function)
{
	return function->map->stage == WM_CFG_OPTIMISED || function->map->inlined;
}

/* Whether the place at this index is a part of the frame of a place farther out. */
static bool is_part(const struct wm_crash *crash, const struct wm_code_place *place, size_t count, size_t index)
{
	for (size_t i = index + 1; i < count; i++) {
		const struct wm_story_function *outer = function_at(crash, &place[i]);
		if (outer && has_inlined_blocks(outer))
			return true;
	}
	return !function_at(crash, &place[index]);
}

/* Appends a frame for each instrumented function in which the instruction is, one inlined into the other; false: there is none. */
static bool append_places(struct wm_crash *crash, struct wm_crash_thread *thread, const struct wm_code_place *place,
	size_t count, enum wm_spot spot)
{
	size_t parts = 0;
	bool some = false;
	for (size_t i = 0; i < count; i++) {
		if (is_part(crash, place, count, i))
			continue;
		struct wm_crash_step step = {.function = function_at(crash, &place[i]),
			.spot = some ? WM_SPOT_CALL : spot,
			.line = place[i].line,
			.file = place[i].line ? place[i].file : NULL};
		find_path(crash, &step, find_block(&step, i ? place[i - 1].function : NULL));
		take_inlined(crash, &step, place + parts, i - parts);
		append(thread, step);
		parts = i + 1;
		some = true;
	}
	return some;
}

/* False: the instruction is not in an instrumented function, as far as is known.  Of code without debug information only the
 * symbol is known. */
static bool append_instruction(
	struct wm_crash *crash, struct wm_crash_thread *thread, uint64_t address, enum wm_spot spot)
{
	uint64_t behind;
	struct wm_code_place *place = NULL;
	size_t count = wm_code_places(&crash->code.code, address, &place);
	bool some = append_places(crash, thread, place, count, spot);
	struct wm_code_place symbol = {.function = wm_code_function(&crash->code.code, address, &behind)};
	if (!some)
		some = append_places(crash, thread, &symbol, 1, spot);
	free(place);
	return some;
}

/* ---- The frames of a thread ------------------------------------------------------------------ */

static bool is_instruction(const struct wm_raw_frame *frame)
{
	return frame->tag == WM_CRASH_INSTRUCTION && frame->site <= WM_STOP_CALL;
}

static void place_outside(struct wm_crash *crash, struct wm_crash_thread *thread, uint64_t address)
{
	uint64_t behind;
	struct wm_code_place *place = NULL;
	if (wm_code_places(&crash->code.code, address, &place))
		thread->place = place[0];
	if (!thread->place.function)
		thread->place.function = wm_code_function(&crash->code.code, address, &behind);
	free(place);
	thread->moved = !wm_crash_was_sent(&thread->head);
}

/* An instruction that is not in an instrumented function is told only if it is the one that faulted. */
static void take_instruction(
	struct wm_crash *crash, struct wm_crash_thread *thread, const struct wm_raw_frame *frame, bool innermost)
{
	uint64_t address = frame->kept + crash->code.first;
	bool call = frame->site == WM_STOP_CALL;
	enum wm_spot spot = call ? WM_SPOT_CALL : innermost ? WM_SPOT_FAULT : WM_SPOT_INTERRUPTED;
	if (!crash->code.open || !wm_crash_code_has(&crash->code, address))
		return;
	if (!append_instruction(crash, thread, address, spot) && spot == WM_SPOT_FAULT)
		place_outside(crash, thread, address);
}

void wm_crash_walked(struct wm_crash *crash, struct wm_crash_thread *thread, const struct wm_raw_thread *raw)
{
	size_t count = raw->frame_count + raw->inner_count;
	for (size_t i = 0; i < count; i++) {
		const struct wm_raw_frame *frame = wm_crash_frame_at(raw, i);
		if (wm_crash_is_above_gap(raw, i))
			thread->inner_count = thread->frame_count;
		if (is_instruction(frame))
			take_instruction(crash, thread, frame, i == 0);
		else
			append(thread, at_call(crash, frame));
	}
}
