/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The output of waymark crash: text, or JSON (schema waymark.crash/1). */
#include "tool/crash.h"
#include "tool/page.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- Text ---------------------------------------------------------------------------------- */

static void print_line(const struct wm_crash_step *step, const char *before)
{
	const char *file = step->file ? step->file : step->function ? wm_story_file(step->function) : NULL;
	if (step->line)
		printf("%s%s:%u", before, file ? wm_short_file(file) : "line", step->line);
}

static void print_callee(const struct wm_crash_step *step)
{
	char *callee = step->callee ? wm_demangle(step->callee) : NULL;
	printf(" %s", callee ? callee : "a function");
	free(callee);
	print_line(step, " at ");
}

static void print_spot(const struct wm_crash_step *step)
{
	switch (step->spot) {
	case WM_SPOT_FAULT:
		printf("fault");
		print_line(step, " at ");
		break;
	case WM_SPOT_CALL:
		printf("calls");
		print_callee(step);
		break;
	case WM_SPOT_LAST_CALL:
		printf("as of its last call, of");
		print_callee(step);
		printf("; what it did since then is not known");
		break;
	case WM_SPOT_ENTERED:
		printf("has made no call yet; what it did since its entry is not known");
		break;
	case WM_SPOT_FINISHED:
		break;
	}
}

/* Where the path begins, or the active part of a path with a context. */
static uint32_t first_line(const struct wm_crash_step *step)
{
	bool iterates = step->function->plan.iterations;
	return wm_block_line(step->function, step->path.block[iterates ? 0 : step->path.fresh]);
}

/* `outer`: the number of the frame that called this one. */
static void print_start(const struct wm_crash_step *step, size_t outer)
{
	static const char *const starts[] = {"entry", "loop head", "cut"};
	uint32_t line = step->path.start == WM_START_ENTRY ? 0 : first_line(step);
	printf("      from %s", starts[step->path.start]);
	if (line)
		printf(" at %u", line);
	if (step->caller == WM_CALLER_PATH)
		printf(", as a part of the path of #%zu", outer);
	if (step->caller == WM_CALLER_CONTEXT)
		printf(", in the context of #%zu", outer);
	if (step->cut)
		printf("; earlier iterations of the path were not recorded");
	putchar('\n');
}

static void print_step(struct wm_page *page, const struct wm_crash_step *step, size_t outer)
{
	if (step->trouble) {
		printf("      no path: %s\n", step->trouble);
		return;
	}
	print_start(step, outer);
	wm_crash_steps(&page->steps, step);
	wm_page_rows(page, step->function, WM_NONE);
}

static const char *name_of(const struct wm_crash_step *step)
{
	return step->function ? step->function->display : "an unknown function";
}

static void print_frames(struct wm_page *page, const struct wm_crash_thread *thread)
{
	for (size_t i = 0; i < thread->frame_count; i++) {
		if (thread->overflow && i == thread->inner_count)
			printf("  ... frames are missing here: the stack was too deep to be recorded whole\n");
		printf("  #%-2zu %s%s%s  ", i, page->bold, name_of(&thread->frame[i]), page->plain);
		print_spot(&thread->frame[i]);
		putchar('\n');
		print_step(page, &thread->frame[i], i + 1);
	}
}

static void print_paths(struct wm_page *page, const struct wm_crash_thread *thread)
{
	if (thread->path_count)
		printf("\n  last finished paths, the newest first:\n");
	for (size_t i = 0; i < thread->path_count; i++) {
		printf("  -%-2zu %s%s%s\n", i + 1, page->bold, name_of(&thread->path[i]), page->plain);
		print_step(page, &thread->path[i], 0);
	}
}

static void print_thread(struct wm_page *page, const struct wm_crash_thread *thread)
{
	printf("\n%sthread %" PRIu64 "%s", page->bold, thread->id, page->plain);
	if (thread->head.signal)
		printf(": SIG%s", wm_crash_signal(thread->head.signal));
	if (thread->head.signal && thread->head.address && wm_crash_signal(thread->head.signal)[0] != 'A')
		printf(", address 0x%" PRIx64, thread->head.address);
	putchar('\n');
	if (thread->moved)
		printf("  the faulting instruction was moved out of its block or is not instrumented: the innermost "
		       "frame is not exact\n");
	print_frames(page, thread);
	print_paths(page, thread);
}

static const char *verdict(const struct wm_crash *crash)
{
	if (crash->thread_count && crash->thread[0].head.signal)
		return "died of a signal";
	if (crash->ending.snapshot)
		return "was running when this snapshot was written";
	if (crash->ending.ended)
		return "ended normally";
	return "was killed, or ended without its destructors, or is still running: frames are as of their last call";
}

void wm_crash_text(const struct wm_crash *crash, const struct wm_report_options *options)
{
	struct wm_page page;
	wm_page_init(&page, options, stdout);
	printf("process %" PRIu64 " %s\n", crash->ending.pid, verdict(crash));
	for (size_t i = 0; i < crash->thread_count; i++)
		print_thread(&page, &crash->thread[i]);
	wm_page_release(&page);
}

/* ---- JSON ---------------------------------------------------------------------------------- */

static json_t *step_object(const struct wm_crash_step *step, struct wm_steps *steps)
{
	bool exact = !step->trouble && !step->cut && step->spot != WM_SPOT_LAST_CALL && step->spot != WM_SPOT_ENTERED;
	json_t *object = wm_json_checked(json_pack("{s:o, s:o, s:s, s:b, s:o, s:i, s:o}", "function",
		wm_json_optional(step->function ? step->function->map->name : NULL), "file",
		wm_json_optional(step->function ? wm_story_file(step->function) : NULL), "spot",
		wm_spot_text(step->spot), "exact", exact, "callee", wm_json_optional(step->callee), "line",
		(int)step->line, "trouble", wm_json_optional(step->trouble)));
	if (step->trouble)
		return object;
	json_t *blocks = wm_json_checked(json_array());
	for (uint32_t i = 0; i < step->path.length; i++)
		json_array_append_new(blocks, json_integer(step->path.block[i]));
	wm_crash_steps(steps, step);
	json_object_set_new(object, "crossed", json_boolean(step->crossed));
	json_object_set_new(object, "caller", wm_json_optional(wm_caller_role_text(step->caller)));
	json_object_set_new(object, "start", wm_json_text(wm_start_text(step->path.start)));
	json_object_set_new(object, "blocks", blocks);
	json_object_set_new(object, "lines", wm_json_lines(steps));
	json_object_set_new(object, "decisions", wm_json_decisions(steps));
	return object;
}

static json_t *step_array(const struct wm_crash_step *step, size_t count, struct wm_steps *steps)
{
	json_t *list = wm_json_checked(json_array());
	for (size_t i = 0; i < count; i++)
		json_array_append_new(list, step_object(&step[i], steps));
	return list;
}

static json_t *thread_object(const struct wm_crash_thread *thread, struct wm_steps *steps)
{
	char address[24];
	snprintf(address, sizeof address, "0x%" PRIx64, thread->head.address);
	json_t *object = wm_json_checked(json_pack("{s:I, s:i, s:b, s:o, s:o}", "thread", (json_int_t)thread->id,
		"signal", (int)(thread->head.signal & 127), "frames_missing", thread->overflow, "frames",
		step_array(thread->frame, thread->frame_count, steps), "paths",
		step_array(thread->path, thread->path_count, steps)));
	if (thread->head.signal)
		json_object_set_new(object, "address", wm_json_text(address));
	return object;
}

void wm_crash_json(const struct wm_crash *crash)
{
	struct wm_steps steps = {0};
	json_t *document = wm_json_document("crash"), *threads = wm_json_checked(json_array());
	for (size_t i = 0; i < crash->thread_count; i++)
		json_array_append_new(threads, thread_object(&crash->thread[i], &steps));
	json_object_set_new(document, "pid", json_integer((json_int_t)crash->ending.pid));
	json_object_set_new(document, "ended", json_boolean(crash->ending.ended));
	json_object_set_new(document, "snapshot", json_boolean(crash->ending.snapshot));
	json_object_set_new(document, "threads", threads);
	wm_steps_release(&steps);
	wm_json_print(document);
}
