/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tool/crash.h"
#include "tool/operands.h"
#include <stdlib.h>
#include <string.h>

static const char usage[] = "usage: waymark crash [options] PROFILE BINARY...\n"
			    "\n"
			    "Tells where each frame of a program was when it died, and how the frame got there.\n"
			    "The profile is the .wmraw file of a program that was built with -fwaymark-crash;\n"
			    "the binary is the program or shared object that the file is of.\n";

const char *wm_spot_text(enum wm_spot spot)
{
	static const char *const text[] = {"fault", "call", "last call", "entered", "finished"};
	return text[spot];
}

const char *wm_caller_role_text(enum wm_caller_role role)
{
	static const char *const text[] = {NULL, "path", "context"};
	return text[role];
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
	return own && wm_story_number(function) ? &function->plan : NULL;
}

static const struct wm_pending *pending_of(struct wm_crash *crash, const struct wm_story_function *function)
{
	size_t index = (size_t)(function - crash->story.function);
	if (!crash->pending[index]) {
		struct wm_pending *made = WM_NEW(&crash->arena, struct wm_pending, 1);
		const struct wm_plan *plan = plan_of(&crash->story.function[index]);
		if (!made || wm_pending_make(made, &function->map->graph, plan, &crash->arena) != WM_OK)
			wm_bug("out of memory");
		crash->pending[index] = made;
	}
	return crash->pending[index];
}

/* Finds the function with this tag.  An inline function may have several bodies, one per translation unit, and a frame
 * does not tell which of them it executes: the step then has the first as its function, for its name, and a trouble. */
static void find_function(const struct wm_crash *crash, uint32_t tag, struct wm_crash_step *step)
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
	bool whole = true;
	if (state->block < step->function->map->graph.block_count)
		status =
			wm_pending_decode(pending_of(crash, step->function), state, &step->path, &whole, &crash->arena);
	if (status == WM_NO_MEMORY)
		wm_bug("out of memory");
	if (status != WM_OK)
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
	find_function(crash, frame->tag, &step);
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
	step.line = wm_crash_code_line(&crash->code, map->key, frame->site - 1);
	step.crossed = inside && is_crossed(crash, step.function, frame->site - 1);
	state.block = call->block;
	decode(crash, &step, &state);
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
	find_function(crash, wm_crash_tag(mark->key), &step);
	if (step.trouble)
		return step;
	wm_code_line(&crash->code.code, address, &step.file, &step.line);
	uint32_t pieces = earlier_pieces(crash, step.function, mark->block);
	if (!mark->place[0] || read_words(mark, raw, word, 1 + pieces))
		decode(crash, &step, &(struct wm_pending_state){mark->block, word[0], word + 1, pieces});
	else
		step.trouble = "the part of the stack that has its register was not recorded";
	return step;
}

/* The frames of a thread: the innermost first. */
struct order {
	const struct wm_raw_thread *raw;
	size_t count;
};

static const struct wm_raw_frame *frame_at(const struct order *order, size_t i)
{
	const struct wm_raw_thread *raw = order->raw;
	return i < raw->inner_count ? &raw->inner[raw->inner_count - 1 - i]
				    : &raw->frame[raw->frame_count - 1 - (i - raw->inner_count)];
}

/* Whether the frame is the outermost of those that are known inside a part that is not: its callee is not known. */
static bool is_above_gap(const struct order *order, size_t i)
{
	return order->raw->overflow && i == order->raw->inner_count;
}

/* A crossed call leads to the next frame inwards only if that is a frame of the callee: a signal handler may have run
 * instead. */
static enum wm_caller_role role_of_caller(
	const struct wm_crash *crash, const struct wm_crash_step *inner, const struct wm_crash_step *outer)
{
	if (!outer->crossed || inner->trouble || outer->trouble || !outer->callee ||
		strcmp(outer->callee, inner->function->map->name) != 0)
		return WM_CALLER_APART;
	if (inner->path.start == WM_START_ENTRY)
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

static void resolve_frames(struct wm_crash *crash, struct wm_crash_thread *thread, const struct wm_raw_thread *raw)
{
	struct order order = {raw, raw->frame_count + raw->inner_count};
	uint64_t pc = raw->head.pc + crash->code.first;
	bool faulted = raw->head.signal && crash->code.open;
	bool here = faulted && wm_crash_code_has(&crash->code, pc);
	const struct wm_crash_mark *mark = here ? wm_crash_code_find(&crash->code, pc) : NULL;
	bool leaf = mark && mark->flags & WM_MARK_LEAF;
	const struct wm_raw_frame *first = order.count ? frame_at(&order, 0) : NULL;
	bool top = mark && !leaf && first && first->tag == wm_crash_tag(mark->key);
	thread->frame = wm_xmalloc((order.count + 1) * sizeof *thread->frame);
	if (leaf)
		thread->frame[thread->frame_count++] = at_fault(crash, mark, pc, raw);
	for (size_t i = 0; i < order.count; i++) {
		const struct wm_raw_frame *frame = frame_at(&order, i);
		bool inside = i > 0 || leaf || (faulted && !here);
		thread->frame[thread->frame_count++] =
			i == 0 && top ? at_fault(crash, mark, pc, raw)
				      : at_call(crash, frame, inside || is_above_gap(&order, i));
	}
	thread->moved = here && !leaf && !top;
	thread->inner_count = raw->inner_count + leaf;
	find_roles(crash, thread);
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
		find_function(crash, path->tag, &step);
		if (!step.trouble)
			decode(crash, &step, &(struct wm_pending_state){path->block, path->value, NULL, 0});
		step.cut = false; /* a piece is told as it is */
		thread->path[thread->path_count++] = step;
	}
}

static bool take_thread(void *closure, const struct wm_raw_thread *raw)
{
	struct wm_crash *crash = closure;
	struct wm_crash_thread thread = {.id = raw->id, .head = raw->head, .overflow = raw->overflow};
	if (raw->head.dead || (!raw->frame_count && !raw->head.signal))
		return true;
	resolve_frames(crash, &thread, raw);
	resolve_paths(crash, &thread, raw);
	WM_XGROW(crash->thread, crash->thread_count);
	crash->thread[crash->thread_count++] = thread;
	return true;
}

void wm_crash_steps(struct wm_steps *steps, const struct wm_crash_step *step)
{
	wm_steps_build(steps, step->function, &step->path);
	for (size_t i = 0; step->line && i < steps->count; i++)
		if (steps->step[i].position + 1 == step->path.length && steps->step[i].line == step->line) {
			steps->count = i + 1;
			steps->step[i].decision.outcome[0] = 0;
		}
}

/* ---- The command ------------------------------------------------------------------------- */

static int faulted_first(const void *a, const void *b)
{
	const struct wm_crash_thread *x = a, *y = b;
	if (!x->head.signal != !y->head.signal)
		return x->head.signal ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

/* Of several binaries, the one that ran. */
static struct wm_object *choose_binary(const struct wm_binaries *binaries, const struct wm_raw_ending *ending)
{
	for (size_t i = 0; i < binaries->count; i++) {
		struct wm_object *object = &binaries->object[i];
		uint32_t size =
			object->build_id_size < ending->build_id_size ? object->build_id_size : ending->build_id_size;
		if (size && !memcmp(object->build_id, ending->build_id, size))
			return object;
	}
	if (binaries->count == 1 && !ending->build_id_size)
		return &binaries->object[0];
	wm_fail("the profile is of another build than %s: give the very binary that ran, as its build-id tells",
		binaries->object[0].path);
}

static bool skip_thread(void *closure, const struct wm_raw_thread *raw)
{
	bool *any = closure;
	(void)raw;
	*any = true;
	return true;
}

/* Whether the binary was built with -fwaymark-crash, as far as is known. */
static bool records_frames(const struct wm_crash_code *code)
{
	return !code->open || code->mark_count || code->site_count;
}

/* Reads the profile twice: which binary it is of has to be known before frames have a meaning. */
static void build(struct wm_crash *crash, const struct wm_operands *operands, const struct wm_report_options *options,
	struct wm_binaries *binaries)
{
	struct wm_buffer file;
	struct wm_profile_error error = {{0}};
	const char *path = operands->profile[0];
	bool any = false;
	if (!wm_buffer_read(&file, path))
		wm_fail("cannot read %s", path);
	enum wm_profile_status status = wm_raw_threads(file.data, file.size, skip_thread, &any, &crash->ending, &error);
	if (status != WM_PROFILE_OK && status != WM_PROFILE_DAMAGED)
		wm_fail("cannot use %s: %s", path, error.text);
	if (status == WM_PROFILE_DAMAGED)
		wm_warn("%s: %s", path, error.text);
	struct wm_object *object = choose_binary(binaries, &crash->ending);
	wm_crash_code_open(&crash->code, object, options->debug_dir);
	if (!any && !records_frames(&crash->code))
		wm_fail("%s has no frames, and %s does not record any: build it with -fwaymark-crash", path,
			object->path);
	/* A program that ends normally leaves no frames. */
	if (!any && !crash->ending.ended)
		wm_fail("%s has no frames: no thread was in a function of %s", path, object->path);
	wm_story_build_bare(&crash->story, object, 1);
	crash->pending = calloc(crash->story.function_count + 1, sizeof(struct wm_pending *));
	if (!crash->pending)
		wm_bug("out of memory");
	wm_raw_threads(file.data, file.size, take_thread, crash, &crash->ending, &error);
	if (crash->thread_count)
		qsort(crash->thread, crash->thread_count, sizeof *crash->thread, faulted_first);
	wm_buffer_release(&file);
}

static void release(struct wm_crash *crash)
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

int wm_cmd_crash(int argc, char **argv)
{
	struct wm_report_options options;
	struct wm_operands operands = {0};
	struct wm_binaries binaries;
	struct wm_crash crash = {0};
	wm_report_options_init(&options);
	const struct wm_option own[] = {
		WM_FLAG("json", &options.json, "print as JSON (schema waymark.crash/1)"),
		{0},
	};
	int first = wm_report_parse(&options, usage, own, argc, argv);
	wm_operands_take(&operands, argv + first, argc - first);
	wm_operands_check(&operands, "waymark crash");
	if (operands.profile_count > 1)
		wm_fail("one profile at a time, as in `waymark crash %s %s`", operands.profile[0], operands.binary[0]);
	wm_arena_init(&crash.arena);
	wm_binaries_open(&binaries, &operands, options.debug_dir);
	build(&crash, &operands, &options, &binaries);
	if (options.json)
		wm_crash_json(&crash);
	else
		wm_crash_text(&crash, &options);
	release(&crash);
	wm_binaries_release(&binaries);
	wm_operands_release(&operands);
	return 0;
}
