/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The text of conditions: a row is a line of source in which ^ stands before the token that the compiler names. */
#include "analysis/source/condition.h"
#include "analysis/source/labels.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

struct text {
	char source[1024];
	struct wm_tokens tokens;
	size_t at, target; /* the tokens after the first and the second ^ */
};

static void read_text(struct text *text, const char *source)
{
	size_t mark[2] = {0}, marks = 0, used = 0;
	for (; *source; source++)
		if (*source == '^' && marks < COUNT(mark))
			mark[marks++] = used;
		else
			text->source[used++] = *source;
	text->source[used] = 0;
	wm_tokens_make(&text->tokens, text->source, used);
	text->at = wm_tokens_at(&text->tokens, mark[0]);
	text->target = wm_tokens_at(&text->tokens, mark[1]);
}

static void says(const char *source, const char *name, const char *want, bool negated, bool whole)
{
	struct text text;
	struct wm_condition condition;
	char found[128] = "";
	read_text(&text, source);
	if (wm_condition_expression(&text.tokens, text.at, name, &condition))
		wm_tokens_text(&text.tokens, condition.first, condition.end, found, sizeof found);
	if (strcmp(found, want) != 0)
		print_error("%s\n", source);
	assert_string_equal(found, want);
	if (*want) {
		assert_int_equal(condition.negated, negated);
		assert_int_equal(condition.whole, whole);
	}
	wm_tokens_release(&text.tokens);
}

static void operators(void **state)
{
	(void)state;
	says("if (a ^!= b && b < 10\n && c == 3) x();", "", "a != b", false, false);
	says("if (a != b && b < 10\n && c ^== 3) x();", "", "c == 3", false, false);
	says("if (a ^== b) x();", "", "a == b", false, true);
	says("} else if (a ^== b) {", "", "a == b", false, true);
	says("if (a ^==\n b) x();", "", "a == b", false, false);
	says("if (p) if (a ^== b) x();", "", "a == b", false, false);
	says("y = a + 1 ^< b * 2 ? c : d;", "", "a + 1 < b * 2", false, false);
	says("return !a ^== b || c;", "", "!a == b", false, false);
	says("if (f(a, b) ^< g[i < 3]) x();", "", "f(a, b) < g[i < 3]", false, true);
	says("for (i = 0; i ^< n; i++) x();", "", "i < n", false, true);
	says("if (c) a ^< b ? x() : y();", "", "a < b", false, false);
	says("while ((c ^= getchar()) != 3) x();", "", "c = getchar()", false, false);
	says("while ((c = getchar()) ^!= EOF && c != '\\n') x();", "", "(c = getchar()) != EOF", false, false);
	says("if (x & 4 ^&& y) z();", "", "x & 4 && y", false, true);
	says("if (x ^& /* , */ 4 && y) z();", "", "x & 4", false, false);
	says("if (s[0] ^== ',' && t) z();", "", "s[0] == ','", false, false);
	says("if (\"a)\" ^== p) z();", "", "\"a)\" == p", false, true);
	says("if (x.get<int>() ^< 3) z();", "", "x.get<int>() < 3", false, true);
	says("if (n::f<a>(x) ^== 3 and y) z();", "", "n::f<a>(x) == 3", false, false);
}

static void negations(void **state)
{
	(void)state;
	says("if (!^a) x();", "a.addr", "!a", true, true);
	says("if (!!^a) x();", "a", "!!a", false, true);
	says("if (!(^a && b)) x();", "a", "a", false, false);
	says("if (!(a ^< b)) x();", "", "!(a < b)", true, true);
	says("if (!(a ^< b) && c) x();", "", "!(a < b)", true, false);
	says("while (^!(n > 3)) n++;", "", "!(n > 3)", false, true);
	says("return !^b ? n : -n;", "b", "!b", true, false);
	says("if (not ^a) x();", "a", "not a", true, true);
}

static void values(void **state)
{
	(void)state;
	says("if (^p->flag && q) x();", "flag", "p->flag", false, false);
	says("if (p->list->^empty() && q) x();", "", "p->list->empty()", false, false);
	says("if (!^p->next) x();", "next12", "!p->next", true, true);
	says("if (^t[i].x) x();", "x", "t[i].x", false, true);
	says("if (^t[i]) x();", "t.addr", "t[i]", false, true);
	says("if (^*p) x();", "", "*p", false, true);
	says("while (n^--) x();", "n", "n--", false, true);
	says("if (^f(a, b)) x();", "f", "f(a, b)", false, true);
	says("if (^n::f(a)) x();", "_ZN1n1fEi", "n::f(a)", false, true);
	says("if (^(int)x) y();", "", "(int)x", false, true);
	says("if (^static_cast<bool>(x)) y();", "", "", false, false);
	says("if (^count) y();", "_ZL5count", "count", false, true);
	says("x = ^a ? b : c;", "a", "a", false, false);
}

/* A macro may contain any condition, so nothing is said of it. */
static void macros(void **state)
{
	(void)state;
	says("if (^BOTH(a, b)) x();", "a.addr", "", false, false);
	says("if (^READY) x();", "ready", "", false, false);
	says("if (^likely(x)) x();", "x.addr", "", false, false);
	says("if (^a && b) x();", "", "", false, false);
	says("if (a ^LT b) x();", "", "", false, false);
}

static void broken_text(void **state)
{
	static const char *const sources[] = {"if (a ^== b", "^==", "a ^==", "^== b", "((a ^== b]", "if (^", "^)",
		"\"^a", "^'", "/* ^a", "#if ^a\n#endif", "R\"(^", "f(^a", "!^a", "!!!!!^a", "(^a)", "^(", "^!",
		"x ? ^a : b", "#else\n^a"};
	(void)state;
	for (size_t i = 0; i < COUNT(sources); i++) {
		struct text text;
		struct wm_condition condition;
		char found[8];
		read_text(&text, sources[i]);
		if (wm_condition_expression(&text.tokens, text.at, "a", &condition))
			wm_tokens_text(&text.tokens, condition.first, condition.end, found, sizeof found);
		wm_condition_statement(&text.tokens, text.at, &condition);
		wm_condition_operand(&text.tokens, text.at, &condition);
		wm_condition_side(&text.tokens, text.at, 0);
		wm_labels_range(&text.tokens, text.at, found, sizeof found);
		wm_tokens_release(&text.tokens);
	}
}

/* Every alternative of a conditional directive begins with the same open brackets. */
static void directives(void **state)
{
	(void)state;
	says("#define X (((\n#if A\nif (a) {\n#else\nif (b) {\n#endif\nif (c ^== d) x();\n}", "", "c == d", false,
		true);
	says("if (\n#ifdef A\n(a &&\n#else\n(b &&\n#endif\nc ^== d)) x();", "", "c == d", false, false);
}

static void statements(void **state)
{
	static const struct {
		const char *source, *want;
	} rows[] = {{"^while (a && b) x();", "a && b"}, {"for (i = 0; ^a && b; i++) x();", "a && b"},
		{"for (^auto x : v) y();", "auto x : v"}, {"if (auto p = f(); p && ^q) y();", "p && q"},
		{"do x(); while (a || ^b);", "a || b"}, {"y = ^a;", ""}, {"f(^a);", ""},
		{"for (^i = 0; a; i++) x();", ""}};
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct text text;
		struct wm_condition condition;
		char found[64] = "";
		read_text(&text, rows[i].source);
		if (wm_condition_statement(&text.tokens, text.at, &condition))
			wm_tokens_text(&text.tokens, condition.first, condition.end, found, sizeof found);
		assert_string_equal(found, rows[i].want);
		wm_tokens_release(&text.tokens);
	}
}

static void sides(void **state)
{
	static const struct {
		const char *source;
		enum wm_side want;
	} rows[] = {{"if (^a) ^b(); else c();", WM_SIDE_HOLDS}, {"if (^a) b(); else ^c();", WM_SIDE_FAILS},
		{"if (^a) b(); ^c();", WM_SIDE_UNKNOWN},
		{"if (^a) { if (x) y(); else ^z(); } else c();", WM_SIDE_HOLDS},
		{"if (^a) if (x) y(); else ^z(); c();", WM_SIDE_HOLDS},
		{"if (^a) if (x) y(); else z(); else ^c();", WM_SIDE_FAILS}, {"while (^a) { ^b(); }", WM_SIDE_HOLDS},
		{"while (^a) { b(); } ^c();", WM_SIDE_UNKNOWN},
		{"for (;^a;) do x(); while (y); ^c();", WM_SIDE_UNKNOWN}, {"if (^a && ^b) c();", WM_SIDE_UNKNOWN},
		{"if (^a) { b(); } else if (c) { ^d(); }", WM_SIDE_FAILS}};
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct text text;
		read_text(&text, rows[i].source);
		assert_int_equal(wm_condition_side(&text.tokens, text.at, text.target), rows[i].want);
		wm_tokens_release(&text.tokens);
	}
	struct text text;
	read_text(&text, "do { b(); } while (a);");
	assert_int_equal(wm_condition_side(&text.tokens, 9, 2), WM_SIDE_HOLDS);
	wm_tokens_release(&text.tokens);
}

static void labels(void **state)
{
	struct wm_map_case cases[] = {{0, 0}, {1, 5}, {1, 7}, {1, 8}, {1, 9}, {2, -1}, {2, 'x'}};
	struct wm_map_block block = {.case_count = COUNT(cases), .cases = cases, .default_edge = 2};
	static const char source[] =
		"^switch (k) {\ncase RED: a();\ncase C::GREEN: case 7 ... 9: switch (j) { case 3: b(); } "
		"^b(); break;\ncase -1: case 'x': default: c(); }";
	struct text text;
	char found[96];
	(void)state;
	read_text(&text, source);
	assert_true(wm_labels_in_order(&text.tokens, text.at, &block, 0, found, sizeof found));
	assert_string_equal(found, "case RED");
	assert_true(wm_labels_in_order(&text.tokens, text.at, &block, 1, found, sizeof found));
	assert_string_equal(found, "case C::GREEN, 7 ... 9");
	assert_true(wm_labels_in_order(&text.tokens, text.at, &block, 2, found, sizeof found));
	assert_string_equal(found, "case -1, 'x', default");
	assert_true(wm_labels_before(&text.tokens, text.at, &block, 1, text.target, found, sizeof found));
	assert_string_equal(found, "case C::GREEN, 7 ... 9");
	cases[5].value = -2; /* the text has another value */
	assert_false(wm_labels_in_order(&text.tokens, text.at, &block, 0, found, sizeof found));
	block.case_count--; /* a label that the graph does not have */
	assert_false(wm_labels_in_order(&text.tokens, text.at, &block, 0, found, sizeof found));
	cases[2].edge_ordinal = 0;
	assert_false(wm_labels_before(&text.tokens, text.at, &block, 1, text.target, found, sizeof found));
	wm_tokens_release(&text.tokens);
	read_text(&text, "switch (k) { case 1: a(); case 100 ... 900: { ^b(); } }");
	assert_true(wm_labels_range(&text.tokens, text.at, found, sizeof found));
	assert_string_equal(found, "case 100 ... 900");
	wm_tokens_release(&text.tokens);
}

static void lines(void **state)
{
	struct text text;
	(void)state;
	read_text(&text, "a = b +\n\tc;\nd();\n");
	assert_false(wm_condition_statement_ends(&text.tokens, 1, 2));
	assert_true(wm_condition_statement_ends(&text.tokens, 2, 3));
	assert_true(wm_condition_statement_ends(&text.tokens, 1, 3));
	wm_tokens_release(&text.tokens);
}

static void shortened(void **state)
{
	struct text text;
	char found[24];
	(void)state;
	read_text(&text, "abcdefg  ==\n\t/* c */ hijklmn && opqrst");
	wm_tokens_text(&text.tokens, 0, text.tokens.count, found, sizeof found);
	assert_string_equal(found, "abcdefg == hijklmn ...");
	wm_tokens_release(&text.tokens);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(operators), cmocka_unit_test(negations),
		cmocka_unit_test(values), cmocka_unit_test(macros), cmocka_unit_test(broken_text),
		cmocka_unit_test(directives), cmocka_unit_test(statements), cmocka_unit_test(sides),
		cmocka_unit_test(labels), cmocka_unit_test(lines), cmocka_unit_test(shortened)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
