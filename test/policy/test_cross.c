/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The file of -fwaymark-cross. */
#include "policy/site_list.h"
#include "test/core/support.h"
#include <string.h>

static struct wm_map_line line[] = {{.line = 10}, {.line = 11}, {.line = 20}};
static struct wm_map_block block[] = {{.line_count = 2, .line = line}, {.line_count = 1, .line = &line[2]}};

static enum wm_cross_choice choose(struct wm_site_list *list, const char *caller, uint32_t at, const char *callee)
{
	struct wm_map_function function = {.name = caller, .block = block};
	return wm_site_list_choose(list, &function, &(struct wm_call){.block = at}, callee);
}

static void test_rules(void **state)
{
	(void)state;
	struct wm_site_list list;
	char error[300];
	assert_true(wm_site_list_parse(&list,
		strdup("# all parsers\nparse_*  # but\n\n!parse_slow\n\tmain:11  log\r\n- log_*\nread *_fast\nnobody"),
		error));
	assert_int_equal(list.count, 6);
	assert_int_equal(choose(&list, "main", 0, "parse_x"), WM_CROSS_FIRST);
	assert_int_equal(choose(&list, "main", 0, "parse_slow"), WM_CROSS_NEVER);
	assert_int_equal(choose(&list, "read", 0, "parse_fast"), WM_CROSS_FIRST);
	assert_int_equal(choose(&list, "main", 0, "log"), WM_CROSS_FIRST);
	assert_int_equal(choose(&list, "main", 1, "log"), WM_CROSS_BY_WEIGHT);
	assert_int_equal(choose(&list, "other", 0, "log"), WM_CROSS_BY_WEIGHT);
	assert_int_equal(choose(&list, "main", 0, "log_x"), WM_CROSS_NEVER);
	assert_int_equal(choose(&list, "main", 0, "x_fast"), WM_CROSS_BY_WEIGHT);
	for (size_t i = 0; i < list.count; i++)
		assert_int_equal(list.rule[i].matched, i != 5);
	assert_int_equal(list.rule[5].at, 8);
	wm_site_list_release(&list);
}

static void refuse(const char *text, const char *expected)
{
	struct wm_site_list list;
	char error[300];
	assert_false(wm_site_list_parse(&list, strdup(text), error));
	assert_string_equal(error, expected);
	wm_site_list_release(&list);
}

static void test_mistakes(void **state)
{
	(void)state;
	refuse("a b c", "line 1 is not [!][CALLER[:LINE]] CALLEE or CALLER@BLOCK.POSITION CALLEE [COUNT]");
	refuse("f\n!", "line 2 is not [!][CALLER[:LINE]] CALLEE or CALLER@BLOCK.POSITION CALLEE [COUNT]");
	refuse("f:x g", "line 1 is not [!][CALLER[:LINE]] CALLEE or CALLER@BLOCK.POSITION CALLEE [COUNT]");
	refuse("f:0 g", "line 1 is not [!][CALLER[:LINE]] CALLEE or CALLER@BLOCK.POSITION CALLEE [COUNT]");
	refuse(":3 g", "line 1 is not [!][CALLER[:LINE]] CALLEE or CALLER@BLOCK.POSITION CALLEE [COUNT]");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_rules), cmocka_unit_test(test_mistakes)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
