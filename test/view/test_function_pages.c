/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "view/document/function_pages.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* Functions of two files in turn: no page has functions of both, or more than it may have, and none has fewer than it can. */
static void functions_of_a_file_share_pages(void **state)
{
	enum { FUNCTIONS = 4 * WM_PAGE_FUNCTIONS + 2 };
	struct wm_function_pages pages = {0};
	uint32_t page[FUNCTIONS], on[FUNCTIONS] = {0};
	(void)state;
	for (size_t i = FUNCTIONS; i-- > 0;)
		page[i] = wm_function_page(&pages, i % 2 ? "odd.c" : "even.c", i);
	assert_int_equal(pages.count, 6);
	for (size_t i = 0; i < FUNCTIONS; i++) {
		assert_int_equal(wm_function_page(&pages, "asked again", i), page[i]);
		assert_true(page[i] < pages.count);
		on[page[i]]++;
		assert_int_equal(wm_function_page_begin(&pages, page[i]), on[page[i]] == 1);
	}
	for (size_t i = 1; i < FUNCTIONS; i++)
		assert_int_not_equal(page[i], page[i - 1]);
	for (size_t i = 0; i < pages.count; i++)
		assert_int_equal(on[i], i < 4 ? WM_PAGE_FUNCTIONS : 1);
	wm_function_pages_release(&pages);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(functions_of_a_file_share_pages)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
