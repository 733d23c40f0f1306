/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "policy/check_names.h"
#include "test/core/support.h"

static void test_names(void **state)
{
	char text[WM_CHECK_NAMES_SIZE];
	(void)state;
	assert_int_equal(wm_check_named("asserts, throws", 7), WM_CHECK_ASSERT);
	assert_int_equal(wm_check_named("noreturn", 8), WM_CHECK_NORETURN);
	assert_int_equal(wm_check_named("assert", 6), 0);
	assert_int_equal(wm_check_named("", 0), 0);
	assert_string_equal(wm_check_names(0, text), "");
	assert_string_equal(wm_check_names(WM_CHECK_THROW, text), "throws");
	assert_string_equal(wm_check_names(WM_CHECKS_LEFT_OUT, text), "asserts and sanitizers");
	assert_string_equal(wm_check_names(WM_CHECKS, text), "asserts, sanitizers, throws and noreturn");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_names)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
