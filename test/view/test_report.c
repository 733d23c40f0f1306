/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/buffer.h"
#include "support/xalloc.h"
#include "test/analysis/fixture.h"
#include "view/report/report.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *printed(struct fixture *f,
	void (*print)(const struct wm_story *, const struct wm_report_options *, FILE *),
	const struct wm_report_options *options)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	print(&f->story, options, out);
	fclose(out);
	return text;
}

static void assert_says(const char *text, const char *words)
{
	if (!strstr(text, words))
		fail_msg("'%s' is missing in:\n%s", words, text);
}

static json_int_t number(json_t *object, const char *name)
{
	json_t *value = json_object_get(object, name);
	assert_true(json_is_integer(value));
	return json_integer_value(value);
}

static const char *text(json_t *object, const char *name)
{
	const char *value = json_string_value(json_object_get(object, name));
	assert_non_null(value);
	return value;
}

static json_t *json_report(struct fixture *f)
{
	struct wm_report_options options;
	wm_report_options_init(&options);
	options.expand = true;
	char *document = printed(f, wm_report_json, &options);
	json_t *root = json_loads(document, 0, NULL);
	free(document);
	assert_non_null(root);
	return root;
}

static void json_holds_the_contract(void **state)
{
	struct fixture f;
	(void)state;
	fixture_init(&f);
	fixture_join(&f);
	json_t *root = json_report(&f);
	assert_string_equal(text(root, "schema"), "waymark.report/1");
	json_t *functions = json_object_get(root, "functions"), *walk = json_array_get(functions, 0);
	assert_int_equal(json_array_size(functions), 2);
	assert_string_equal(text(walk, "name"), "walk");
	assert_string_equal(text(walk, "file"), "walk.c");
	assert_string_equal(text(walk, "scheme"), "acyclic");
	assert_string_equal(text(walk, "status"), "exact");
	assert_string_equal(text(walk, "reason"), "");
	assert_int_equal(number(walk, "line"), 9);
	assert_int_equal(number(walk, "paths_possible"), 10);
	assert_int_equal(number(walk, "entries"), 1);
	assert_int_equal(number(json_object_get(walk, "balance"), "restarts"), 199);
	json_t *paths = json_object_get(walk, "paths");
	assert_int_equal(json_array_size(paths), 4);
	json_decref(root);
	fixture_release(&f);
}

static void json_tells_a_path(void **state)
{
	struct fixture f;
	(void)state;
	fixture_init(&f);
	fixture_join(&f);
	json_t *root = json_report(&f);
	json_t *paths = json_object_get(json_array_get(json_object_get(root, "functions"), 0), "paths");
	json_t *path = json_array_get(paths, 3), *blocks = json_pack("[i,i,i,i]", 1, 3, 4, 5);
	assert_int_equal(number(path, "id"), 7);
	assert_int_equal(number(path, "count"), 1);
	assert_string_equal(text(path, "start"), "loop");
	assert_string_equal(text(path, "end"), "return");
	assert_true(json_equal(json_object_get(path, "blocks"), blocks));
	json_t *lines = json_pack("[s,s,s,s,s]", "walk.c:20", "walk.c:40", "walk.c:50", "walk.c:60", "walk.c:61");
	assert_true(json_equal(json_object_get(path, "lines"), lines));
	json_t *decision = json_array_get(json_object_get(path, "decisions"), 1);
	assert_int_equal(number(decision, "line"), 40);
	assert_int_equal(number(decision, "column"), 7);
	assert_string_equal(text(decision, "outcome"), "true");
	json_decref(lines);
	json_decref(blocks);
	json_decref(root);
	fixture_release(&f);
}

static void json_lists_skipped_and_refused(void **state)
{
	struct fixture f;
	(void)state;
	fixture_init(&f);
	f.record[0].doubt = WM_DOUBT_THREADS;
	fixture_join(&f);
	json_t *root = json_report(&f);
	json_t *functions = json_object_get(root, "functions");
	for (size_t i = 0; i < 2; i++) {
		json_t *function = json_array_get(functions, i);
		bool walk = strcmp(text(function, "name"), "walk") == 0;
		assert_string_equal(text(function, "status"), walk ? "refused" : "skipped");
		assert_int_equal(json_array_size(json_object_get(function, "paths")), 0);
		assert_true(json_is_null(json_object_get(function, "entries")));
		assert_says(text(function, "reason"), walk ? "-fwaymark-update=atomic" : "it is <naked>");
	}
	assert_int_equal(json_array_size(json_object_get(root, "refused")), 1);
	json_decref(root);
	fixture_release(&f);
}

static void text_tells_lines_outcomes_and_shares(void **state)
{
	struct fixture f;
	struct wm_report_options options;
	(void)state;
	fixture_init(&f);
	fixture_join(&f);
	wm_report_options_init(&options);
	options.no_source = true;
	char *page = printed(&f, wm_report_document, &options);
	assert_says(page,
		"200 path executions in 1 raw profile of 1 object\n1 of 1 functions ran, 4 of 10 possible paths\n");
	assert_says(page, "100.00%           200             1  4 of 10             walk  walk.c:9\n");
	assert_says(page, "   49.50%            99  path 6  loop head at 20 -> back edge to 20\n");
	assert_says(page,
		"           20  false\n           40  true\n           50  false\n           60\n           61\n");
	assert_says(page, "  a::bare(): it is <naked>\n");
	assert_null(strstr(page, "balance:"));
	assert_null(strchr(page, '\033'));
	free(page);
	fixture_release(&f);
}

static void text_shows_source_and_balance(void **state)
{
	char directory[] = "/tmp/waymark-test.XXXXXX", file[64];
	struct fixture f;
	struct wm_report_options options;
	(void)state;
	assert_non_null(mkdtemp(directory));
	snprintf(file, sizeof file, "%s/walk.c", directory);
	FILE *source = fopen(file, "w");
	for (int i = 1; i <= 70; i++)
		fprintf(source, "\tline <%d>;\n", i);
	fclose(source);
	fixture_init(&f);
	f.record[0].entries = 2;
	fixture_join(&f);
	wm_report_options_init(&options);
	options.source_dirs = (struct wm_source_dirs){1, {directory}};
	char *page = printed(&f, wm_report_document, &options);
	assert_says(page, "   20  false      line <20>;\n");
	assert_says(page, "   61             line <61>;\n");
	assert_says(page,
		"balance: 0 inherited + 2 entries + 199 loop restarts + 0 resumed = 200 completed + 1 abandoned\n");
	free(page);
	unlink(file);
	rmdir(directory);
	fixture_release(&f);
}

static char *slurp(const char *directory, const char *name)
{
	char *path = wm_xprintf("%s/%s", directory, name);
	struct wm_buffer buffer;
	assert_true(wm_buffer_read(&buffer, path));
	free(path);
	return (char *)buffer.data;
}

static void html_is_escaped_and_replaced_whole(void **state)
{
	char directory[] = "/tmp/waymark-test.XXXXXX";
	struct fixture f;
	struct wm_report_options options;
	(void)state;
	assert_non_null(mkdtemp(directory));
	fixture_init(&f);
	fixture_join(&f);
	wm_report_options_init(&options);
	char *target = wm_xprintf("%s/out", directory);
	options.html = target;
	for (int round = 0; round < 2; round++) {
		wm_report_document(&f.story, &options, NULL);
		assert_null(f.story.function[0].arena.blocks); /* its plan is freed */
		char *index = slurp(target, "index.html"), *page = slurp(target, "f/0.html");
		assert_says(index, "<a href=\"f/0.html#f0\"><code>walk</code></a>");
		assert_says(page, "<section class=\"function\" id=\"f0\">");
		assert_says(index, "it is &lt;naked&gt;");
		assert_null(strstr(index, "<naked>"));
		assert_says(page, "<div class=\"drawn\" data-number=\"0\" data-page=\"0\"></div>");
		assert_says(page, "The paths of this page need JavaScript");
		assert_null(strstr(page, "<table")); /* its script has the lines of paths */
		assert_null(strstr(page, "://"));
		free(index);
		free(page);
	}
	char *clean = wm_xprintf("rm -r %s/out && rmdir %s", directory, directory);
	assert_int_equal(system(clean), 0);
	free(clean);
	free(target);
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(json_holds_the_contract),
		cmocka_unit_test(json_tells_a_path),
		cmocka_unit_test(json_lists_skipped_and_refused),
		cmocka_unit_test(text_tells_lines_outcomes_and_shares),
		cmocka_unit_test(text_shows_source_and_balance),
		cmocka_unit_test(html_is_escaped_and_replaced_whole),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
