/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/attempt.h"
#include "support/fail.h"
#include "support/output.h"
#include "support/progress.h"
#include "support/xalloc.h"

#include <stdarg.h>
#include <stdint.h>
#include <unistd.h>
/* After those it needs. */
#include <cmocka.h>

/* ---- Failures ---------------------------------------------------------------------------- */

static void do_nothing(void *argument)
{
	++*(int *)argument;
}

static void make_mistake(void *argument)
{
	wm_fail("%s is missing", (const char *)argument);
}

static void have_defect(void *argument)
{
	wm_bug("%d is not %d", *(int *)argument, 2);
}

static void lack_memory(void *argument)
{
	wm_fail_as(WM_FAILURE_MEMORY, "%s cannot be read: %s", (const char *)argument, "out of memory");
}

/* Its sentence is only text. */
static void read_odd_file(void *argument)
{
	wm_bug("%s cannot be read", (const char *)argument);
}

static void assert_fails(void (*work)(void *), void *argument, enum wm_failure failure, const char *sentence)
{
	struct wm_attempt attempt = {0};
	assert_false(wm_attempt_run(&attempt, work, argument));
	assert_int_equal(attempt.failure, failure);
	assert_string_equal(attempt.sentence, sentence);
	free(attempt.sentence);
}

static void hands_the_sentence_to_the_caller(void **state)
{
	struct wm_attempt attempt = {0};
	int number = 0;
	char file[] = "a file";
	(void)state;
	assert_true(wm_attempt_run(&attempt, do_nothing, &number));
	assert_int_equal(number, 1);
	assert_null(attempt.sentence);
	assert_fails(make_mistake, file, WM_FAILURE_MISTAKE, "a file is missing");
	assert_fails(have_defect, &number, WM_FAILURE_DEFECT, "1 is not 2");
	assert_fails(lack_memory, file, WM_FAILURE_MEMORY, "a file cannot be read: out of memory");
	char odd[] = "out of memory.txt";
	assert_fails(read_odd_file, odd, WM_FAILURE_DEFECT, "out of memory.txt cannot be read");
}

static void fail_again(void *argument)
{
	struct wm_attempt attempt = {0};
	assert_false(wm_attempt_run(&attempt, lack_memory, argument));
	wm_attempt_fail_again(&attempt);
}

/* Leaks are found by the sanitizers. */
static void fails_again_as_before(void **state)
{
	char file[] = "a file";
	(void)state;
	assert_fails(fail_again, file, WM_FAILURE_MEMORY, "a file cannot be read: out of memory");
}

static void fail_inside(void *argument)
{
	assert_fails(make_mistake, argument, WM_FAILURE_MISTAKE, "a file is missing");
	wm_fail("%s, too", (const char *)argument);
}

static void goes_to_the_innermost_attempt(void **state)
{
	char file[] = "a file";
	(void)state;
	assert_fails(fail_inside, file, WM_FAILURE_MISTAKE, "a file, too");
}

/* ---- What a failure releases ---------------------------------------------------------------- */

static char order[8];

static void note_release(void *letter)
{
	size_t length = strlen(order);
	order[length] = *(char *)letter;
	order[length + 1] = 0;
}

static void fail_guarded(void *letters)
{
	char *letter = letters;
	struct wm_guard first, second, third;
	wm_guard_begin(&first, note_release, letter);
	wm_guard_begin(&second, note_release, letter + 1);
	wm_guard_end(&second);
	wm_guard_begin(&third, note_release, letter + 2);
	wm_fail("no");
}

static void ends_guards_in_reverse(void **state)
{
	char letters[] = "abcd";
	struct wm_guard outside;
	(void)state;
	order[0] = 0;
	wm_guard_begin(&outside, note_release, letters + 3);
	assert_fails(fail_guarded, letters, WM_FAILURE_MISTAKE, "no");
	assert_string_equal(order, "bca");
	wm_guard_end(&outside);
	assert_string_equal(order, "bcad");
}

static void allocate_and_fail(void *argument)
{
	(void)argument;
	wm_fail("%s", wm_xprintf("%s%s", "in the ", "heap"));
}

static void keeps_memory_in_the_heap(void **state)
{
	struct wm_heap heap = {0};
	struct wm_attempt attempt = {.heap = &heap};
	(void)state;
	assert_false(wm_attempt_run(&attempt, allocate_and_fail, NULL));
	assert_int_equal(heap.count, 1);
	wm_heap_release(&heap);
	assert_string_equal(attempt.sentence, "in the heap");
	free(attempt.sentence);
	assert_null(wm_heap_use(NULL));
}

/* ---- Messages ---------------------------------------------------------------------------- */

struct heard {
	char warning[32];
	size_t done, total;
	bool ended;
};

static void hear_warning(void *closure, const char *sentence)
{
	struct heard *heard = closure;
	snprintf(heard->warning, sizeof heard->warning, "%s", sentence);
}

static void hear_progress(void *closure, const char *what, size_t done, size_t total)
{
	struct heard *heard = closure;
	heard->ended = !what;
	heard->done = what ? done : heard->done;
	heard->total = what ? total : heard->total;
}

static void say_all(void *argument)
{
	(void)argument;
	wm_warn("%s %d", "number", 7);
	wm_progress("working", 3, 4);
	wm_progress_end();
}

static void say_all_inside(void *argument)
{
	struct wm_attempt attempt = {0};
	assert_true(wm_attempt_run(&attempt, say_all, argument));
}

static void tells_the_listener(void **state)
{
	struct heard heard = {0};
	const struct wm_listener listener = {&heard, hear_warning, hear_progress};
	struct wm_attempt attempt = {.listener = &listener};
	(void)state;
	assert_true(wm_attempt_run(&attempt, say_all_inside, NULL));
	assert_string_equal(heard.warning, "number 7");
	assert_int_equal(heard.done, 3);
	assert_int_equal(heard.total, 4);
	assert_true(heard.ended);
}

/* ---- Without an attempt -------------------------------------------------------------------- */

static jmp_buf ended;
static enum wm_failure last_failure;
static char last_sentence[32];

static void note_end(enum wm_failure failure, char *sentence)
{
	last_failure = failure;
	snprintf(last_sentence, sizeof last_sentence, "%s", sentence);
	free(sentence);
	longjmp(ended, 1);
}

/* A library says nothing, unless the process has said what becomes of it. */
static void leaves_the_rest_to_the_process(void **state)
{
	static struct heard heard;
	static const struct wm_listener listener = {&heard, hear_warning, hear_progress};
	static const struct wm_outside outside = {&listener, note_end};
	char file[] = "a file";
	(void)state;
	say_all(NULL);
	wm_attempt_outside(&outside);
	say_all(NULL);
	assert_string_equal(heard.warning, "number 7");
	assert_true(heard.ended);
	if (!setjmp(ended))
		make_mistake(file);
	assert_int_equal(last_failure, WM_FAILURE_MISTAKE);
	assert_string_equal(last_sentence, "a file is missing");
	if (!setjmp(ended))
		lack_memory(file);
	assert_int_equal(last_failure, WM_FAILURE_MEMORY);
	wm_attempt_outside(NULL);
}

/* ---- Output files -------------------------------------------------------------------------- */

/* Reading fails in a file that is open for writing: it has an error, and later writes succeed. */
static struct wm_output output;

static void write_with_error(void *argument)
{
	wm_output_open(&output, argument);
	fputs("a part", output.file);
	assert_int_equal(fgetc(output.file), EOF);
	assert_true(ferror(output.file));
	wm_output_close(&output);
}

static void replaces_no_file_after_an_error(void **state)
{
	char directory[] = "/tmp/attempt-XXXXXX";
	(void)state;
	assert_non_null(mkdtemp(directory));
	char *path = wm_xprintf("%s/file", directory);
	char *sentence = wm_xprintf("cannot write %s: writing a part of it failed; check that the disk has room", path);
	assert_fails(write_with_error, path, WM_FAILURE_MISTAKE, sentence);
	assert_int_equal(access(path, F_OK), -1);
	free(path);
	free(sentence);
	assert_int_equal(unlink(output.temporary), 0); /* at the end of the process otherwise */
	assert_int_equal(rmdir(directory), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hands_the_sentence_to_the_caller),
		cmocka_unit_test(goes_to_the_innermost_attempt),
		cmocka_unit_test(fails_again_as_before),
		cmocka_unit_test(ends_guards_in_reverse),
		cmocka_unit_test(keeps_memory_in_the_heap),
		cmocka_unit_test(tells_the_listener),
		cmocka_unit_test(leaves_the_rest_to_the_process),
		cmocka_unit_test(replaces_no_file_after_an_error),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
