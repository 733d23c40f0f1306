/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/crash/crash_story.h"
#include "support/buffer.h"
#include "support/fail.h"
#include "support/xalloc.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *wm_spot_text(enum wm_spot spot)
{
	static const char *const text[] = {"fault", "call", "last call", "entered", "finished", "interrupted"};
	return text[spot];
}

const char *wm_caller_role_text(enum wm_caller_role role)
{
	static const char *const text[] = {NULL, "path", "context"};
	return text[role];
}

static bool is_fault(uint64_t signal)
{
	return signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL;
}

bool wm_crash_is_crash(uint64_t signal)
{
	return is_fault(signal) || signal == SIGABRT;
}

bool wm_crash_was_sent(const struct wm_crash_head *head)
{
	return head->code & WM_CRASH_CODE && ((int32_t)head->code <= 0 || !is_fault(head->signal));
}

const struct wm_raw_frame *wm_crash_frame_at(const struct wm_raw_thread *raw, size_t i)
{
	return i < raw->inner_count ? &raw->inner[raw->inner_count - 1 - i]
				    : &raw->frame[raw->frame_count - 1 - (i - raw->inner_count)];
}

bool wm_crash_is_above_gap(const struct wm_raw_thread *raw, size_t i)
{
	return raw->overflow && i == raw->inner_count;
}

const char *wm_crash_signal(uint64_t signal)
{
	const char *name = signal < 65 ? sigabbrev_np((int)signal) : NULL;
	return name ? name : "?";
}

/* ---- Functions ------------------------------------------------------------------------- */

/* The plan by which the paths of a function are counted, if it is one of wm_pending_make. */
static const struct wm_plan *plan_of(struct wm_story_function *function)
{
	struct wm_scheme_choice choice;
	bool own = wm_scheme_parse(function->map->scheme, &choice) == WM_OK &&
		   (choice.scheme->iterates || choice.scheme->contexts);
	return own && wm_story_number(function) ? wm_story_plan(function) : NULL;
}

static const struct wm_pending *pending_of(struct wm_crash *crash, const struct wm_story_function *function)
{
	size_t index = (size_t)(function - crash->story.function);
	if (!crash->pending[index]) {
		struct wm_pending *made = WM_NEW(&crash->arena, struct wm_pending, 1);
		const struct wm_plan *plan = plan_of(&crash->story.function[index]);
		if (!made || wm_pending_make(made, &function->map->graph, plan, &crash->arena) != WM_OK)
			wm_no_memory();
		crash->pending[index] = made;
	}
	return crash->pending[index];
}

void wm_crash_find_function(const struct wm_crash *crash, uint32_t tag, struct wm_crash_step *step)
{
	step->trouble = "the binary has no such function";
	for (size_t i = 0; i < crash->story.function_count; i++) {
		const struct wm_story_function *function = &crash->story.function[i];
		if (function->state == WM_STORY_SKIPPED || wm_crash_tag(function->map->key) != tag)
			continue;
		if (step->function && strcmp(step->function->map->name, function->map->name) != 0) {
			step->trouble = "several functions of the binary cannot be told apart";
			step->function = NULL;
			return;
		}
		step->trouble = step->function ? "the binary has several bodies of this function, and which of them "
						 "ran is not known"
					       : NULL;
		step->function = function;
	}
}

static void decode(struct wm_crash *crash, struct wm_crash_step *step, const struct wm_pending_state *state)
{
	enum wm_status status = WM_BAD_PATH;
	struct wm_block_path path = {0};
	bool whole = true;
	if (state->block < step->function->map->graph.block_count)
		status = wm_pending_decode(pending_of(crash, step->function), state, &path, &whole, &crash->arena);
	if (status == WM_NO_MEMORY)
		wm_no_memory();
	if (status == WM_OK)
		wm_story_block_trail(step->function, &path, &step->trail, &crash->arena);
	else
		step->trouble = "what the profile says of it is no path of the function";
	step->cut = !whole;
}

/* ---- Frames ------------------------------------------------------------------------------ */

static const struct wm_unit_index *unit_of(const struct wm_crash *crash, const struct wm_story_function *function)
{
	return wm_counts_across(function->map) ? wm_units_of(&crash->story.units.of_object[0], function->map) : NULL;
}

static bool is_crossed(const struct wm_crash *crash, const struct wm_story_function *function, uint32_t site)
{
	const struct wm_unit_index *at = unit_of(crash, function);
	return at && at->unit->fate[at->function][site] == WM_CROSSED;
}

/* `inside`: the frame is known to be inside the call. */
static struct wm_crash_step at_call(struct wm_crash *crash, const struct wm_raw_frame *frame, bool inside)
{
	struct wm_crash_step step = {.spot = inside ? WM_SPOT_CALL : WM_SPOT_LAST_CALL};
	wm_crash_find_function(crash, frame->tag, &step);
	if (step.trouble)
		return step;
	const struct wm_map_function *map = step.function->map;
	struct wm_pending_state state = {frame->site & ~WM_SITE_BLOCK, frame->kept, frame->piece, frame->piece_count};
	if (!frame->site) {
		step.spot = WM_SPOT_ENTERED;
		state.value = -pending_of(crash, step.function)->missing[0];
	}
	if (!frame->site || frame->site & WM_SITE_BLOCK) {
		decode(crash, &step, &state);
		return step;
	}
	if (frame->site > map->call_count) {
		step.trouble = "what the profile says of it is no call of the function";
		return step;
	}
	const struct wm_call *call = &map->call[frame->site - 1];
	step.callee = wm_map_callee(step.function->module, call);
	step.crossed = inside && is_crossed(crash, step.function, frame->site - 1);
	state.block = call->block;
	decode(crash, &step, &state);
	wm_crash_place_call(crash, &step, frame->site - 1);
	return step;
}

/* Words from the address of the register on, of the function that faulted; false: they are not in a part of the stack
 * that was copied. */
static bool read_words(
	const struct wm_crash_mark *mark, const struct wm_raw_thread *raw, uint64_t *word, uint32_t count)
{
	enum wm_crash_base base;
	int64_t offset;
	uint64_t size = count * sizeof *word;
	if (!wm_crash_code_place(mark, &base, &offset))
		return false;
	for (int i = 0; i < WM_CRASH_WINDOWS; i++) {
		const struct wm_crash_window *window = &raw->head.window[i];
		uint64_t at = raw->head.base[base] + (uint64_t)offset - window->address;
		if (window->size < size || at > window->size - size)
			continue;
		memcpy(word, raw->window[i] + at, size);
		return true;
	}
	return false;
}

static uint32_t earlier_pieces(struct wm_crash *crash, const struct wm_story_function *function, uint32_t block)
{
	const struct wm_pending *pending = pending_of(crash, function);
	return pending->earlier && block < function->map->graph.block_count ? pending->earlier[block] : 0;
}

static struct wm_crash_step at_fault(
	struct wm_crash *crash, const struct wm_crash_mark *mark, uint64_t address, const struct wm_raw_thread *raw)
{
	struct wm_crash_step step = {.spot = WM_SPOT_FAULT};
	uint64_t word[1 + WM_PENDING_PIECES] = {0};
	wm_crash_find_function(crash, wm_crash_tag(mark->key), &step);
	if (step.trouble)
		return step;
	uint32_t pieces = earlier_pieces(crash, step.function, mark->block);
	if (!mark->place[0] || read_words(mark, raw, word, 1 + pieces))
		decode(crash, &step, &(struct wm_pending_state){mark->block, word[0], word + 1, pieces});
	else
		step.trouble = "the part of the stack that has its register was not recorded";
	wm_crash_place(crash, &step, mark, address);
	return step;
}

/* A crossed call leads to the next frame inwards only if that is a frame of the callee: a signal handler may have run
 * instead. */
static enum wm_caller_role role_of_caller(
	const struct wm_crash *crash, const struct wm_crash_step *inner, const struct wm_crash_step *outer)
{
	if (!outer->crossed || inner->trouble || outer->trouble || !outer->callee ||
		strcmp(outer->callee, inner->function->map->name) != 0)
		return WM_CALLER_APART;
	if (inner->trail.start == WM_START_ENTRY)
		return WM_CALLER_PATH;
	const struct wm_unit_index *at = unit_of(crash, inner->function);
	return at && !at->unit->plan.scheme->pieces ? WM_CALLER_CONTEXT : WM_CALLER_APART;
}

static void find_roles(const struct wm_crash *crash, struct wm_crash_thread *thread)
{
	for (size_t i = 1; i < thread->frame_count; i++)
		if (!thread->overflow || i != thread->inner_count)
			thread->frame[i - 1].caller = role_of_caller(crash, &thread->frame[i - 1], &thread->frame[i]);
}

/* Whether a signal handler may have interrupted the outer frame: some signal was blocked when the thread died, and the inner
 * frame is not that of the callee but of a function that can be a handler. */
static bool may_be_interrupted(const struct wm_crash *crash, const struct wm_crash_thread *thread, size_t outer)
{
	const struct wm_crash_step *inner = &thread->frame[outer - 1], *step = &thread->frame[outer];
	if (!(thread->head.code & WM_CRASH_BLOCKED) || !crash->code.open || !inner->function)
		return false;
	const char *name = inner->function->map->name;
	return !(step->callee && strcmp(step->callee, name) == 0) && wm_code_takes_signal(&crash->code.code, name);
}

static void doubt_interrupted(const struct wm_crash *crash, struct wm_crash_thread *thread)
{
	for (size_t i = 1; i < thread->frame_count; i++)
		if (thread->frame[i].spot == WM_SPOT_CALL && may_be_interrupted(crash, thread, i))
			thread->frame[i].spot = WM_SPOT_LAST_CALL;
}

static struct wm_code_place first_place(const struct wm_crash *crash, uint64_t address)
{
	struct wm_code_place *place, first = {0};
	if (wm_code_places(&crash->code.code, address, &place))
		first = place[0];
	free(place);
	return first;
}

/* If the fault is in a function that is not instrumented and was inlined where frame 0 called it, that call is known to be
 * active. */
static bool in_inlined_callee(
	struct wm_crash *crash, const struct wm_raw_frame *frame, uint64_t address, struct wm_crash_step *innermost)
{
	struct wm_crash_step step = at_call(crash, frame, true);
	if (!wm_crash_place_inside(crash, &step, address))
		return false;
	step.spot = WM_SPOT_FAULT;
	*innermost = step;
	return true;
}

static void resolve_frames(struct wm_crash *crash, struct wm_crash_thread *thread, const struct wm_raw_thread *raw)
{
	size_t count = raw->frame_count + raw->inner_count;
	uint64_t pc = raw->head.pc + crash->code.first;
	bool faulted = raw->head.signal && crash->code.open;
	bool here = faulted && wm_crash_code_has(&crash->code, pc);
	const struct wm_crash_mark *mark = here ? wm_crash_code_find(&crash->code, pc) : NULL;
	bool leaf = mark && mark->flags & WM_MARK_LEAF;
	const struct wm_raw_frame *first = count ? wm_crash_frame_at(raw, 0) : NULL;
	bool top = mark && !leaf && first && first->tag == wm_crash_tag(mark->key);
	thread->frame = wm_xmalloc((count + 1) * sizeof *thread->frame);
	if (leaf)
		thread->frame[thread->frame_count++] = at_fault(crash, mark, pc, raw);
	for (size_t i = 0; i < count; i++) {
		const struct wm_raw_frame *frame = wm_crash_frame_at(raw, i);
		bool inside = i > 0 || leaf || (faulted && !here);
		thread->frame[thread->frame_count++] =
			i == 0 && top ? at_fault(crash, mark, pc, raw)
				      : at_call(crash, frame, inside || wm_crash_is_above_gap(raw, i));
	}
	thread->moved = here && !leaf && !top && !(first && in_inlined_callee(crash, first, pc, &thread->frame[0]));
	if (thread->moved)
		thread->place = first_place(crash, pc);
	thread->inner_count = raw->inner_count + leaf;
	find_roles(crash, thread);
	doubt_interrupted(crash, thread);
}

/* How many finished paths the build asked for.  The ring has room for more.  In a build that asked for none the ring is
 * empty, and maps of earlier builds do not have the number. */
static uint32_t wanted_paths(const struct wm_story *story)
{
	uint32_t most = 0;
	for (size_t i = 0; i < story->function_count; i++)
		if (story->function[i].module->crash_paths > most)
			most = story->function[i].module->crash_paths;
	return most ? most : WM_CRASH_PATHS;
}

static void resolve_paths(struct wm_crash *crash, struct wm_crash_thread *thread, const struct wm_raw_thread *raw)
{
	size_t next = (raw->head.next & 255) / sizeof(struct wm_crash_path), wanted = wanted_paths(&crash->story);
	thread->path = wm_xmalloc(WM_CRASH_PATHS * sizeof *thread->path);
	for (size_t i = 1; i <= wanted; i++) {
		const struct wm_crash_path *path = &raw->head.path[(next + WM_CRASH_PATHS - i) % WM_CRASH_PATHS];
		struct wm_crash_step step = {.spot = WM_SPOT_FINISHED};
		if (!path->tag)
			continue;
		wm_crash_find_function(crash, path->tag, &step);
		if (!step.trouble)
			decode(crash, &step, &(struct wm_pending_state){path->block, path->value, NULL, 0});
		step.cut = false; /* a piece is told as it is */
		thread->path[thread->path_count++] = step;
	}
}

static bool take_thread(void *closure, const struct wm_raw_thread *raw)
{
	struct wm_crash *crash = closure;
	struct wm_raw_thread now = *raw;
	/* A program that ended normally has handled the signal, and its frames have changed since then. */
	if (crash->ending.ended && !(now.head.code & WM_CRASH_SUMS))
		now.head.signal = 0;
	struct wm_crash_thread thread = {.id = now.id, .head = now.head, .overflow = now.overflow};
	if (now.head.dead || (!now.frame_count && !now.head.signal))
		return true;
	if (now.head.code & WM_CRASH_SUMS)
		wm_crash_walked(crash, &thread, &now);
	else
		resolve_frames(crash, &thread, &now);
	resolve_paths(crash, &thread, &now);
	WM_XGROW(crash->thread, crash->thread_count);
	crash->thread[crash->thread_count++] = thread;
	return true;
}

const char *wm_crash_last_component(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;
	return slash ? slash + 1 : path;
}

/* Truncates the steps at the last block's first step on `line`; false: the block has no step there. */
static bool cut_steps(struct wm_steps *steps, const struct wm_trail *trail, const char *file, uint32_t line)
{
	for (size_t i = 0; line && i < steps->count; i++) {
		struct wm_source_step *step = &steps->step[i];
		/* The map and the debug information may name the same file by different paths. */
		if (step->position + 1 != trail->count || step->line != line ||
			(file && step->file &&
				strcmp(wm_crash_last_component(file), wm_crash_last_component(step->file)) != 0))
			continue;
		steps->count = i + 1;
		step->decision.outcome[0] = 0;
		return true;
	}
	return false;
}

void wm_crash_steps(struct wm_steps *steps, const struct wm_crash_step *step)
{
	wm_steps_build(steps, &step->function, &step->trail);
	for (size_t i = 0; i < step->inlined_count; i++)
		if (cut_steps(steps, &step->trail, step->inlined[i].file, step->inlined[i].line))
			return;
	cut_steps(steps, &step->trail, step->file, step->line);
}

/* ---- Files ------------------------------------------------------------------------------- */

static int faulted_first(const void *a, const void *b)
{
	const struct wm_crash_thread *x = a, *y = b;
	if (!x->head.signal != !y->head.signal)
		return x->head.signal ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

static bool note_thread(void *closure, const struct wm_raw_thread *raw)
{
	struct wm_crash_notes *notes = closure;
	bool sums = raw->head.code & WM_CRASH_SUMS;
	notes->frames = true;
	notes->walked |= sums;
	if (raw->head.signal && (sums || !notes->ending.ended))
		notes->signal = raw->head.signal;
	return true;
}

bool wm_crash_read_notes(const char *path, struct wm_crash_notes *notes)
{
	struct wm_buffer file;
	*notes = (struct wm_crash_notes){0};
	if (!wm_buffer_read(&file, path)) {
		snprintf(notes->error.text, sizeof notes->error.text, "%s", strerror(errno));
		return false;
	}
	enum wm_profile_status status =
		wm_raw_threads(file.data, file.size, note_thread, notes, &notes->ending, &notes->error);
	wm_buffer_release(&file);
	notes->damaged = status == WM_PROFILE_DAMAGED;
	return status == WM_PROFILE_OK || notes->damaged;
}

struct wm_object *wm_crash_object(struct wm_object *object, size_t count, const struct wm_crash_notes *notes)
{
	const struct wm_raw_ending *ending = &notes->ending;
	for (size_t i = 0; i < count; i++) {
		uint32_t size = object[i].build_id_size < ending->build_id_size ? object[i].build_id_size
										: ending->build_id_size;
		if (size && !memcmp(object[i].build_id, ending->build_id, size))
			return &object[i];
	}
	return count == 1 && !ending->build_id_size ? object : NULL;
}

bool wm_crash_is_recorded(const struct wm_crash *crash)
{
	return !crash->code.open || crash->code.mark_count || crash->code.site_count || crash->code.described;
}

void wm_crash_open(struct wm_crash *crash, const char *path, const struct wm_crash_notes *notes,
	struct wm_object *object, const char *debug_dir)
{
	struct wm_buffer file;
	struct wm_profile_error error = {{0}};
	*crash = (struct wm_crash){.ending = notes->ending};
	wm_arena_init(&crash->arena);
	wm_crash_code_open(&crash->code, object, debug_dir);
	wm_story_build_bare(&crash->story, object, 1);
	crash->pending = calloc(crash->story.function_count + 1, sizeof(struct wm_pending *));
	if (!crash->pending)
		wm_no_memory();
	if (!wm_buffer_read(&file, path))
		wm_fail("cannot read %s: %s", path, strerror(errno));
	wm_raw_threads(file.data, file.size, take_thread, crash, &crash->ending, &error);
	wm_buffer_release(&file);
	if (crash->thread_count)
		qsort(crash->thread, crash->thread_count, sizeof *crash->thread, faulted_first);
}

void wm_crash_release(struct wm_crash *crash)
{
	for (size_t i = 0; i < crash->thread_count; i++) {
		free(crash->thread[i].frame);
		free(crash->thread[i].path);
	}
	free(crash->thread);
	free(crash->pending);
	wm_crash_code_release(&crash->code);
	wm_story_release(&crash->story);
	wm_arena_release(&crash->arena);
}
