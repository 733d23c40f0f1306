/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "view/document/document.h"
#include "view/document/json_elements.h"
#include "view/tests/tests_view.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Text */

static void print_head(struct wm_document *page, const struct wm_suite *suite)
{
	size_t judged = suite->test_count - suite->unjudged;
	fprintf(page->out, "%s", page->bold);
	if (suite->unjudged)
		fprintf(page->out, "%s of ", wm_thousands(judged));
	fprintf(page->out, "%s test%s take%s %s path%s%s of %s function%s\n", wm_thousands(suite->test_count),
		wm_plural(suite->test_count), judged == 1 ? "s" : "", wm_thousands(suite->path_count),
		wm_plural(suite->path_count), page->plain, wm_thousands(suite->function_count),
		wm_plural(suite->function_count));
	wm_document_notes(page, suite->story.note, suite->story.note_count);
	if (suite->doubted && !suite->has_story)
		fprintf(page->out,
			"note: %zu function%s left out, because their counts would not be exact; name the binaries to "
			"see which\n",
			suite->doubted, suite->doubted == 1 ? " is" : "s are");
}

static void print_smallest(struct wm_document *page, const struct wm_tests *tests)
{
	const struct wm_cover *cover = &tests->cover;
	fprintf(page->out, "\n%s%u of them take%s all paths%s ", page->bold, cover->count, cover->count == 1 ? "s" : "",
		page->plain);
	if (cover->exact)
		fprintf(page->out, "(no smaller set does):\n");
	else
		fprintf(page->out, "(greedy; a smaller set has at least %u):\n", cover->least);
	for (uint32_t i = 0; i < cover->count; i++)
		page->form->name(page, tests->suite->test[cover->set[i]].name);
	page->form->name(page, NULL);
}

static void print_order(struct wm_document *page, const struct wm_tests *tests)
{
	enum { SHOWN = 20 };
	const struct wm_suite *suite = tests->suite;
	uint64_t sum = 0;
	size_t adding = 0;
	while (adding < suite->test_count && tests->gain[adding])
		adding++;
	fprintf(page->out, "\n%snew paths first          so far     all paths  only here  test%s\n", page->dim,
		page->plain);
	for (size_t i = 0; i < adding && (i < SHOWN || page->options->all); i++) {
		const struct wm_suite_test *test = &suite->test[tests->order[i]];
		sum += tests->gain[i];
		fprintf(page->out, "%5zu. %8s  %8s  %6.2f%%  %8s  %9s  %s%s%s%s\n", i + 1, wm_thousands(tests->gain[i]),
			wm_thousands(sum), wm_share(sum, suite->path_count), wm_thousands(test->path_count),
			wm_thousands(test->only), page->bold, test->name, page->plain,
			tests->kept[tests->order[i]] ? " *" : "");
	}
	if (adding > SHOWN && !page->options->all)
		fprintf(page->out, "       and %zu more (--all names them)\n", adding - SHOWN);
	fprintf(page->out, "       %s* in the smallest set%s\n", page->dim, page->plain);
}

bool wm_tests_redundant(const struct wm_tests *tests, size_t test)
{
	return tests->judged[test] && !tests->kept[test];
}

static void print_redundant(struct wm_document *page, const struct wm_tests *tests)
{
	size_t count = 0;
	for (size_t t = 0; t < tests->suite->test_count; t++)
		count += wm_tests_redundant(tests, t);
	if (!count)
		return;
	fprintf(page->out, "\n%zu test%s can be removed%s: the smallest set takes all %s paths:\n", count,
		wm_plural(count), count == 1 ? "" : " together", count == 1 ? "its" : "their");
	for (size_t t = 0; t < tests->suite->test_count; t++)
		if (wm_tests_redundant(tests, t))
			page->form->name(page, tests->suite->test[t].name);
	page->form->name(page, NULL);
}

static void print_unjudged(struct wm_document *page, const struct wm_tests *tests)
{
	const struct wm_suite *suite = tests->suite;
	if (!suite->unjudged)
		return;
	fprintf(page->out, "\n%zu test%s not judged: %s no path%s:\n", suite->unjudged,
		suite->unjudged == 1 ? " is" : "s are", suite->unjudged == 1 ? "it takes" : "they take",
		suite->has_story ? " of the binaries given; name also the binaries that are run there" : "");
	for (size_t t = 0; t < suite->test_count; t++)
		if (!suite->test[t].path_count)
			page->form->name(page, suite->test[t].name);
	page->form->name(page, NULL);
}

void wm_tests_text(const struct wm_tests *tests, const struct wm_report_options *options, FILE *out)
{
	struct wm_document page;
	wm_document_begin(&page, options, out);
	print_head(&page, tests->suite);
	print_smallest(&page, tests);
	print_order(&page, tests);
	print_redundant(&page, tests);
	print_unjudged(&page, tests);
	page.form->refused(&page, tests->suite->story.refused, tests->suite->story.refused_count);
	wm_document_left_out(&page, &tests->suite->story);
	wm_document_end(&page);
}

static void print_takers(struct wm_document *page, const struct wm_suite *suite, uint32_t path)
{
	enum { SHOWN = 12 };
	size_t shown = 0, left = 0;
	for (size_t t = 0; t < suite->test_count; t++) {
		uint64_t count = wm_suite_count(&suite->test[t], path);
		if (count && (shown++ < SHOWN || page->options->all))
			fprintf(page->out, "      %13s  %s\n", wm_thousands(count), suite->test[t].name);
		else if (count)
			left++;
	}
	if (left)
		fprintf(page->out, "                     and %zu more (--all names them)\n", left);
}

static void print_query_path(struct wm_document *page, const struct wm_suite *suite, uint32_t index)
{
	const struct wm_suite_path *path = &suite->path[index];
	const struct wm_story_function *function = path->function;
	char place[512];
	for (size_t i = 0; i < wm_story_taken_count(function); i++) {
		const struct wm_story_path *taken = wm_story_taken(function, i);
		if (taken->id != path->id)
			continue;
		wm_place_text(function, place, sizeof place);
		fprintf(page->out, "\n%s%s%s  %s: %u of %s test%s take%s this path\n", page->bold, function->brief,
			page->plain, place, path->tests, wm_thousands(suite->test_count), wm_plural(suite->test_count),
			path->tests == 1 ? "s" : "");
		wm_document_path(page, function, taken, function->executions, true);
		wm_document_path_end(page, function, WM_NONE);
		print_takers(page, suite, index);
	}
}

/* Prints for each test, in the order given, how many paths of the query it takes. */
static void print_tests_through(struct wm_document *page, const struct wm_suite *suite, const struct wm_query *query)
{
	fprintf(page->out, "\n%s     paths    executions  test%s\n", page->dim, page->plain);
	for (size_t t = 0; t < suite->test_count; t++) {
		uint64_t paths = 0, executions = 0;
		for (size_t i = 0; i < query->count; i++) {
			uint64_t count = wm_suite_count(&suite->test[t], query->path[i]);
			paths += count != 0;
			executions += count;
		}
		if (paths)
			fprintf(page->out, "%10s %13s  %s\n", wm_thousands(paths), wm_thousands(executions),
				suite->test[t].name);
	}
}

void wm_query_text(
	const struct wm_suite *suite, const struct wm_query *query, const struct wm_report_options *options, FILE *out)
{
	struct wm_document page;
	size_t limit = options->all || !query->is_line ? SIZE_MAX : options->paths;
	wm_document_begin(&page, options, out);
	if (!query->count)
		fprintf(out, "no test takes %s%s\n", query->is_line ? "a path through " : "path ", query->what);
	else if (query->is_line)
		fprintf(out, "%s%s path%s through %s%s\n", page.bold, wm_thousands(query->count),
			wm_plural(query->count), query->what, page.plain);
	if (query->count && query->is_line)
		print_tests_through(&page, suite, query);
	for (size_t i = 0; i < query->count && i < limit; i++)
		print_query_path(&page, suite, query->path[i]);
	if (query->count > limit)
		fprintf(out, "\n%s more path%s (--paths N or --all shows them)\n", wm_thousands(query->count - limit),
			wm_plural(query->count - limit));
	wm_document_end(&page);
}

/* JSON */

static json_t *test_object(const struct wm_tests *tests, size_t place, uint64_t sum)
{
	uint32_t t = tests->order[place];
	const struct wm_suite_test *test = &tests->suite->test[t];
	return wm_json_checked(json_pack("{s:o, s:o, s:o, s:o, s:o, s:b, s:b, s:b}", "name", wm_json_text(test->name),
		"paths", wm_json_count(test->path_count), "only_here", wm_json_count(test->only), "new_paths",
		wm_json_count(tests->gain[place]), "so_far", wm_json_count(sum), "in_smallest", (int)tests->kept[t],
		"redundant", (int)wm_tests_redundant(tests, t), "judged", (int)tests->judged[t]));
}

static json_t *smallest_object(const struct wm_tests *tests)
{
	json_t *names = wm_json_checked(json_array());
	const struct wm_cover *cover = &tests->cover;
	for (uint32_t i = 0; i < cover->count; i++)
		json_array_append_new(names, wm_json_text(tests->suite->test[cover->set[i]].name));
	return wm_json_checked(
		json_pack("{s:b, s:i, s:i, s:i, s:o}", "exact", (int)cover->exact, "count", (int)cover->count,
			"at_least", (int)cover->least, "greedy_count", (int)cover->greedy_count, "tests", names));
}

static json_t *takers_array(const struct wm_suite *suite, uint32_t path)
{
	json_t *takers = wm_json_checked(json_array());
	for (size_t t = 0; t < suite->test_count; t++) {
		uint64_t count = wm_suite_count(&suite->test[t], path);
		if (count)
			json_array_append_new(
				takers, wm_json_checked(json_pack("{s:o, s:o}", "test",
						wm_json_text(suite->test[t].name), "count", wm_json_count(count))));
	}
	return takers;
}

static json_t *query_object(const struct wm_suite *suite, uint32_t index, struct wm_steps *steps)
{
	const struct wm_suite_path *path = &suite->path[index];
	json_t *object = NULL;
	for (size_t i = 0; i < wm_story_taken_count(path->function) && !object; i++)
		if (wm_story_taken(path->function, i)->id == path->id)
			object = wm_json_path(path->function, wm_story_taken(path->function, i));
	wm_json_checked(object);
	wm_json_expand(object, path->function, path->id, steps);
	json_object_set_new(object, "function", wm_json_text(path->function->map->name));
	json_object_set_new(object, "binary", wm_json_text(path->function->object->path));
	json_object_set_new(object, "tests", takers_array(suite, index));
	return object;
}

static json_t *query_array(const struct wm_suite *suite, const struct wm_query *query)
{
	struct wm_steps steps = {0};
	json_t *array = wm_json_checked(json_array());
	for (size_t i = 0; i < query->count; i++)
		json_array_append_new(array, query_object(suite, query->path[i], &steps));
	wm_steps_release(&steps);
	return array;
}

void wm_tests_json(
	const struct wm_tests *tests, const struct wm_query *query, const struct wm_tests_changed *asked, FILE *out)
{
	const struct wm_suite *suite = tests->suite;
	json_t *document = wm_json_document("tests"), *list = wm_json_checked(json_array());
	uint64_t sum = 0;
	for (size_t i = 0; i < suite->test_count; i++)
		json_array_append_new(list, test_object(tests, i, sum += tests->gain[i]));
	json_object_set_new(document, "paths", wm_json_count(suite->path_count));
	json_object_set_new(document, "functions", wm_json_count(suite->function_count));
	json_object_set_new(document, "tests", list);
	json_object_set_new(document, "smallest", smallest_object(tests));
	if (suite->only)
		wm_json_scope(document, suite->only, &suite->story);
	json_object_set_new(document, "refused", wm_json_refused(suite->story.refused, suite->story.refused_count));
	json_object_set_new(document, "notes", wm_json_notes(suite->story.note, suite->story.note_count));
	if (query->what) {
		json_object_set_new(document, "asked", wm_json_text(query->what));
		json_object_set_new(document, "taken_by", query_array(suite, query));
	}
	if (asked)
		json_object_set_new(document, "changed", wm_tests_changed_json(asked));
	wm_json_dump(document, out, JSON_INDENT(1));
	fputc('\n', out);
}
