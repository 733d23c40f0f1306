/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The output of waymark crash: text, or JSON (schema waymark.crash/1). */
#include "view/recording/crash_print.h"
#include "view/document/document.h"
#include "view/document/json_elements.h"
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* ---- Text ---------------------------------------------------------------------------------- */

static void print_line(FILE *out, const char *before, const char *file, uint32_t line)
{
	if (line)
		fprintf(out, "%s%s%s%u", before, file ? wm_short_file(file) : "line", file ? ":" : " ", line);
}

static void print_own_line(FILE *out, const struct wm_crash_step *step, const char *before)
{
	const char *file = step->file ? step->file : step->function ? wm_story_file(step->function) : NULL;
	print_line(out, before, file, step->line);
}

static void print_function(FILE *out, const char *name, const char *otherwise)
{
	char *text = name ? wm_demangle(name) : NULL;
	fprintf(out, " %s", text ? text : otherwise);
	free(text);
}

/* The innermost place, and then where each function was inlined. */
static void print_places(FILE *out, const struct wm_crash_step *step)
{
	const char *before = step->near ? " near " : " at ";
	for (size_t i = 0; i < step->inlined_count; i++) {
		const struct wm_code_place *place = &step->inlined[i];
		print_line(out, before, place->file, place->line);
		if (place->function)
			fputs(" in", out), print_function(out, place->function, "");
		before = ", inlined at ";
	}
	print_own_line(out, step, before);
}

static void print_callee(FILE *out, const struct wm_crash_step *step)
{
	print_function(out, step->callee, "a function");
	print_places(out, step);
}

static void print_spot(FILE *out, const struct wm_crash_step *step, bool sent)
{
	switch (step->spot) {
	case WM_SPOT_FAULT:
		fputs(sent ? "interrupted" : "fault", out);
		print_places(out, step);
		break;
	case WM_SPOT_CALL:
		fputs("calls", out);
		print_callee(out, step);
		break;
	case WM_SPOT_LAST_CALL:
		fputs("as of its last call, of", out);
		print_callee(out, step);
		fputs("; what it did since then is not known", out);
		break;
	case WM_SPOT_ENTERED:
		fputs("has made no call yet; what it did since its entry is not known", out);
		break;
	case WM_SPOT_INTERRUPTED:
		fputs("interrupted", out);
		print_places(out, step);
		break;
	case WM_SPOT_FINISHED:
		break;
	}
}

/* Where the path begins, or the active part of a path with a context. */
static uint32_t first_line(const struct wm_crash_step *step)
{
	bool iterates = wm_story_plan(step->function)->iterations;
	return wm_block_line(step->function, step->trail.step[iterates ? 0 : step->trail.fresh].block);
}

/* `outer`: the number of the frame that called this one. */
static void print_start(FILE *out, const struct wm_crash_step *step, size_t outer)
{
	uint32_t line = step->trail.start == WM_START_ENTRY ? 0 : first_line(step);
	fprintf(out, "      from %s", wm_start_words(step->trail.start));
	if (line)
		fprintf(out, " at %u", line);
	if (step->caller == WM_CALLER_PATH)
		fprintf(out, ", as a part of the path of #%zu", outer);
	if (step->caller == WM_CALLER_CONTEXT)
		fprintf(out, ", in the context of #%zu", outer);
	if (step->cut)
		fputs("; earlier iterations of the path were not recorded", out);
	putc('\n', out);
}

static void print_step(struct wm_document *page, const struct wm_crash_step *step, size_t outer)
{
	if (step->trouble) {
		fprintf(page->out, "      no path: %s\n", step->trouble);
		return;
	}
	print_start(page->out, step, outer);
	wm_crash_steps(&page->steps, step);
	wm_document_rows(page, step->function, WM_NONE);
}

static const char *name_of(const struct wm_crash_step *step)
{
	return step->function ? step->function->display : "an unknown function";
}

static bool same_path(const struct wm_crash_step *a, const struct wm_crash_step *b)
{
	bool same = !a->trouble && !b->trouble && a->function == b->function && a->trail.start == b->trail.start &&
		    a->trail.count == b->trail.count;
	for (uint32_t i = 0; same && i < a->trail.count; i++)
		same = a->trail.step[i].block == b->trail.step[i].block;
	return same;
}

/* Whether two frames are printed alike but for their numbers, as those of a recursion often are. */
static bool alike(const struct wm_crash_step *a, const struct wm_crash_step *b)
{
	return a->spot == WM_SPOT_CALL && b->spot == WM_SPOT_CALL && same_path(a, b) && a->line == b->line &&
	       a->cut == b->cut && a->caller == WM_CALLER_APART && b->caller == WM_CALLER_APART &&
	       (a->callee == b->callee || (a->callee && b->callee && strcmp(a->callee, b->callee) == 0));
}

static bool is_above_gap(const struct wm_crash_thread *thread, size_t i)
{
	return thread->overflow && i == thread->inner_count;
}

/* The end of the frames that are printed like frame `first`. */
static size_t alike_end(const struct wm_crash_thread *thread, size_t first)
{
	size_t end = first + 1;
	while (end < thread->frame_count && !is_above_gap(thread, end) &&
		alike(&thread->frame[first], &thread->frame[end]))
		end++;
	return end;
}

static void print_frame(struct wm_document *page, const struct wm_crash_thread *thread, size_t first, size_t end)
{
	const struct wm_crash_step *step = &thread->frame[first];
	if (is_above_gap(thread, first))
		fprintf(page->out,
			first ? "  ... frames are missing here: the stack was too deep to be recorded whole\n"
			      : "  ... the innermost frames are missing: the stack was too deep to be recorded "
				"whole\n");
	if (end > first + 1)
		fprintf(page->out, "  #%zu to #%zu ", first, end - 1);
	else
		fprintf(page->out, "  #%-2zu ", first);
	fprintf(page->out, "%s%s%s  ", page->bold, name_of(step), page->plain);
	print_spot(page->out, step, wm_crash_was_sent(&thread->head));
	putc('\n', page->out);
	print_step(page, step, first + 1);
}

/* A deep stack is shortened in the middle: these many groups of frames that are alike are printed on either side. */
enum { INNER_GROUPS = 30, OUTER_GROUPS = 10 };

static void print_frames(struct wm_document *page, const struct wm_crash_thread *thread)
{
	size_t groups = 0, group = 0, left_out = 0;
	for (size_t i = 0; i < thread->frame_count; i = alike_end(thread, i))
		groups++;
	bool whole = page->options->full || groups <= INNER_GROUPS + OUTER_GROUPS + 1;
	for (size_t i = 0, end; i < thread->frame_count; i = end, group++) {
		end = alike_end(thread, i);
		if (!whole && group >= INNER_GROUPS && group < groups - OUTER_GROUPS) {
			left_out += end - i;
			if (group + 1 == groups - OUTER_GROUPS)
				fprintf(page->out, "  ... %s frames are left out here (--full prints them)\n",
					wm_thousands(left_out));
			continue;
		}
		print_frame(page, thread, i, end);
	}
	if (thread->head.code & WM_CRASH_CUT)
		fputs("  ... the outermost frames are missing: the stack was too deep to be recorded whole\n",
			page->out);
}

/* The frame that is still in the call with which the finished path ended; frame_count: none. */
static size_t frame_in_call(const struct wm_crash_thread *thread, const struct wm_crash_step *path)
{
	size_t i = 0;
	bool ended = !path->trouble &&
		     path->function->map->graph.end[path->trail.step[path->trail.last].block] == WM_END_NORETURN;
	while (i < thread->frame_count && !(ended && same_path(&thread->frame[i], path)))
		i++;
	return i;
}

static void print_paths(struct wm_document *page, const struct wm_crash_thread *thread)
{
	if (thread->path_count)
		fprintf(page->out, "\n  last finished paths, the newest first:\n");
	for (size_t i = 0; i < thread->path_count; i++) {
		size_t frame = frame_in_call(thread, &thread->path[i]);
		fprintf(page->out, "  -%-2zu %s%s%s", i + 1, page->bold, name_of(&thread->path[i]), page->plain);
		fprintf(page->out,
			frame < thread->frame_count ? "  the path of #%zu, which ends with that call\n" : "\n", frame);
		if (frame == thread->frame_count)
			print_step(page, &thread->path[i], 0);
	}
}

/* The kernel gives an address only with SIGSEGV and SIGBUS, and not for an address that is not canonical.  Older files do not
 * say who raised the signal. */
static bool has_address(const struct wm_crash_head *head)
{
	enum { FROM_KERNEL = 0x80 };
	if (head->signal != SIGSEGV && head->signal != SIGBUS)
		return false;
	return head->code ? !wm_crash_was_sent(head) && (int32_t)head->code != FROM_KERNEL : head->address != 0;
}

static void print_moved(struct wm_document *page, const struct wm_crash_thread *thread)
{
	bool sent = wm_crash_was_sent(&thread->head);
	fprintf(page->out, sent ? "  the signal came" : "  the instruction that faulted is");
	if (thread->place.function) {
		fputs(" in", page->out);
		print_function(page->out, thread->place.function, "");
	}
	print_line(page->out, thread->place.begins ? " at " : " near ", thread->place.file, thread->place.line);
	if (thread->head.code & WM_CRASH_SUMS) {
		fputs(", which is not instrumented\n", page->out);
		return;
	}
	fputs(sent ? ", where frames are not recorded exactly"
		   : "; it was moved out of its block or is not instrumented",
		page->out);
	fputs(thread->frame_count ? ": the innermost frame is as of its last call\n" : "\n", page->out);
}

static void print_thread(struct wm_document *page, const struct wm_crash_thread *thread)
{
	fprintf(page->out, "\n%sthread %" PRIu64 "%s", page->bold, thread->id, page->plain);
	if (thread->head.signal)
		fprintf(page->out, ": SIG%s", wm_crash_signal(thread->head.signal));
	if (has_address(&thread->head))
		fprintf(page->out, ", address 0x%" PRIx64, thread->head.address);
	if (wm_crash_was_sent(&thread->head) && (int32_t)thread->head.code <= 0 && thread->head.signal != SIGABRT)
		fputs(", sent by a process", page->out);
	putc('\n', page->out);
	if (thread->moved)
		print_moved(page, thread);
	print_frames(page, thread);
	print_paths(page, thread);
}

static void print_verdict(FILE *out, const struct wm_crash *crash)
{
	static const char as_of[] = "the innermost frame of each thread is as of its last call";
	fprintf(out, "process %" PRIu64 " ", crash->ending.pid);
	const struct wm_crash_head *head = crash->thread_count ? &crash->thread[0].head : NULL;
	if (head && head->signal)
		fprintf(out,
			head->code & WM_CRASH_HANDLED ? "got SIG%s, which a handler of its own took\n"
						      : "died of SIG%s\n",
			wm_crash_signal(head->signal));
	else if (crash->ending.snapshot)
		fputs("was running when this snapshot was written\n", out);
	else if (crash->ending.ended)
		fputs(crash->code.shared ? "ended normally, or had unloaded the object\n" : "ended normally\n", out);
	else if (WIFSIGNALED(crash->status))
		fprintf(out, "died of SIG%s, and could not note where: %s\n",
			wm_crash_signal((uint64_t)WTERMSIG(crash->status)), as_of);
	else
		fprintf(out, "was killed, or ended without its destructors, or is still running: %s\n", as_of);
}

void wm_crash_text(const struct wm_crash *crash, const struct wm_report_options *options, FILE *out)
{
	struct wm_document page;
	wm_document_begin(&page, options, out);
	print_verdict(out, crash);
	for (size_t i = 0; i < crash->thread_count; i++)
		print_thread(&page, &crash->thread[i]);
	wm_document_end(&page);
}

/* ---- JSON ---------------------------------------------------------------------------------- */

static json_t *inlined_array(const struct wm_crash_step *step)
{
	json_t *list = wm_json_checked(json_array());
	for (size_t i = 0; i < step->inlined_count; i++) {
		const struct wm_code_place *place = &step->inlined[i];
		json_array_append_new(list,
			wm_json_checked(json_pack("{s:o, s:o, s:i}", "function", wm_json_optional(place->function),
				"file", wm_json_optional(place->file), "line", (int)place->line)));
	}
	return list;
}

static json_t *step_object(const struct wm_crash_step *step, struct wm_steps *steps)
{
	bool exact = !step->trouble && !step->cut && step->spot != WM_SPOT_LAST_CALL && step->spot != WM_SPOT_ENTERED;
	json_t *object = wm_json_checked(json_pack("{s:o, s:o, s:s, s:b, s:o, s:i, s:o}", "function",
		wm_json_optional(step->function ? step->function->map->name : NULL), "file",
		wm_json_optional(step->function ? wm_story_file(step->function) : NULL), "spot",
		wm_spot_text(step->spot), "exact", exact, "callee", wm_json_optional(step->callee), "line",
		(int)step->line, "trouble", wm_json_optional(step->trouble)));
	json_object_set_new(object, "near", json_boolean(step->near));
	json_object_set_new(object, "inlined", inlined_array(step));
	if (step->trouble)
		return object;
	wm_crash_steps(steps, step);
	json_object_set_new(object, "crossed", json_boolean(step->crossed));
	json_object_set_new(object, "caller", wm_json_optional(wm_caller_role_text(step->caller)));
	json_object_set_new(object, "start", wm_json_text(wm_start_text(step->trail.start)));
	json_object_set_new(object, "blocks", wm_json_blocks(&step->trail));
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
		"signal", (int)(thread->head.signal & 127), "frames_missing",
		thread->overflow || thread->head.code & WM_CRASH_CUT, "frames",
		step_array(thread->frame, thread->frame_count, steps), "paths",
		step_array(thread->path, thread->path_count, steps)));
	if (has_address(&thread->head))
		json_object_set_new(object, "address", wm_json_text(address));
	if (thread->head.signal)
		json_object_set_new(object, "sent", json_boolean(wm_crash_was_sent(&thread->head)));
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
