/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sites of return addresses (abi/unfinished.h): what is written is read again, and no byte that is missing is read. */
#include "test/profile/testing.h"

#include "abi/unfinished.h"

#include <stdlib.h>
#include <string.h>

enum { SITES = 2000, KEYS = 40 };

static uint64_t state = 7;

static uint64_t next(void)
{
	return random_next(&state);
}

/* Of any size. */
static uint64_t number(void)
{
	return next() >> next() % 64;
}

static struct wm_return_site random_site(void)
{
	struct wm_return_site site = {.site = (uint32_t)number(), .place = (uint8_t)(next() % 4), .bits = 64};
	site.size = next() % 2 ? 8 : 4;
	if (next() % 3 == 0)
		site.bits = (uint8_t)(1 + next() % 64);
	if (site.place != WM_PLACE_UNKNOWN)
		site.missing = next() % 2 ? number() : 0 - number();
	if (site.place == WM_PLACE_REGISTER || site.place == WM_PLACE_STACK)
		site.base = (uint8_t)(next() % 16);
	if (site.place == WM_PLACE_STACK)
		site.displacement = (int32_t)number();
	return site;
}

static void expect_equal(const struct wm_return_site *a, const struct wm_return_site *b)
{
	assert_true(a->key == b->key && a->missing == b->missing && a->offset == b->offset);
	assert_true(a->displacement == b->displacement && a->site == b->site && a->place == b->place);
	assert_true(a->base == b->base && a->size == b->size && a->bits == b->bits);
}

static void test_sites(void **unused)
{
	(void)unused;
	uint64_t keys[KEYS], offset = 0;
	for (uint32_t k = 0; k < KEYS; k++)
		keys[k] = next();
	for (int i = 0; i < SITES; i++) {
		struct wm_return_site site = random_site(), found = {.offset = offset};
		uint32_t key = (uint32_t)(next() % KEYS);
		uint64_t distance = number() >> 20;
		uint8_t bytes[WM_VARIABLE_MOST + WM_SITE_MOST],
			*end = wm_site_put(wm_put_variable(bytes, distance), &site, key);
		size_t size = (size_t)(end - bytes);
		assert_true(size <= sizeof bytes);
		site.key = keys[key];
		site.offset = offset + distance;
		assert_ptr_equal(wm_site_get(bytes, end, keys, KEYS, &found), end);
		expect_equal(&site, &found);
		/* A copy on the heap, so that a sanitizer sees what is read behind it. */
		for (size_t cut = 0; cut < size; cut++) {
			uint8_t *copy = malloc(cut + 1);
			memcpy(copy, bytes, cut);
			found = (struct wm_return_site){.offset = offset};
			assert_null(wm_site_get(copy, copy + cut, keys, KEYS, &found));
			free(copy);
		}
		found = (struct wm_return_site){.offset = offset};
		assert_null(wm_site_get(bytes, end, keys, key, &found));
		offset = site.offset;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_sites)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
