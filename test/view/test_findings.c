/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What other programs read: annotations and SARIF, whatever bytes the names contain; and baselines. */
#include "test/core/support.h"
#include "view/untested/annotation.h"
#include "view/untested/baseline_file.h"
#include "view/untested/sarif.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static void assert_prints(struct wm_annotation annotation, const char *want)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	wm_annotation_print(&annotation, out);
	fclose(out);
	assert_string_equal(text, want);
	free(text);
}

static void escapes_annotations(void **state)
{
	(void)state;
	assert_prints((struct wm_annotation){"warning", "/a/b.c", 8, 2, "title", "100%: a, b"},
		"::warning file=/a/b.c,line=8,col=2,title=title::100%25: a, b\n");
	assert_prints(
		(struct wm_annotation){"notice", "/x:y,z%\n::error::.c", 8, 0, "a,b:c", "one\ntwo\r\n::error::three"},
		"::notice "
		"file=/x%3Ay%2Cz%25\\x0a%3A%3Aerror%3A%3A.c,line=8,title=a%2Cb%3Ac::one%0Atwo%0D%0A::error::three\n");
	assert_prints(
		(struct wm_annotation){"warning", NULL, 8, 2, "title", "message"}, "::warning title=title::message\n");
}

static json_t *sarif_document(const struct wm_sarif_result *result, size_t count)
{
	static const struct wm_sarif_rule rules[] = {{"a", "A", "An a."}, {"b", "B", "A b."}};
	struct wm_sarif sarif;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	wm_sarif_begin(&sarif, out, rules, 2);
	for (size_t i = 0; i < count; i++)
		wm_sarif_add(&sarif, &result[i]);
	wm_sarif_end(&sarif);
	fclose(out);
	json_t *document = json_loadb(text, size, 0, NULL);
	assert_non_null(document);
	free(text);
	return document;
}

static const char *text_at(json_t *from, const char *path)
{
	char step[64];
	for (size_t length; *path && from; path += length + (path[length] == '/')) {
		length = strcspn(path, "/");
		snprintf(step, sizeof step, "%.*s", (int)length, path);
		from = json_is_array(from) ? json_array_get(from, strtoul(step, NULL, 10))
					   : json_object_get(from, step);
	}
	return json_string_value(from);
}

static void writes_sarif(void **state)
{
	const struct wm_sarif_place places[] = {
		{"/dir/a b%.c", 7, 3, "here"}, {NULL, 9, 1, "nowhere"}, {"/b.c", 0, 0, NULL}};
	const struct wm_sarif_result results[] = {
		{.rule = 1,
			.level = WM_SARIF_NOTE,
			.message = "bytes \xff and \x1b",
			.place = places[0],
			.function = "f(int)",
			.related_count = 3,
			.related = places,
			.flow_count = 3,
			.flow = places,
			.fingerprint = 0xabc},
		{.rule = 0, .level = WM_SARIF_ERROR, .message = "nowhere"},
	};
	(void)state;
	json_t *document = sarif_document(results, 2), *runs = json_object_get(document, "runs");
	json_t *list = json_object_get(json_array_get(runs, 0), "results");
	assert_int_equal(json_array_size(list), 2);
	assert_string_equal(text_at(document, "version"), "2.1.0");
	assert_string_equal(text_at(list, "0/ruleId"), "b");
	assert_string_equal(text_at(list, "0/level"), "note");
	assert_string_equal(
		text_at(list, "0/locations/0/physicalLocation/artifactLocation/uri"), "file:///dir/a%20b%25.c");
	assert_string_equal(text_at(list, "0/locations/0/logicalLocations/0/fullyQualifiedName"), "f(int)");
	assert_string_equal(text_at(list, "0/partialFingerprints/waymarkDecisions"), "0000000000000abc");
	/* places without a file are left out */
	json_t *first = json_array_get(list, 0);
	assert_int_equal(json_array_size(json_object_get(first, "relatedLocations")), 2);
	assert_string_equal(text_at(first, "relatedLocations/0/message/text"), "here");
	json_t *flow = json_array_get(json_object_get(first, "codeFlows"), 0);
	json_t *thread = json_array_get(json_object_get(flow, "threadFlows"), 0);
	assert_int_equal(json_array_size(json_object_get(thread, "locations")), 2);
	json_t *second = json_array_get(list, 1);
	assert_int_equal(json_array_size(json_object_get(second, "locations")), 0);
	assert_null(json_object_get(second, "codeFlows"));
	json_decref(document);
}

static void assert_refused(const char *text, const char *words)
{
	struct wm_baseline baseline;
	struct wm_baseline_error error;
	assert_false(wm_baseline_parse(&baseline, text, strlen(text), &error));
	assert_non_null(strstr(error.text, words));
	assert_int_equal(baseline.count, 0);
}

#define DOCUMENT(functions) "{\"schema\": \"waymark.baseline/1\", \"functions\": [" functions "]}"
#define HASHES "\"key\": \"00000000000000ff\", \"graph\": \"0000000000000001\", \"entered\": true, "

static void reads_baselines(void **state)
{
	static const char text[] =
		DOCUMENT("{\"name\": \"f\", " HASHES
			 "\"outcomes\": [[\"z: true\", true], [\"a: false\", false]], \"paths\": [7, 3]}");
	struct wm_baseline baseline;
	struct wm_baseline_error error;
	(void)state;
	assert_true(wm_baseline_parse(&baseline, text, strlen(text), &error));
	const struct wm_baseline_function *f = &baseline.function[0];
	assert_true(baseline.count == 1 && f->key == 255 && f->graph == 1 && f->entered && f->path[0] == 3);
	assert_true(wm_baseline_outcome(f, "z: true")->tested && !wm_baseline_outcome(f, "a: false")->tested);
	assert_null(wm_baseline_outcome(f, "b: false"));
	wm_baseline_release(&baseline);
	assert_refused("", "line");
	assert_refused("[]", "schema");
	assert_refused(DOCUMENT("3"), "lacks its name");
	assert_refused(DOCUMENT("{\"name\": \"f\", " HASHES "\"outcomes\": [3], \"paths\": []}"), "an outcome");
	assert_refused(DOCUMENT("{\"name\": \"f\", " HASHES "\"outcomes\": [], \"paths\": [-1]}"), "the id of a path");
	assert_refused(
		DOCUMENT("{\"name\": \"f\", \"entered\": true, \"outcomes\": [], \"paths\": []}"), "hexadecimal");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(escapes_annotations),
		cmocka_unit_test(writes_sarif),
		cmocka_unit_test(reads_baselines),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
