/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* `waymark tests --changed`. */
#include "support/fail.h"
#include "support/xalloc.h"
#include "view/document/document.h"
#include "view/tests/tests_view.h"
#include <stdlib.h>

enum { SHOWN_TESTS = 40, SHOWN_LINES = 40 };

static size_t count_takers(const struct wm_tests *tests)
{
	size_t count = 0;
	for (size_t t = 0; t < tests->suite->test_count; t++)
		count += tests->judged[t];
	return count;
}

static void print_head(struct wm_document *page, const struct wm_tests *tests, const struct wm_tests_changed *asked)
{
	size_t takers = count_takers(tests);
	wm_document_take(page, "", wm_change_summary(asked->change));
	wm_document_notes(page, tests->suite->story.note, tests->suite->story.note_count);
	if (!takers)
		fprintf(page->out, "%sno test takes a path through changed lines%s\n", page->bold, page->plain);
	else
		fprintf(page->out, "%s%s of %s test%s take%s %s path%s through changed lines%s%s\n", page->bold,
			wm_thousands(takers), wm_thousands(tests->suite->test_count),
			wm_plural(tests->suite->test_count), takers == 1 ? "s" : "",
			wm_thousands(asked->changed->path_count), wm_plural(asked->changed->path_count),
			asked->changed->around.count ? " or the code around them" : "", page->plain);
}

/* Sentences about lines of which no path says who executes them. */

/* "src/a.c:12 in f and 3 more"; heap. */
static char *name_lines(const struct wm_tests_changed *asked, enum wm_around_kind kind)
{
	const struct wm_around *around = &asked->changed->around;
	size_t count = wm_around_count(around, kind), i = 0;
	while (around->line[i].kind != kind)
		i++;
	const struct wm_around_line *line = &around->line[i];
	char *place = wm_xprintf("%s:%u%s%s", wm_short_file(wm_change_file_name(asked->change, line->file)), line->line,
		line->function ? " in " : "", line->function ? line->function->brief : "");
	char *text = count == 1 ? wm_xprintf("%s", place) : wm_xprintf("%s and %zu more", place, count - 1);
	free(place);
	return text;
}

/* What follows from lines of a kind; NULL: there are none.  Heap. */
static char *around_sentence(const struct wm_tests_changed *asked, enum wm_around_kind kind)
{
	size_t count = wm_around_count(&asked->changed->around, kind);
	char *lines = count ? name_lines(asked, kind) : NULL, *text = NULL;
	bool one = count == 1;
	if (!count)
		return NULL;
	switch (kind) {
	case WM_AROUND_FUNCTION:
		text = wm_xprintf(
			"%zu changed line%s no code of %s own (%s): the tests that execute the function%s around "
			"%s are selected",
			count, one ? " has" : "s have", one ? "its" : "their", lines, one ? "" : "s",
			one ? "it" : "them");
		break;
	case WM_AROUND_FILE:
		text = wm_xprintf(
			"%zu changed line%s outside of every function whose counts are known (%s): the tests that "
			"execute any function of a file that uses %s are selected",
			count, one ? " is" : "s are", lines, one ? "it" : "them");
		break;
	case WM_AROUND_ABANDONED:
		text = wm_xprintf(
			"%zu changed line%s may have been executed by activations that were left inside calls "
			"(%s): the tests with such activations are selected",
			count, wm_plural(count), lines);
		break;
	}
	free(lines);
	return text;
}

enum { AROUND_KINDS = WM_AROUND_ABANDONED + 1 };

/* Why no test is selected; heap. */
static char *nothing_sentence(const struct wm_tests_changed *asked)
{
	const struct wm_changed *changed = asked->changed;
	if (changed->line_count)
		return wm_xprintf("no test is selected: no test executes the changed lines (%zu)", changed->line_count);
	if (changed->around.count)
		return wm_xprintf("no test is selected: none executes the functions that the change may concern");
	if (changed->around.idle)
		return wm_xprintf("no test is selected: the changed lines are blank or comments");
	if (asked->change->diff.count)
		return wm_xprintf("no test is selected: no changed line is in a file that the binaries use, as far as "
				  "their debug information and the #include lines of their sources say");
	return wm_xprintf("no test is selected: the change is empty");
}

void wm_tests_changed_warn(const struct wm_tests *tests, const struct wm_tests_changed *asked)
{
	for (int kind = 0; kind < AROUND_KINDS; kind++) {
		char *sentence = around_sentence(asked, (enum wm_around_kind)kind);
		if (sentence)
			wm_warn("%s", sentence);
		free(sentence);
	}
	if (!count_takers(tests)) {
		char *sentence = nothing_sentence(asked);
		wm_warn("%s", sentence);
		free(sentence);
	}
}

static void print_around(struct wm_document *page, const struct wm_tests_changed *asked)
{
	for (int kind = 0; kind < AROUND_KINDS; kind++) {
		char *sentence = around_sentence(asked, (enum wm_around_kind)kind);
		if (sentence)
			fprintf(page->out, "\n%s\n", sentence);
		free(sentence);
	}
}

static size_t changed_paths(const struct wm_suite_test *test, const struct wm_changed *changed)
{
	size_t count = 0;
	for (size_t i = 0; i < changed->path_count; i++)
		count += wm_suite_count(test, changed->path[i]) != 0;
	return count;
}

/* A test is in the order of new paths; those that add nothing follow in the order given. */
static void print_tests(struct wm_document *page, const struct wm_tests *tests, const struct wm_changed *changed)
{
	uint64_t sum = 0;
	size_t shown = 0, left = 0;
	if (!count_takers(tests))
		return;
	fprintf(page->out, "\n%snew paths first          so far  changed paths  test%s\n", page->dim, page->plain);
	for (size_t i = 0; i < tests->suite->test_count; i++) {
		const struct wm_suite_test *test = &tests->suite->test[tests->order[i]];
		sum += tests->gain[i];
		if (!tests->judged[tests->order[i]])
			continue;
		if (shown == SHOWN_TESTS && !page->options->all) {
			left++;
			continue;
		}
		fprintf(page->out, "%5zu. %8s  %8s  %6.2f%%  %11s  %s%s%s\n", ++shown, wm_thousands(tests->gain[i]),
			wm_thousands(sum), wm_share(sum, changed->path_count),
			wm_thousands(changed_paths(test, changed)), page->bold, test->name, page->plain);
	}
	if (left)
		fprintf(page->out, "       and %zu more (--all or --list names them)\n", left);
}

static void print_line(
	struct wm_document *page, const struct wm_tests_changed *asked, const struct wm_changed_line *line)
{
	fprintf(page->out, "  %s:%u  %s%s%s\n", wm_short_file(wm_change_file_name(asked->change, line->file)),
		line->line, line->function->brief,
		line->abandoned ? "  (of which paths were abandoned: the line may be on those)" : "",
		line->known ? "" : "  (its counts are not exact, or it is not instrumented)");
}

static void print_lines(struct wm_document *page, const struct wm_tests_changed *asked)
{
	const struct wm_changed *changed = asked->changed;
	size_t shown = 0, missing = changed->unexecuted + changed->unknown;
	if (!changed->line_count)
		fprintf(page->out, "\nno changed line has code in an instrumented function\n");
	else if (!missing)
		fprintf(page->out, "\nevery changed line with code is on a path of a test (%zu line%s)\n",
			changed->line_count, wm_plural(changed->line_count));
	if (!missing)
		return;
	fprintf(page->out, "\n%s%zu of %zu changed line%s with code %s on no path of a test:%s\n", page->bold, missing,
		changed->line_count, wm_plural(changed->line_count), missing == 1 ? "is" : "are", page->plain);
	for (size_t i = 0; i < changed->line_count; i++)
		if (!changed->line[i].executed && (shown++ < SHOWN_LINES || page->options->all))
			print_line(page, asked, &changed->line[i]);
	if (shown > SHOWN_LINES && !page->options->all)
		fprintf(page->out, "  and %zu more (--all names them)\n", shown - SHOWN_LINES);
}

static void print_unjudged(struct wm_document *page, const struct wm_suite *suite)
{
	if (suite->unjudged)
		fprintf(page->out,
			"\n%zu test%s no path of the binaries given, so nothing is known of %s (--print unjudged)\n",
			suite->unjudged, suite->unjudged == 1 ? " takes" : "s take",
			suite->unjudged == 1 ? "it" : "them");
}

void wm_tests_changed_text(const struct wm_tests *tests, const struct wm_tests_changed *asked,
	const struct wm_report_options *options, FILE *out)
{
	struct wm_document page;
	wm_document_begin(&page, options, out);
	print_head(&page, tests, asked);
	print_tests(&page, tests, asked->changed);
	print_around(&page, asked);
	print_lines(&page, asked);
	print_unjudged(&page, tests->suite);
	page.form->refused(&page, tests->suite->story.refused, tests->suite->story.refused_count);
	wm_document_left_out(&page, &tests->suite->story);
	wm_document_end(&page);
}

static json_t *line_object(const struct wm_tests_changed *asked, const struct wm_changed_line *line)
{
	return wm_json_checked(json_pack("{s:o, s:I, s:o, s:b, s:b}", "file",
		wm_json_text(wm_change_file_name(asked->change, line->file)), "line", (json_int_t)line->line,
		"function", wm_json_text(line->function->map->name), "abandoned", (int)line->abandoned, "known",
		(int)line->known));
}

static json_t *around_object(const struct wm_tests_changed *asked, const struct wm_around_line *line)
{
	static const char *const selected[] = {
		[WM_AROUND_FUNCTION] = "function", [WM_AROUND_FILE] = "file", [WM_AROUND_ABANDONED] = "abandoned"};
	return wm_json_checked(json_pack("{s:o, s:I, s:o, s:s}", "file",
		wm_json_text(wm_change_file_name(asked->change, line->file)), "line", (json_int_t)line->line,
		"function", wm_json_optional(line->function ? line->function->map->name : NULL), "selected",
		selected[line->kind]));
}

json_t *wm_tests_changed_json(const struct wm_tests_changed *asked)
{
	const struct wm_changed *changed = asked->changed;
	json_t *files = wm_json_checked(json_array()), *lines = wm_json_checked(json_array()),
	       *around = wm_json_checked(json_array());
	for (size_t i = 0; i < asked->change->count; i++)
		json_array_append_new(files,
			wm_json_checked(json_pack("{s:o, s:o}", "file", wm_json_text(asked->change->file[i].name),
				"changed", wm_json_text(asked->change->file[i].diff->name))));
	for (size_t i = 0; i < changed->line_count; i++)
		if (!changed->line[i].executed)
			json_array_append_new(lines, line_object(asked, &changed->line[i]));
	for (size_t i = 0; i < changed->around.count; i++)
		json_array_append_new(around, around_object(asked, &changed->around.line[i]));
	return wm_json_checked(json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "range",
		wm_json_text(asked->change->range), "files", files, "other_files", wm_json_count(asked->change->absent),
		"paths", wm_json_count(changed->path_count), "lines", wm_json_count(changed->line_count), "executed",
		wm_json_count(changed->executed), "not_executed", lines, "around", around));
}
