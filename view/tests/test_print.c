/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "view/tests/test_print.h"
#include "analysis/join/story.h"
#include "analysis/suite/test_index.h"
#include "support/json.h"
#include "support/output.h"
#include "support/printable.h"
#include "support/xalloc.h"
#include "view/document/document.h"
#include <stdlib.h>
#include <sys/wait.h>

enum { SHOWN = 40 };

static size_t count_result(const struct wm_test_table *table, enum wm_result result)
{
	size_t count = 0;
	for (size_t i = 0; i < table->count; i++)
		count += table->row[i].test->result == result;
	return count;
}

static void print_head(const struct wm_test_table *table, FILE *out)
{
	size_t failed = count_result(table, WM_RESULT_FAILED);
	fprintf(out, "%s test%s", wm_thousands(table->count), wm_plural(table->count));
	if (table->counted)
		fprintf(out, " %s %s path%s", table->count == 1 ? "takes" : "take", wm_thousands(table->paths),
			wm_plural(table->paths));
	if (failed)
		fprintf(out, ", and %s failed", wm_thousands(failed));
	fprintf(out, "; the profiles are in %s\n\n", table->directory);
}

static void print_row(const struct wm_test_row *row, bool counted, FILE *out)
{
	char *name = wm_one_line(row->test->name);
	fprintf(out, "%10s %10s  %-7s  %s\n", counted ? wm_thousands(row->paths) : "-",
		counted ? wm_thousands(row->only) : "-",
		row->test->result == WM_RESULT_UNKNOWN ? "-" : wm_result_text(row->test->result), name);
	free(name);
}

void wm_test_text(const struct wm_test_table *table, bool all, FILE *out)
{
	print_head(table, out);
	fprintf(out, "     paths  only here  result   test\n");
	for (size_t i = 0; i < table->count && (all || i < SHOWN); i++)
		print_row(&table->row[i], table->counted, out);
	if (!all && table->count > SHOWN)
		fprintf(out, "           and %zu more (--all prints them)\n", table->count - SHOWN);
}

static json_t *count_value(bool known, size_t count)
{
	return known ? wm_json_count(count) : json_null();
}

static json_t *row_object(const struct wm_test_row *row, bool counted)
{
	return wm_json_checked(json_pack("{s:o, s:o, s:s, s:o, s:s, s:o, s:o, s:o}", "name",
		wm_json_text(row->test->name), "file", wm_json_text(row->file), "runner",
		wm_runner_text(row->test->runner), "command", wm_json_text(row->test->command), "result",
		wm_result_text(row->test->result), "processes", wm_json_count(row->test->process_count), "paths",
		count_value(counted, row->paths), "only_here", count_value(counted, row->only)));
}

/* As a shell tells it; null: the command has not ended. */
static json_t *status_value(const struct wm_test_table *table)
{
	if (!table->ended)
		return json_null();
	return json_integer(WIFEXITED(table->status) ? WEXITSTATUS(table->status) : 128 + WTERMSIG(table->status));
}

static json_t *make_document(const struct wm_test_table *table)
{
	json_t *document = wm_json_document("test"), *command = wm_json_checked(json_array());
	json_t *tests = wm_json_checked(json_array());
	for (char **word = table->command; *word; word++)
		json_array_append_new(command, wm_json_text(*word));
	for (size_t i = 0; i < table->count; i++)
		json_array_append_new(tests, row_object(&table->row[i], table->counted));
	json_object_set_new(document, "command", command);
	json_object_set_new(document, "exit_status", status_value(table));
	json_object_set_new(document, "paths", count_value(table->counted, table->paths));
	json_object_set_new(document, "tests", tests);
	return document;
}

void wm_test_json(const struct wm_test_table *table, FILE *out)
{
	wm_json_dump(make_document(table), out, JSON_INDENT(1));
	fputc('\n', out);
}

void wm_test_write_index(const struct wm_test_table *table)
{
	struct wm_output output;
	char *path = wm_xprintf("%s/%s", table->directory, WM_TEST_INDEX);
	wm_output_open(&output, path);
	wm_test_json(table, output.file);
	wm_output_close(&output);
	free(path);
}
