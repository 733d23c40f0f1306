/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The design is balanced and orthogonal, and finds effects that are put in. */
#include "hardware/model/phases.h"
#include "hardware/model/plackett.h"
#include "test/core/support.h"

static void test_orthogonal(void **state)
{
	(void)state;
	for (unsigned a = 0; a < WM_HW_PLACKETT_FACTORS; a++)
		for (unsigned b = 0; b < WM_HW_PLACKETT_FACTORS; b++) {
			int sum = 0, product = 0;
			for (unsigned run = 0; run < WM_HW_PLACKETT_RUNS; run++) {
				sum += wm_hw_plackett_sign(run, a);
				product += wm_hw_plackett_sign(run, a) * wm_hw_plackett_sign(run, b);
			}
			assert_int_equal(sum, 0);
			assert_int_equal(product, a == b ? WM_HW_PLACKETT_RUNS : 0);
		}
}

/* Interactions of two factors do not disturb the main effects. */
static void test_effects(void **state)
{
	double response[WM_HW_PLACKETT_RUNS], effect[WM_HW_PLACKETT_FACTORS];
	(void)state;
	for (unsigned run = 0; run < WM_HW_PLACKETT_RUNS; run++)
		response[run] = 10 + 3 * wm_hw_plackett_sign(run, 2) - 0.5 * wm_hw_plackett_sign(run, 5) +
				4 * wm_hw_plackett_sign(run, 0) * wm_hw_plackett_sign(run, 1);
	wm_hw_plackett_effects(response, effect);
	for (unsigned factor = 0; factor < WM_HW_PLACKETT_FACTORS; factor++)
		assert_true(effect[factor] == (factor == 2 ? 6 : factor == 5 ? -1 : 0));
}

static void add_window(struct wm_hw_phases *phases, const uint32_t *outcomes, size_t count)
{
	struct wm_hw_pathmap map;
	assert_int_equal(wm_hw_pathmap_init(&map), WM_HW_OK);
	for (size_t i = 0; i < count; i++) {
		struct wm_hw_finished path = {.path = {.start = 16, .outcomes = outcomes[i], .length = 2}};
		path.events.count[WM_HW_FREQUENCY] = 10;
		assert_int_equal(wm_hw_pathmap_add(&map, &path), WM_HW_OK);
	}
	assert_int_equal(wm_hw_phases_add(phases, &map), WM_HW_OK);
	wm_hw_pathmap_release(&map);
}

/* Two diamonds in a row: the same four blocks along other paths are another phase. */
static void test_phases(void **state)
{
	static const uint32_t straight[] = {0, 3}, crossed[] = {1, 2}, mixed[] = {0, 3, 1};
	struct wm_hw_phases phases;
	(void)state;
	wm_hw_phases_init(&phases, 0.5);
	add_window(&phases, straight, 2);
	add_window(&phases, crossed, 2);
	add_window(&phases, mixed, 3);
	add_window(&phases, crossed, 2);
	assert_int_equal(phases.phase_count, 2);
	static const uint32_t want[] = {0, 1, 0, 1};
	assert_memory_equal(phases.window, want, sizeof(want));
	wm_hw_phases_release(&phases);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_orthogonal),
		cmocka_unit_test(test_effects),
		cmocka_unit_test(test_phases),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
