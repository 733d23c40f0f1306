/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The test suite of RFC 1321, and lengths around the size of a block. */
#include "support/md5.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
/* cmocka.h needs the headers above it. */
#include <cmocka.h>

static void matches_rfc(void **state)
{
	static const struct {
		const char *text, *sum;
	} cases[] = {
		{"", "d41d8cd98f00b204e9800998ecf8427e"},
		{"a", "0cc175b9c0f1b6a831c399e269772661"},
		{"abc", "900150983cd24fb0d6963f7d28e17f72"},
		{"message digest", "f96b697d7cb7938d525a2f31aaf161d0"},
		{"abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"},
		{"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", "d174ab98d277d9f5a5611c2c9f419d9f"},
		{"12345678901234567890123456789012345678901234567890123456789012345678901234567890",
			"57edf4a22be3c955ac49da2e2107b67a"},
		/* 55, 56, 63, 64 and 65 letters, by md5sum(1) */
		{"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "ef1772b6dff9a122358552954ad0df65"},
		{"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "3b0c8ac703f828b04c6c197006d17218"},
		{"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "b06521f39153d618550606be297466d5"},
		{"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
			"014842d480b571495a4a0363793f7367"},
		{"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
			"c743a45e0d2e6a95cb859adae0248435"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		uint8_t sum[WM_MD5_SIZE];
		char text[2 * WM_MD5_SIZE + 1];
		wm_md5(cases[i].text, strlen(cases[i].text), sum);
		for (size_t b = 0; b < WM_MD5_SIZE; b++)
			snprintf(text + 2 * b, 3, "%02x", sum[b]);
		assert_string_equal(text, cases[i].sum);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(matches_rfc)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
