/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Characters, and the stream that makes everything printable. */
#include "support/printable.h"
#include "support/standard_output.h"
#include "test/core/support.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void test_characters(void **state)
{
	static const struct {
		const char *text;
		unsigned length;
		bool printable, cut;
	} cases[] = {
		{"a", 1, true, false},
		{"\033", 1, false, false},
		{"\177", 1, false, false},
		{"\xc3\xa9", 2, true, false},
		{"\xc2\x9b", 2, false, false}, /* U+009B */
		{"\xc2\xa0", 2, true, false},
		{"\xe2\x82\xac", 3, true, false},
		{"\xf0\x9f\x98\x80", 4, true, false},
		{"\xe2\x80\xae", 3, false, false}, /* U+202E */
		{"\xe2\x81\xa6", 3, false, false}, /* U+2066 */
		{"\xd8\x9c", 2, false, false}, /* U+061C */
		{"\xe2\x80\xa6", 3, true, false}, /* an ellipsis */
		{"\xff", 1, false, false},
		{"\x9b", 1, false, false},
		{"\xc0\xaf", 1, false, false}, /* longer than necessary */
		{"\xe0\x9f\xbf", 1, false, false},
		{"\xf0\x8f\xbf\xbf", 1, false, false},
		{"\xed\xa0\x80", 1, false, false}, /* a surrogate */
		{"\xf4\x90\x80\x80", 1, false, false}, /* above U+10FFFF */
		{"\xe2\x82", 1, false, true},
		{"\xe2(\xa1", 1, false, false},
	};
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct wm_character character = wm_character_at(cases[i].text, strlen(cases[i].text));
		print_message("%zu ", i);
		assert_int_equal(character.length, cases[i].length);
		assert_int_equal(character.printable, cases[i].printable);
		assert_int_equal(character.cut, cases[i].cut);
	}
}

static void test_copies(void **state)
{
	(void)state;
	char *copy = wm_printable("a\tb\n\033[1m\xc3\xa9\xc3");
	assert_string_equal(copy, "a\tb\n\\x1b[1m\xc3\xa9\\xc3");
	free(copy);
	copy = wm_one_line("a\nb\033");
	assert_string_equal(copy, "a\\x0ab\033");
	free(copy);
}

/* However the text is cut into writes. */
static void test_stream(void **state)
{
	static const char want[] = "x\\x1b[1my\033[1mz\033[0m\xe2\x82\xac\\xff\\xc2\\x9b\n\\xe2\\x82";
	char text[128], got[4096];
	FILE *file = tmpfile(), *before = stdout;
	int own = dup(STDOUT_FILENO);
	(void)state;
	fflush(stdout);
	dup2(fileno(file), STDOUT_FILENO);
	wm_printable_stdout();
	snprintf(text, sizeof text, "x\033[1my%sz%s\xe2\x82\xac\xff\xc2\x9b\n\xe2\x82", wm_style(WM_STYLE_BOLD),
		wm_style(WM_STYLE_PLAIN));
	for (size_t piece = 1; piece <= strlen(text); piece++) {
		for (size_t i = 0; i < strlen(text); i += piece) {
			size_t left = strlen(text) - i;
			fwrite(text + i, 1, left < piece ? left : piece, stdout);
			fflush(stdout);
		}
		wm_printable_finish();
	}
	dup2(own, STDOUT_FILENO);
	stdout = before;
	fseek(file, 0, SEEK_SET);
	for (size_t piece = 1; piece <= strlen(text); piece++) {
		assert_int_equal(fread(got, 1, sizeof want - 1, file), sizeof want - 1);
		assert_memory_equal(got, want, sizeof want - 1);
	}
	assert_int_equal(fgetc(file), EOF);
	fclose(file);
	close(own);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_characters),
		cmocka_unit_test(test_copies),
		cmocka_unit_test(test_stream),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
