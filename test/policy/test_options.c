/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The compiler's options: their table, what is refused and in which words, and what the plugin makes of them. */
#include "policy/plugin_options.h"
#include "policy/settings.h"
#include "test/core/support.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int clear(void **state)
{
	(void)state;
	for (size_t i = 0; i < WM_SETTING_COUNT; i++)
		unsetenv(wm_settings[i].variable);
	unsetenv("WAYMARK_TEST");
	unsetenv("WAYMARK_CALLS");
	return 0;
}

/* ---- One value ------------------------------------------------------------------- */

static void refuse(size_t setting, const char *value, const char *expected)
{
	char error[300] = "";
	assert_false(wm_setting_check(&wm_settings[setting], value, "HERE", error));
	assert_string_equal(error, expected);
}

static void accept(size_t setting, const char *value)
{
	char error[300] = "";
	assert_true(wm_setting_check(&wm_settings[setting], value, "HERE", error));
}

static void test_values(void **state)
{
	(void)state;
	refuse(WM_SET_UPDATE, "fast", "unknown value 'fast' for HERE: valid are gs, delta, atomic");
	refuse(WM_SET_CFG, "", "unknown value '' for HERE: valid are source, optimised");
	refuse(WM_SET_K, "main", "unknown value 'main' for HERE: valid are FUNCTION:LINE:K,..., @FILE");
	refuse(WM_SET_K, "@no/such/list", "HERE: cannot read 'no/such/list': No such file or directory");
	refuse(WM_SET_ALLOW, "no/such/file", "HERE: cannot read 'no/such/file': No such file or directory");
	accept(WM_SET_UPDATE, "delta");
	accept(WM_SET_CFG, "source");
	accept(WM_SET_SCHEME, "kiter=3");
	accept(WM_SET_K, "main:3:4");
	accept(WM_SET_K, "@/dev/null");
	accept(WM_SET_DENY, "/dev/null");
}

/* Every scheme is in the list that a wrong one is answered with. */
static void test_schemes(void **state)
{
	(void)state;
	char error[300];
	assert_false(wm_setting_check(&wm_settings[WM_SET_SCHEME], "kiter=0", "HERE", error));
	assert_int_equal(strncmp(error, "unknown value 'kiter=0' for HERE: valid are acyclic, ", 52), 0);
	for (const struct wm_scheme *const *s = wm_schemes; *s; s++) {
		assert_non_null(strstr(error, (*s)->name));
		if ((*s)->crosses)
			accept(WM_SET_SCHEME, (*s)->name);
	}
}

static void test_long_values(void **state)
{
	(void)state;
	char value[2000], error[300];
	memset(value, 'x', sizeof value - 1);
	value[sizeof value - 1] = 0;
	for (size_t i = 0; i < WM_SETTING_COUNT; i++) {
		assert_false(wm_setting_check(&wm_settings[i], value, wm_settings[i].variable, error));
		assert_non_null(strstr(error, wm_settings[i].variable));
		assert_true(strlen(error) < sizeof error);
	}
}

static void test_names(void **state)
{
	(void)state;
	for (size_t i = 0; i < WM_SETTING_COUNT; i++)
		assert_ptr_equal(wm_setting_find(wm_settings[i].name, strlen(wm_settings[i].name)), &wm_settings[i]);
	assert_ptr_equal(wm_setting_find("cfg=source", 3), &wm_settings[WM_SET_CFG]);
	assert_null(wm_setting_find("cf", 2));
	assert_null(wm_setting_find("cfgs", 4));
}

/* ---- The environment --------------------------------------------------------------- */

static void refuse_all(const char *expected)
{
	struct wm_options options;
	char error[300] = "";
	assert_false(wm_options_init(&options, error));
	assert_non_null(strstr(error, expected));
	wm_options_release(&options);
	clear(NULL);
}

static void test_refused(void **state)
{
	(void)state;
	setenv("WAYMARK_UPDATE", "fast", 1);
	refuse_all("unknown value 'fast' for WAYMARK_UPDATE: valid are gs, delta, atomic");
	setenv("WAYMARK_INTERESTING", "/dev/null", 1);
	setenv("WAYMARK_RESIDUAL", "/dev/null", 1);
	refuse_all("exclude each other");
	setenv("WAYMARK_SCHEME", "preferential", 1);
	refuse_all("needs -fwaymark-interesting=FILE");
	setenv("WAYMARK_RESIDUAL", "/dev/null", 1);
	refuse_all("cannot use the profile /dev/null");
	setenv("WAYMARK_SCHEME", "loopcontext", 1);
	setenv("WAYMARK_K", "main:3:4", 1);
	refuse_all("a choice of loops is for the scheme kiter, not for loopcontext");
	setenv("WAYMARK_SCHEME", "context", 1);
	setenv("WAYMARK_K", "main:3:4", 1);
	refuse_all("a choice of loops is for the scheme kiter, not for context");
	setenv("WAYMARK_CROSS", "/dev/null", 1);
	setenv("WAYMARK_SCHEME", "kiter=2", 1);
	refuse_all("-fwaymark-cross=FILE needs paths that cross calls");
	setenv("WAYMARK_WPP", "on", 1);
	setenv("WAYMARK_SCHEME", "kiter=2", 1);
	refuse_all("excludes other schemes");
	setenv("WAYMARK_SCHEME", "subpath", 1);
	setenv("WAYMARK_RESIDUAL", "/dev/null", 1);
	refuse_all("excludes other schemes");
	setenv("WAYMARK_WPP", "yes", 1);
	refuse_all("unknown value 'yes' for WAYMARK_WPP: valid are off, on");
	setenv("WAYMARK_CALLS", "leaf", 1);
	refuse_all("WAYMARK_CALLS is an option of earlier versions: name the calls that paths must not cross with");
	setenv("WAYMARK_K", "main:3:0", 1);
	refuse_all("'main:3:0' is no choice of a loop");
	setenv("WAYMARK_TEST", "placement=best", 1);
	refuse_all("WAYMARK_TEST has no 'placement=best'");
	setenv("WAYMARK_TEST", "trace,fast", 1);
	refuse_all("WAYMARK_TEST has no 'fast'");
	setenv("WAYMARK_TEST", "array-limit=0", 1);
	refuse_all("WAYMARK_TEST has no 'array-limit=0'");
}

static void test_defaults(void **state)
{
	(void)state;
	struct wm_options options;
	char error[300];
	setenv("WAYMARK_UPDATE", "", 1);
	assert_true(wm_options_init(&options, error));
	assert_string_equal(options.scheme_text, "acyclic");
	assert_int_equal(options.stage, WM_CFG_SOURCE);
	assert_int_equal(options.update, WM_UPDATE_GS);
	assert_int_equal(options.purpose, WM_PURPOSE_ALL);
	assert_true(options.test.entries && !options.test.trace);
	assert_null(wm_options_refuse(&options, "main"));
	assert_null(wm_options_weights(&options));
	assert_null(wm_setting_file(&wm_settings[WM_SET_ALLOW]));
	wm_options_release(&options);
}

static void test_chosen(void **state)
{
	(void)state;
	struct wm_options options;
	char error[300];
	setenv("WAYMARK_CFG", "optimised", 1);
	setenv("WAYMARK_UPDATE", "delta", 1);
	setenv("WAYMARK_K", "main:3:4, parse:7:2", 1);
	setenv("WAYMARK_TEST", "trace,placement=naive,no-entries,check=place,copy-limit=9", 1);
	assert_true(wm_options_init(&options, error));
	assert_int_equal(options.stage, WM_CFG_OPTIMISED);
	assert_int_equal(options.update, WM_UPDATE_DELTA);
	assert_string_equal(options.scheme_text, "kiter=1");
	assert_int_equal(options.loops.count, 2);
	assert_int_equal(options.loops.choice[1].k, 2);
	assert_true(options.test.trace && !options.test.entries);
	assert_int_equal(options.test.placement, WM_PLACE_NAIVE);
	assert_int_equal(options.test.check_method, WM_CHECK_BY_PLACE);
	assert_int_equal(options.test.copy_limit, 9);
	wm_options_release(&options);
}

/* The file of a list may be larger than one step of the reader. */
static void test_lists(void **state)
{
	(void)state;
	struct wm_options options;
	char error[300], name[] = "/tmp/test_options.XXXXXX";
	FILE *file = fdopen(mkstemp(name), "w");
	assert_non_null(file);
	fputs("# comment\n  parse_* # another\n\r\n", file);
	for (int i = 0; i < 20000; i++)
		fprintf(file, "name_%d\n", i);
	fputs("last", file);
	fclose(file);
	setenv("WAYMARK_ALLOW", name, 1);
	assert_string_equal(wm_setting_file(&wm_settings[WM_SET_ALLOW]), name);
	assert_true(wm_options_init(&options, error));
	assert_int_equal(options.allow.count, 20002);
	assert_null(wm_options_refuse(&options, "parse_line"));
	assert_null(wm_options_refuse(&options, "name_19999"));
	assert_null(wm_options_refuse(&options, "last"));
	assert_string_equal(wm_options_refuse(&options, "main"), "is not on the allow list");
	wm_options_release(&options);
	setenv("WAYMARK_DENY", name, 1);
	assert_true(wm_options_init(&options, error));
	assert_string_equal(wm_options_refuse(&options, "last"), "is on the deny list");
	wm_options_release(&options);
	unlink(name);
}

/* The tested paths of a scheme across calls are no weights: other weights could give other ids. */
static void test_weights(void **state)
{
	(void)state;
	struct wm_options options;
	struct wm_profile profile;
	uint8_t *data;
	size_t size;
	char error[300], name[] = "/tmp/test_options.XXXXXX";
	FILE *file = fdopen(mkstemp(name), "w");
	wm_profile_init(&profile);
	assert_int_equal(wm_indexed_write(&profile, &data, &size), WM_PROFILE_OK);
	assert_int_equal(fwrite(data, 1, size, file), size);
	fclose(file);
	free(data);
	setenv("WAYMARK_RESIDUAL", name, 1);
	assert_true(wm_options_init(&options, error));
	assert_ptr_equal(wm_options_weights(&options), &options.paths);
	wm_options_release(&options);
	setenv("WAYMARK_SCHEME", "piecewise=cut", 1);
	assert_true(wm_options_init(&options, error));
	assert_int_equal(options.purpose, WM_PURPOSE_RESIDUAL);
	assert_null(wm_options_weights(&options));
	wm_options_release(&options);
	setenv("WAYMARK_WEIGHTS", name, 1);
	assert_true(wm_options_init(&options, error));
	assert_ptr_equal(wm_options_weights(&options), &options.weights);
	wm_options_release(&options);
	unlink(name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_schemes),
		cmocka_unit_test(test_long_values),
		cmocka_unit_test(test_names),
		cmocka_unit_test_setup(test_refused, clear),
		cmocka_unit_test_setup(test_defaults, clear),
		cmocka_unit_test_setup(test_chosen, clear),
		cmocka_unit_test_setup(test_lists, clear),
		cmocka_unit_test_setup(test_weights, clear),
	};
	return cmocka_run_group_tests(tests, clear, clear);
}
