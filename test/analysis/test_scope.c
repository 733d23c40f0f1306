/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which code is the project: globs, the configuration file, roots, and the files of binaries. */
#include "analysis/scope/project_scope.h"
#include "core/graph/checks.h"
#include "support/xalloc.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
/* cmocka.h needs the headers above it. */
#include <cmocka.h>

/* ---- Globs ------------------------------------------------------------------------------------- */

static void matches_globs(void **state)
{
	static const struct {
		const char *glob, *path, *part; /* what matches; "": nothing */
	} cases[] = {
		/* without a slash: a name at any depth */
		{"lex.c", "lex.c", "lex.c"},
		{"lex.c", "src/lex.c", "src/lex.c"},
		{"lex.c", "src/flex.c", ""},
		{"*.c", "src/lex.c", "src/lex.c"},
		{"*.c", "src/lex.h", ""},
		{"src", "src/lex.c", "src"},
		{"src", "a/src/b/lex.c", "a/src"},
		{"src", "mysrc/lex.c", ""},
		{"src", "src2/lex.c", ""},
		{"s?c", "a/src/lex.c", "a/src"},
		{"[a-l]*.c", "src/lex.c", "src/lex.c"},
		{"[a-k]*.c", "src/lex.c", ""},
		{"*", "a/b.c", "a"},
		{"\\*.c", "a/b.c", ""},
		{"\\*.c", "a/*.c", "a/*.c"},
		/* a directory */
		{"src/", "src/lex.c", "src"},
		{"src/", "a/src/lex.c", "a/src"},
		{"src/", "a/src", ""},
		{"src/", "src/src", "src"},
		{"a*/", "b/ab/ac", "b/ab"},
		{"/src/", "src/lex.c", "src"},
		{"/src/", "a/src/lex.c", ""},
		{"a/b/", "a/b/c", "a/b"},
		{"a/b/", "a/b", ""},
		{"a/b/", "x/a/b/c", ""},
		/* with a slash: from the root */
		{"src/*", "src/lex.c", "src/lex.c"},
		{"src/*", "src/a/lex.c", "src/a"},
		{"src/*", "a/src/lex.c", ""},
		{"src/*", "src", ""},
		{"src/*.c", "src/a/lex.c", ""},
		{"src/lex.c", "src/lex.c", "src/lex.c"},
		{"src/lex.c", "a/src/lex.c", ""},
		{"/lex.c", "lex.c", "lex.c"},
		{"/lex.c", "src/lex.c", ""},
		{"/*.c", "lex.c", "lex.c"},
		{"/*.c", "src/lex.c", ""},
		{"*/lex.c", "src/lex.c", "src/lex.c"},
		{"*/lex.c", "a/src/lex.c", ""},
		{"*/lex.c", "lex.c", ""},
		/* any number of directories */
		{"**/lex.c", "lex.c", "lex.c"},
		{"**/lex.c", "a/b/lex.c", "a/b/lex.c"},
		{"**/b/lex.c", "a/b/lex.c", "a/b/lex.c"},
		{"**/b/lex.c", "b/a/lex.c", ""},
		{"a/**/lex.c", "a/lex.c", "a/lex.c"},
		{"a/**/lex.c", "a/b/c/lex.c", "a/b/c/lex.c"},
		{"a/**/lex.c", "b/a/lex.c", ""},
		{"a/**", "a/b/lex.c", "a/b"},
		{"a/**", "a", ""},
		{"a/**", "b/a/c", ""},
		{"**", "a/b", "a"},
		{"a/**/b/**/c", "a/x/b/y/z/c/d", "a/x/b/y/z/c"},
		{"a/**/b/**/c", "a/x/y/c/b", ""},
		{"**/b/c", "b/x/b/c", "b/x/b/c"},
		{"a/**/b/", "a/x/b/c", "a/x/b"},
		{"a/**/b/", "a/b/b", "a/b"},
		{"a/**/b/", "a/x/b", ""},
		{"a/**/", "a/b", ""},
		{"a/**/", "a/b/c", "a/b"},
		{"a**/c", "ab/c", "ab/c"},
		{"a**/c", "ab/d/c", ""},
		/* not a glob */
		{"", "a", ""},
		{"/", "a", ""},
		{"//", "a", ""},
		{"[", "a", ""},
		{"[", "[", "["},
		{"a//b", "a/b", ""},
		{"!a", "a", ""},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		size_t length = wm_glob_match(cases[i].glob, cases[i].path);
		if (length != strlen(cases[i].part) || strncmp(cases[i].path, cases[i].part, length) != 0)
			fail_msg("%s against %s: %zu", cases[i].glob, cases[i].path, length);
	}
}

static void leaves_the_rest(void **state)
{
	static const struct {
		const char *glob, *path, *rest;
	} cases[] = {{"src/", "src/test/a.c", "test/a.c"}, {"lib", "a/lib/b/c", "b/c"}, {"*.c", "test/a.c", "test/a.c"},
		{"test/ours/*.c", "test/ours/a.c", "a.c"}, {"test/*/*.c", "test/ours/a.c", "ours/a.c"},
		{"/test/a.c", "test/a.c", "a.c"}, {"**/a.c", "test/a.c", "test/a.c"}, {"src/", "lib/a.c", NULL}};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *rest = wm_glob_rest(cases[i].glob, cases[i].path);
		if ((rest == NULL) != (cases[i].rest == NULL) || (rest && strcmp(rest, cases[i].rest) != 0))
			fail_msg("%s against %s: %s", cases[i].glob, cases[i].path, rest);
	}
}

/* ---- The configuration file ---------------------------------------------------------------------- */

static void assert_list(const struct wm_globs *list, const char *words)
{
	char text[256] = "";
	for (size_t i = 0; i < list->count; i++)
		snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? "|" : "", list->glob[i]);
	assert_string_equal(text, words);
}

static void reads_a_project_file(void **state)
{
	static const char text[] = "\xef\xbb\xbf# what is ours\n"
				   "include = src/ lib/, *.h   ; and nothing else\n"
				   "\n"
				   "  extra/**\n"
				   "exclude: gen/\r\n"
				   "tests =\n"
				   "ignore = asserts, dump_*\n"
				   "ignore = throws operator?bool\n"
				   "budget = 12\n"
				   "base = origin/main";
	struct wm_project_file file;
	struct wm_project_file_error error;
	(void)state;
	assert_true(wm_project_file_parse(&file, text, sizeof text - 1, &error));
	assert_list(&file.include, "src/|lib/|*.h|extra/**");
	assert_list(&file.exclude, "gen/");
	assert_true(file.has_tests);
	assert_list(&file.tests, "");
	assert_list(&file.ignored, "dump_*|operator?bool");
	assert_int_equal(file.checks, WM_CHECK_ASSERT | WM_CHECK_THROW);
	assert_string_equal(file.budget, "12");
	assert_string_equal(file.base, "origin/main");
	wm_project_file_release(&file);
	assert_true(wm_project_file_parse(&file, "", 0, &error));
	assert_false(file.has_tests || file.checks || file.budget || file.base);
	wm_project_file_release(&file);
}

static void refuses_a_project_file(void **state)
{
	static const struct {
		const char *text;
		size_t line;
		const char *words;
	} cases[] = {{"\ninclud = src/\n", 2, "the key 'includ' is unknown"},
		{"include src/", 1, "neither the form KEY = VALUE"}, {"[scope]\ninclude = src/", 2, "[scope] is one"},
		{"budget = 1\nbudget = 2", 2, "budget is given twice"}, {"budget =", 1, "budget needs a value"},
		{"base = --output=x", 1, "'--output=x' is no name of a branch"},
		{"base = a b", 1, "is no name of a branch"}, {"include = !src/", 1, "cannot be negated"},
		{"include = src/ # ours", 1, "begins with ; and not with #"}, {"x\nincludes = y", 1, "neither"},
		{"includes = y\nx", 1, "is unknown"},
		{"include = a\n"
		 "include b\nbase = -",
			2, "neither"}};
	struct wm_project_file file;
	struct wm_project_file_error error;
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_false(wm_project_file_parse(&file, cases[i].text, strlen(cases[i].text), &error));
		if (error.line != cases[i].line || !strstr(error.text, cases[i].words))
			fail_msg("%s: line %zu, %s", cases[i].text, error.line, error.text);
	}
	assert_false(wm_project_file_parse(&file, "base = a\0b", 10, &error));
	assert_non_null(strstr(error.text, "NUL"));
}

static void limits_lines_and_lists(void **state)
{
	char text[4096] = "exclude = ", *end = text + strlen(text);
	struct wm_project_file file;
	struct wm_project_file_error error;
	(void)state;
	memset(end, 'x', 300);
	assert_false(wm_project_file_parse(&file, text, strlen(text), &error));
	assert_int_equal(error.line, 1);
	assert_non_null(strstr(error.text, "continue it on a line that begins with a blank"));
	memset(end, 0, 300);
	for (size_t i = 0; i < WM_MOST_GLOBS; i++, end += strlen(end))
		snprintf(end, 16, "\n  g%zu", i);
	assert_true(wm_project_file_parse(&file, text, strlen(text), &error));
	assert_int_equal(file.exclude.count, WM_MOST_GLOBS);
	wm_project_file_release(&file);
	snprintf(end, 16, "\n  more");
	assert_false(wm_project_file_parse(&file, text, strlen(text), &error));
	assert_int_equal(error.line, WM_MOST_GLOBS + 2);
}

/* ---- Binaries ------------------------------------------------------------------------------------ */

/* A binary of one module, with a function in each file. */
struct binary {
	struct wm_map_function function[12];
	const char *file[12];
	struct wm_map_module module;
	struct wm_object object;
};

static void make_binary(struct binary *binary, const char *directory, const char *const *files)
{
	memset(binary, 0, sizeof *binary);
	for (; files[binary->module.file_count]; binary->module.file_count++) {
		binary->file[binary->module.file_count] = files[binary->module.file_count];
		binary->function[binary->module.file_count].file = binary->module.file_count;
	}
	binary->module.directory = directory;
	binary->module.source = files[0];
	binary->module.file = binary->file;
	binary->module.function = binary->function;
	binary->module.function_count = binary->module.file_count;
	binary->object.map = (struct wm_map){.module_count = 1, .module = &binary->module};
}

/* A temporary directory. */
struct place {
	char name[64];
};

static void enter(struct place *place)
{
	snprintf(place->name, sizeof place->name, "/tmp/waymark-scope-XXXXXX");
	assert_non_null(mkdtemp(place->name));
}

static void leave(struct place *place)
{
	char *command = wm_xprintf("rm -rf %s", place->name);
	assert_int_equal(system(command), 0);
	free(command);
}

static void make(const struct place *place, const char *name, const char *text_or_null)
{
	char *path = wm_xprintf("%s/%s", place->name, name);
	if (!text_or_null) {
		assert_int_equal(mkdir(path, 0777), 0);
	} else {
		FILE *file = fopen(path, "w");
		assert_non_null(file);
		fputs(text_or_null, file);
		fclose(file);
	}
	free(path);
}

static const char *const some_files[] = {"src/a.c", "include/a.h", "third_party/z/z.c", "src/vendor/v.h", "tests/t.c",
	"src/a_test.cpp", "/usr/include/c++/12/vector", "/usr/lib/llvm-19/lib/clang/19/include/x.h", "/opt/y/y.h",
	NULL};

static void assert_reasons(const struct wm_scope *scope, const struct binary *binary, const char *reasons)
{
	static const char letters[] = {'i', 's', 'o', '3', 't', 'x', 'n'};
	for (uint32_t i = 0; i < binary->module.file_count; i++) {
		char found = letters[wm_scope_reason(scope, binary->file[i])];
		if (found != reasons[i])
			fail_msg("%s: %c instead of %c", binary->file[i], found, reasons[i]);
	}
}

/* The configuration file, or none, and what becomes of some_files. */
static void with_project_file(const char *text_or_null, const char *reasons)
{
	struct place place;
	struct binary binary;
	struct wm_scope scope = {0};
	enter(&place);
	make(&place, ".git", NULL);
	if (text_or_null)
		make(&place, ".waymark", text_or_null);
	make_binary(&binary, place.name, some_files);
	wm_scope_add(&scope, &binary.object, 1);
	assert_string_equal(wm_scope_directory(&scope), place.name);
	assert_reasons(&scope, &binary, reasons);
	wm_scope_release(&scope);
	leave(&place);
}

static void decides_what_is_the_project(void **state)
{
	(void)state;
	with_project_file(NULL, "ii33ttsso");
	with_project_file("include = src/", "ixx3xtsso");
	with_project_file("include = src/vendor/ third_party/", "xxiixxsso");
	with_project_file("include = *.c", "ix3xtxsso");
	with_project_file("include = *.c tests/*.c", "ix3xixsso");
	with_project_file("exclude = include/", "ix33ttsso");
	with_project_file("include = src/\nexclude = src/a.c", "xxxixisso"); /* nothing else would remain */
	with_project_file("tests = include/", "it33iisso");
	with_project_file("tests =", "ii33iisso");
	with_project_file("include = tests/\ntests = tests/", "xxxxtxsso");
}

/* If all code would be left out, nothing is. */
static void uses_lists_only_if_code_remains(void **state)
{
	static const char *const only_tests[] = {"tests/a.c", "tests/b.c", "/usr/include/x.h", NULL};
	struct place place;
	struct binary binary;
	struct wm_scope scope = {0};
	(void)state;
	enter(&place);
	make(&place, ".git", NULL);
	make_binary(&binary, place.name, only_tests);
	wm_scope_add(&scope, &binary.object, 1);
	assert_reasons(&scope, &binary, "iis");
	wm_scope_release(&scope);
	leave(&place);
}

static void finds_roots(void **state)
{
	static const char *const apart[] = {"/nowhere/p/src/a.c", "/nowhere/p/lib/b.h", "/usr/include/x.h", NULL};
	static const char *const far[] = {"/nowhere/p/a.c", "/elsewhere/q/b.h", NULL};
	static const char *const relative[] = {"src/a.c", "../b.h", NULL};
	static const char *const here[] = {"s/a.c", "s/t/b.c", NULL};
	struct binary binary;
	struct place place;
	struct wm_scope scope = {0};
	(void)state;
	/* nothing is marked */
	make_binary(&binary, "", apart);
	wm_scope_add(&scope, &binary.object, 1);
	assert_string_equal(wm_scope_directory(&scope), "/nowhere/p");
	assert_string_equal(wm_scope_path(&scope, binary.file[0]), "src/a.c");
	assert_string_equal(wm_scope_path(&scope, binary.file[2]), "usr/include/x.h");
	wm_scope_release(&scope);
	/* headers elsewhere */
	make_binary(&binary, "", far);
	wm_scope_add(&scope, &binary.object, 1);
	assert_string_equal(wm_scope_directory(&scope), "/nowhere/p");
	assert_reasons(&scope, &binary, "io");
	wm_scope_release(&scope);
	/* the compilation directory is not known */
	make_binary(&binary, NULL, relative);
	wm_scope_add(&scope, &binary.object, 1);
	assert_int_equal(wm_scope_reason(&scope, binary.file[0]), WM_SCOPE_IN);
	assert_string_equal(wm_scope_path(&scope, binary.file[0]), "src/a.c");
	wm_scope_release(&scope);
	/* .waymark alone marks a root */
	enter(&place);
	make(&place, "s", NULL);
	make(&place, "s/.waymark", "exclude = t/");
	make_binary(&binary, place.name, here);
	wm_scope_add(&scope, &binary.object, 1);
	assert_string_equal(wm_scope_directory(&scope) + strlen(place.name), "/s");
	assert_reasons(&scope, &binary, "ix");
	assert_list(&wm_scope_project_file(&scope)->exclude, "t/");
	wm_scope_release(&scope);
	leave(&place);
}

/* A second build of the project is somewhere else. */
static void has_a_root_for_each_tree(void **state)
{
	static const char *const old_files[] = {"/nowhere/old/src/a.c", "/nowhere/old/lib/a.h", NULL};
	static const char *const new_files[] = {"/nowhere/new/src/a.c", "/nowhere/new/tests/a.c", NULL};
	struct binary old, new;
	struct wm_scope scope = {0};
	(void)state;
	make_binary(&old, "", old_files);
	make_binary(&new, "", new_files);
	wm_scope_add(&scope, &old.object, 1);
	wm_scope_add(&scope, &new.object, 1);
	assert_int_equal(scope.root_count, 2);
	assert_reasons(&scope, &old, "ii");
	assert_reasons(&scope, &new, "it");
	assert_string_equal(wm_scope_path(&scope, new.file[0]), "src/a.c");
	wm_scope_release(&scope);
}

/* ---- --file and --exclude ------------------------------------------------------------------------- */

static void filters_files(void **state)
{
	static const char *const files[] = {"/src/p/src/lex.c", "/src/p/lib/lex.h", "/usr/include/x.h", NULL};
	static const struct {
		const char *glob, *passes;
	} cases[] = {{"lex.c", "100"}, {"src/*", "100"}, {"src", "100"}, {"*.h", "011"}, {"/src/lex.c", "100"},
		{"/src/p/lib/lex.h", "010"}, {"/src/p/", "110"}, {"/usr/", "001"}, {"usr/include/", "001"},
		{"p/*", "000"}};
	struct binary binary;
	struct wm_scope scope = {0};
	(void)state;
	make_binary(&binary, "", files);
	wm_scope_add(&scope, &binary.object, 1);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct wm_file_filter only = {.only = {1, {cases[i].glob}}},
				      without = {.without = {1, {cases[i].glob}}};
		for (size_t f = 0; f < 3; f++) {
			bool passes = cases[i].passes[f] == '1';
			if (wm_file_filter_passes(&only, &scope, binary.file[f]) != passes)
				fail_msg("%s against %s", cases[i].glob, files[f]);
			assert_int_equal(wm_file_filter_passes(&without, &scope, binary.file[f]), !passes);
		}
		assert_false(wm_file_filter_passes(&only, &scope, NULL));
		assert_true(wm_file_filter_passes(&without, &scope, NULL));
	}
	struct wm_file_filter both = {.only = {2, {"src/*", "lib/*"}}, .without = {1, {"*.h"}}};
	assert_true(wm_file_filter_passes(&both, &scope, binary.file[0]));
	assert_false(wm_file_filter_passes(&both, &scope, binary.file[1]));
	assert_true(wm_file_filter_passes(&(struct wm_file_filter){0}, NULL, NULL));
	assert_true(wm_file_filter_passes(&(struct wm_file_filter){.only = {1, {"a.c"}}}, NULL, "/x/a.c"));
	wm_scope_release(&scope);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(matches_globs), cmocka_unit_test(leaves_the_rest),
		cmocka_unit_test(reads_a_project_file), cmocka_unit_test(refuses_a_project_file),
		cmocka_unit_test(limits_lines_and_lists), cmocka_unit_test(decides_what_is_the_project),
		cmocka_unit_test(uses_lists_only_if_code_remains), cmocka_unit_test(finds_roots),
		cmocka_unit_test(has_a_root_for_each_tree), cmocka_unit_test(filters_files)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
