/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names of source files, and which of them are system headers. */
#include "policy/file_names.h"
#include "policy/line_directives.h"
#include "policy/system_headers.h"
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

static void normalises(void **state)
{
	static const char *const cases[][2] = {{"a/b.c", "a/b.c"}, {"./a/./b.c", "a/b.c"}, {"a/../b.c", "b.c"},
		{"a//b.c", "a/b.c"}, {"/a/b/../../c", "/c"}, {"/../a", "/a"}, {"../a", "../a"}, {"a/../../b", "../b"},
		{"../../a/../b", "../../b"}, {"/", "/"}, {".", "."}, {"a/..", "."}, {"/a/..", "/"}, {"a/", "a"},
		{"..", ".."}, {"/a/...", "/a/..."},
		{"/usr/lib/gcc/x/12/../../../../include/c++/12/vector", "/usr/include/c++/12/vector"}};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char *path = strdup(cases[i][0]);
		wm_file_name_normalise(path);
		assert_string_equal(path, cases[i][1]);
		free(path);
	}
}

static void ends(void **state)
{
	(void)state;
	assert_true(wm_file_name_ends_as("a/b.y", "b.y", 3));
	assert_true(wm_file_name_ends_as("b.y", "../src/b.y", 10));
	assert_false(wm_file_name_ends_as("a/b.y", "a/b.yy", 6));
	assert_false(wm_file_name_ends_as("a/b.y", "a/", 2));
	assert_false(wm_file_name_ends_as("bb.y", "b.y", 3));
}

/* The names, each followed by a comma. */
static void finds_line_directives(void **state)
{
	static const char *const cases[][2] = {{"", ""}, {"#line 1 \"a.y\"", "a.y,"},
		{"int a;\n  #  line\t12   \"b c.y\" \nint b;\n# 3 \"/d/e.y\" 1 3\n", "b c.y,/d/e.y,"},
		{"#line 5\n#lines 6 \"x\"\n#line x \"y\"\n#define Z 7 \"z\"\n# \"w\"\n#\n", ""},
		{"#line 7 \"unfinished\n\"\n", ""}, {"#line 7 \"un\\\"quoted\"\n", "un\\\"quoted,"},
		{"x #line 1 \"a\"\n", ""}, {"#line 8 \"\"\n", ","}};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		/* On the heap in its exact size, so that ASan sees every byte read beyond it. */
		size_t size = strlen(cases[i][0]), length;
		char *text = malloc(size + !size), all[100] = "";
		size_t used = 0;
		memcpy(text, cases[i][0], size);
		for (const char *at = text, *name; (name = wm_line_directive_next(&at, text + size, &length));) {
			memcpy(all + used, name, length);
			used += length;
			all[used++] = ',';
		}
		assert_string_equal(all, cases[i][1]);
		free(text);
	}
}

static void joins_and_relates(void **state)
{
	static const char *const cases[][3] = {/* path, directory, how it is reached */
		{"/p/src/a.c", "/p/build", "../src/a.c"}, {"/p/build/a.c", "/p/build", "a.c"},
		{"/p/a.c", "/p/build/deep", "../../a.c"}, {"/p/build2/a.c", "/p/build", "../build2/a.c"},
		{"/x/a.c", "/", "x/a.c"}, {"/a.c", "/p", "../a.c"}};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char *relative = wm_file_name_relative(cases[i][0], cases[i][1]);
		assert_string_equal(relative, cases[i][2]);
		char *back = wm_file_name_join(cases[i][1], relative);
		assert_string_equal(back, cases[i][0]);
		free(back);
		free(relative);
	}
	char *absolute = wm_file_name_join("/p", "/q/./a.c");
	assert_string_equal(absolute, "/q/a.c");
	free(absolute);
	assert_true(wm_file_name_is_below("/p/a", "/p"));
	assert_true(wm_file_name_is_below("/p/a", "/"));
	assert_false(wm_file_name_is_below("/pa/a", "/p"));
	assert_true(wm_file_name_is_below("a/b", ""));
	assert_false(wm_file_name_is_below("../b", ""));
	assert_false(wm_file_name_is_below("/b", ""));
}

/* here/link leads to far/away, so that here/link/../a.c is far/a.c. */
static void follows_links(void **state)
{
	(void)state;
	char place[] = "/tmp/waymark-names-XXXXXX", text[256];
	assert_non_null(mkdtemp(place));
	char *real = realpath(place, NULL);
	assert_int_equal(chdir(real), 0);
	assert_int_equal(mkdir("far", 0700) + mkdir("far/away", 0700) + mkdir("here", 0700), 0);
	assert_int_equal(symlink("../far/away", "here/link"), 0);
	fclose(fopen("far/a.c", "w"));
	char *name = wm_file_name_settle(real, "here/link/../a.c"),
	     *plain = wm_file_name_settle(real, "far/away/../a.c");
	snprintf(text, sizeof text, "%s/far/a.c", real);
	assert_string_equal(name, text);
	assert_string_equal(plain, text);
	free(name);
	free(plain);
	assert_int_equal(unlink("far/a.c") + unlink("here/link") + rmdir("here") + rmdir("far/away") + rmdir("far"), 0);
	assert_int_equal(chdir("/") + rmdir(real), 0);
	free(real);
}

static const char printed[] =
	"clang version 19\nTarget: x\n"
	" \"/bin/clang\" \"-cc1\" \"-I\" \"../include\" \"-isystem\" \"ext/with \\\"quotes\\\"\" \"-I\" "
	"\"/usr/include/glib\" \"-I/usr/include/cpath\""
	" \"-fdebug-prefix-map=/build/dir=.\" \"-isystem\" \"/build/dir/mapped\" \"-internal-isystem\""
	" \"/usr/lib/gcc/x/12/../../../../include/c++/12\" \"-internal-externc-isystem\" \"/usr/include\" \"-isystem\" "
	"\"/p/src\"\n"
	" \"/bin/ld\" \"-cc1\" \"-isystem\"\n";

static void knows_system_headers(void **state)
{
	static const struct {
		const char *file;
		bool system;
	} cases[] = {{"/p/build/a.h", false}, {"/p/include/a.h", false}, {"/p/build/ext/with \"quotes\"/a.h", true},
		{"/p/build/ext/a.h", false}, {"/usr/include/stdio.h", true}, {"/usr/include/glib/g.h", false},
		{"/usr/include/cpath/c.h", false}, {"/usr/include/c++/12/vector", true}, {"/usr/includes/a.h", false},
		{"/p/src/own.h", false}, {"mapped/a.h", true}, {"/somewhere/else.h", false}};
	struct wm_system_headers headers = {.working_directory = "/p/build", .asked = true};
	(void)state;
	wm_system_headers_add_source(&headers, "/p/src/main.c"); /* also named by -isystem */
	assert_true(wm_system_headers_parse(&headers, printed));
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		if (wm_system_headers_contain(&headers, cases[i].file) != cases[i].system)
			fail_msg("%s", cases[i].file);
	wm_system_headers_release(&headers);
	assert_false(wm_system_headers_parse(&headers, "clang: error: nothing\n"));
	assert_true(wm_system_headers_parse(&headers, " \"clang\" \"-cc1\" \"-nostdsysteminc\"\n"));
	wm_system_headers_release(&headers);
}

static void asks_only_if_it_matters(void **state)
{
	struct wm_system_headers headers = {0};
	(void)state;
	setenv(WM_SYSTEM_QUERY, "sh\n-c\necho '\"c\" \"-cc1\" \"-isystem\" \"/sys\"' >&2", 1);
	wm_system_headers_add_source(&headers, "/p/main.c");
	assert_false(wm_system_headers_contain(&headers, "/p/main.c"));
	assert_false(wm_system_headers_contain(&headers, "/p/own.h"));
	assert_false(headers.asked);
	assert_true(wm_system_headers_contain(&headers, "/sys/a.h"));
	assert_true(headers.asked);
	wm_system_headers_release(&headers);
	unsetenv(WM_SYSTEM_QUERY);
	assert_false(wm_system_headers_contain(&headers, "/sys/a.h"));
	wm_system_headers_release(&headers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(normalises), cmocka_unit_test(ends),
		cmocka_unit_test(finds_line_directives), cmocka_unit_test(joins_and_relates),
		cmocka_unit_test(follows_links), cmocka_unit_test(knows_system_headers),
		cmocka_unit_test(asks_only_if_it_matters)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
