/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* `waymark tests --changed`. */
#include "view/document.h"
#include "view/tests.h"
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
		fprintf(page->out, "%s%s of %s test%s take%s %s path%s through changed lines%s\n", page->bold,
			wm_thousands(takers), wm_thousands(tests->suite->test_count),
			wm_plural(tests->suite->test_count), takers == 1 ? "s" : "",
			wm_thousands(asked->changed->path_count), wm_plural(asked->changed->path_count), page->plain);
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
	if (!changed->path_count)
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
	print_lines(&page, asked);
	print_unjudged(&page, tests->suite);
	page.form->refused(&page, tests->suite->story.refused, tests->suite->story.refused_count);
	wm_document_end(&page);
}

static json_t *line_object(const struct wm_tests_changed *asked, const struct wm_changed_line *line)
{
	return wm_json_checked(json_pack("{s:o, s:I, s:o, s:b, s:b}", "file",
		wm_json_text(wm_change_file_name(asked->change, line->file)), "line", (json_int_t)line->line,
		"function", wm_json_text(line->function->map->name), "abandoned", (int)line->abandoned, "known",
		(int)line->known));
}

json_t *wm_tests_changed_json(const struct wm_tests_changed *asked)
{
	const struct wm_changed *changed = asked->changed;
	json_t *files = wm_json_checked(json_array()), *lines = wm_json_checked(json_array());
	for (size_t i = 0; i < asked->change->count; i++)
		json_array_append_new(files,
			wm_json_checked(json_pack("{s:o, s:o}", "file", wm_json_text(asked->change->file[i].name),
				"changed", wm_json_text(asked->change->file[i].diff->name))));
	for (size_t i = 0; i < changed->line_count; i++)
		if (!changed->line[i].executed)
			json_array_append_new(lines, line_object(asked, &changed->line[i]));
	return wm_json_checked(json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "range",
		wm_json_text(asked->change->range), "files", files, "other_files", wm_json_count(asked->change->absent),
		"paths", wm_json_count(changed->path_count), "lines", wm_json_count(changed->line_count), "executed",
		wm_json_count(changed->executed), "not_executed", lines));
}
