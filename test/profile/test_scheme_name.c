/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names of schemes: what they say, in raw and indexed profiles and in sums, and how the scheme of counts is found by them. */
#include "test/profile/testing.h"

#include "abi/abi.h"
#include "profile/base/scheme_name.h"
#include "profile/collect.h"
#include "profile/map/scheme_guess.h"
#include "test/profile/raw_builder.h"
#include "test/profile/raw_reading.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Texts and numbers ------------------------------------------------------------------ */

/* Profiles have these numbers: they never change. */
static void names_never_change(void **state)
{
	(void)state;
	const struct {
		const char *text;
		uint32_t name;
	} cases[] = {{"acyclic", 1}, {"preferential", 2}, {"loopcontext", 3}, {"kiter=1", 4 | 1 << 6},
		{"kiter=1000", 4 | 1000 << 6}, {"kiter=70,sequences", 4 | 32 | 70 << 6}, {"subpath", 5}, {"context", 6},
		{"context=cut", 7}, {"context=pending", 8}, {"piecewise", 9}, {"piecewise=cut", 10},
		{"piecewise=pending", 11}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char text[WM_SCHEME_TEXT];
		assert_int_equal(wm_scheme_name(cases[i].text), cases[i].name);
		assert_true(wm_scheme_name_is_valid(cases[i].name));
		assert_true(wm_scheme_name_text(text, cases[i].name));
		assert_string_equal(text, cases[i].text);
	}
}

/* As -fwaymark-k does: the name tells that it is not the whole scheme. */
static void loops_of_their_own(void **state)
{
	(void)state;
	char text[WM_SCHEME_TEXT];
	uint32_t name = wm_scheme_name("kiter=2,7:4"), named = wm_scheme_name("kiter=2,7:4,sequences");
	assert_int_equal(name, 4 | 2 << 6 | 1 << 16);
	assert_int_equal(named, name | 32);
	assert_true(wm_scheme_name_is_valid(name) && wm_scheme_name_is_valid(named));
	assert_false(wm_scheme_name_text(text, name) || wm_scheme_name_text(text, named));
}

/* Every number of 18 bits is the name of one text, of several, or of none. */
static void all_numbers(void **state)
{
	(void)state;
	uint32_t valid = 0, told = 0;
	for (uint32_t name = 0; name < 1u << 18; name++) {
		char text[WM_SCHEME_TEXT];
		bool is_told = wm_scheme_name_text(text, name);
		assert_true(!is_told || (wm_scheme_name(text) == name && wm_scheme_name_is_valid(name)));
		told += is_told;
		valid += wm_scheme_name_is_valid(name);
	}
	assert_int_equal(told, 10 + 2 * WM_MAX_K);
	assert_int_equal(valid, 1 + 10 + 4 * WM_MAX_K);
	assert_int_equal(wm_scheme_name("kiter=1001"), WM_SCHEME_UNNAMED);
	assert_int_equal(wm_scheme_name("nonsense"), WM_SCHEME_UNNAMED);
}

/* ---- Profiles --------------------------------------------------------------------------- */

static void one_function(struct wm_profile *profile, uint32_t scheme)
{
	const uint8_t build_id[] = {1, 2, 3, 4};
	wm_profile_init(profile);
	struct wm_profile_object *object = wm_profile_append_object(profile, build_id, sizeof build_id);
	assert_non_null(object);
	object->function = calloc(1, sizeof *object->function);
	assert_non_null(object->function);
	object->function_count = object->function_capacity = 1;
	object->function->flags = WM_FUNC_ENTRIES | WM_FUNC_OPTIMISED;
	object->function->scheme = scheme;
	assert_true(wm_function_append(object->function, 5, 10, 0));
}

/* Writes and reads it; *version is that of the file. */
static enum wm_profile_status through_file(
	struct wm_profile *profile, uint32_t *version, struct wm_profile_error *error)
{
	uint8_t *data;
	size_t size;
	assert_int_equal(wm_indexed_write(profile, &data, &size), WM_PROFILE_OK);
	*version = data[8];
	enum wm_profile_status status = wm_indexed_read(profile, data, size, error);
	free(data);
	return status;
}

static void indexed_profiles_keep_names(void **state)
{
	(void)state;
	const uint32_t names[] = {
		WM_SCHEME_UNNAMED, wm_scheme_name("acyclic"), wm_scheme_name("kiter=999,3:9,sequences")};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct wm_profile profile;
		struct wm_profile_error error;
		uint32_t version;
		one_function(&profile, names[i]);
		assert_int_equal(through_file(&profile, &version, &error), WM_PROFILE_OK);
		assert_int_equal(version, names[i] ? 8 : 7);
		assert_int_equal(profile.object->function->scheme, names[i]);
		assert_int_equal(profile.object->function->flags, WM_FUNC_ENTRIES | WM_FUNC_OPTIMISED);
		wm_profile_release(&profile);
	}
}

static void wrong_names_are_refused(void **state)
{
	(void)state;
	const uint32_t wrong[] = {12, 31, 1 | 1 << 6, 1 | 32, 4, 4 | 1001 << 6, 1 | 1 << 16, 1 | 1 << 17};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct wm_profile profile;
		struct wm_profile_error error;
		char expected[160];
		uint32_t version;
		snprintf(expected, sizeof expected,
			"it names a scheme of paths that this waymark does not know (%#x): it is of a newer waymark, "
			"or "
			"damaged",
			wrong[i]);
		one_function(&profile, wrong[i]);
		assert_int_equal(through_file(&profile, &version, &error), WM_PROFILE_REFUSED);
		assert_string_equal(error.text, expected);
		wm_profile_release(&profile);
		struct raw_builder builder;
		raw_builder_init(&builder);
		raw_builder_function(&builder, 1, 1, wrong[i] << WM_FUNC_SCHEME_SHIFT, 2);
		size_t size;
		uint8_t *image = raw_builder_image(&builder, &size);
		wm_profile_init(&profile);
		assert_int_equal(read_copy(image, size, &profile, &error), WM_PROFILE_REFUSED);
		assert_string_equal(error.text, expected);
		free(image);
		raw_builder_release(&builder);
	}
}

/* Two records over the same cells, one of them of an object file of an older version. */
static void raw_profiles_keep_names(void **state)
{
	(void)state;
	uint32_t name = wm_scheme_name("kiter=40");
	struct raw_builder builder;
	struct wm_profile profile;
	raw_builder_init(&builder);
	raw_builder_function(&builder, 1, 1, WM_FUNC_ENTRIES, 2);
	raw_builder_function(&builder, 1, 1, WM_FUNC_ENTRIES | name << WM_FUNC_SCHEME_SHIFT, 2);
	builder.func[1].cells_offset = builder.func[0].cells_offset;
	*raw_builder_cell(&builder, 0, 1) = 6;
	read_built(&builder, &profile);
	const struct wm_profile_function *function = find_function(&profile, 1);
	assert_non_null(function);
	assert_int_equal(function->scheme, name);
	assert_int_equal(function->flags, WM_FUNC_ENTRIES);
	check_path(function, 0, 0, 6, 0);
	wm_profile_release(&profile);
	raw_builder_release(&builder);
}

static void sum_of(uint32_t left, uint32_t right, uint32_t scheme, uint32_t doubt)
{
	struct wm_profile a, b;
	struct wm_profile_error error;
	uint32_t version;
	one_function(&a, left);
	one_function(&b, right);
	assert_int_equal(wm_profile_merge(&a, &b), WM_PROFILE_OK);
	assert_int_equal(through_file(&a, &version, &error), WM_PROFILE_OK);
	assert_int_equal(a.object->function_count, 1);
	assert_int_equal(a.object->function->path[0].count, 20);
	assert_int_equal(a.object->function->scheme, scheme);
	assert_int_equal(a.object->function->doubt, doubt);
	wm_profile_release(&a);
	wm_profile_release(&b);
}

static void sums_keep_names(void **state)
{
	(void)state;
	uint32_t none = WM_SCHEME_UNNAMED, two = wm_scheme_name("kiter=2"), three = wm_scheme_name("kiter=3");
	sum_of(none, none, none, 0);
	sum_of(none, two, two, 0);
	sum_of(two, none, two, 0);
	sum_of(two, two, two, 0);
	sum_of(two, three, two, WM_DOUBT_SCHEMES);
	sum_of(three, two, two, WM_DOUBT_SCHEMES);
}

/* ---- The scheme of counts --------------------------------------------------------------- */

struct trial {
	const char *wanted;
	unsigned count;
};

static bool is_wanted(void *closure, const char *scheme)
{
	struct trial *trial = closure;
	trial->count++;
	return !strcmp(trial->wanted, scheme);
}

static unsigned trials(const char *wanted, uint32_t name, bool found)
{
	struct trial trial = {wanted, 0};
	char text[WM_SCHEME_TEXT];
	assert_int_equal(wm_scheme_guess(text, name, is_wanted, &trial), found);
	if (found)
		assert_string_equal(text, wanted);
	return trial.count;
}

static void names_are_not_guessed(void **state)
{
	(void)state;
	const char *const texts[] = {"acyclic", "loopcontext", "kiter=2", "kiter=1000", "kiter=1000,sequences"};
	const unsigned guesses[] = {1, 2, 5, 2001, 2002};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		assert_int_equal(trials(texts[i], wm_scheme_name(texts[i]), true), 1);
		assert_int_equal(trials(texts[i], WM_SCHEME_UNNAMED, true), guesses[i]);
	}
	assert_int_equal(trials("kiter=3", wm_scheme_name("kiter=2"), false), 1);
	/* Paths that do not stay in a function, and names that are not the whole scheme, are not tried at all. */
	assert_int_equal(trials("context", wm_scheme_name("context"), false), 0);
	assert_int_equal(trials("subpath", wm_scheme_name("subpath"), false), 0);
	assert_int_equal(trials("kiter=2,1:3", wm_scheme_name("kiter=2,1:3"), false), 0);
	assert_int_equal(trials("piecewise", WM_SCHEME_UNNAMED, false), 2002);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_never_change),
		cmocka_unit_test(loops_of_their_own),
		cmocka_unit_test(all_numbers),
		cmocka_unit_test(indexed_profiles_keep_names),
		cmocka_unit_test(wrong_names_are_refused),
		cmocka_unit_test(raw_profiles_keep_names),
		cmocka_unit_test(sums_keep_names),
		cmocka_unit_test(names_are_not_guessed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
