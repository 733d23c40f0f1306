/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Set cover: covers against all subsets, the order against its definition. */
#include "core/cover/cover.h"
#include "test/core/random_graph.h"
#include "test/core/support.h"
#include <stdlib.h>

struct instance {
	struct wm_sets sets;
	size_t *first;
	uint32_t *element;
};

static void instance_init(struct instance *in, uint32_t sets, uint32_t elements)
{
	in->first = calloc(sets + 1, sizeof *in->first);
	in->element = calloc((size_t)sets * elements + 1, sizeof *in->element);
	in->sets = (struct wm_sets){sets, elements, in->first, in->element};
}

static void instance_random(
	struct instance *in, uint32_t sets, uint32_t elements, uint32_t percent, struct random *random)
{
	size_t at = 0;
	instance_init(in, sets, elements);
	for (uint32_t s = 0; s < sets; s++) {
		for (uint32_t e = 0; e < elements; e++)
			if (random_below(random, 100) < percent)
				in->element[at++] = e;
		in->first[s + 1] = at;
	}
}

static void instance_release(struct instance *in)
{
	free(in->first);
	free(in->element);
}

static uint64_t mask_of(const struct wm_sets *sets, uint32_t set)
{
	uint64_t mask = 0;
	for (size_t i = sets->first[set]; i < sets->first[set + 1]; i++)
		mask |= UINT64_C(1) << sets->element[i];
	return mask;
}

static uint32_t smallest_of_all(const struct wm_sets *sets)
{
	uint64_t mask[16] = {0}, all = 0;
	uint32_t best = UINT32_MAX;
	for (uint32_t s = 0; s < sets->set_count; s++)
		all |= mask[s] = mask_of(sets, s);
	for (uint32_t chosen = 0; chosen < UINT32_C(1) << sets->set_count; chosen++) {
		uint64_t covered = 0;
		for (uint32_t s = 0; s < sets->set_count; s++)
			covered |= chosen >> s & 1 ? mask[s] : 0;
		uint32_t count = (uint32_t)__builtin_popcount(chosen);
		best = covered == all && count < best ? count : best;
	}
	return best;
}

static void assert_covers(const struct wm_sets *sets, const struct wm_cover *cover)
{
	bool *seen = calloc(sets->element_count + 1, sizeof *seen);
	for (uint32_t i = 0; i < cover->count; i++) {
		assert_true(cover->set[i] < sets->set_count);
		assert_true(!i || cover->set[i - 1] < cover->set[i]);
		for (size_t e = sets->first[cover->set[i]]; e < sets->first[cover->set[i] + 1]; e++)
			seen[sets->element[e]] = true;
	}
	for (size_t e = 0; e < sets->first[sets->set_count]; e++)
		assert_true(seen[sets->element[e]]);
	free(seen);
}

static void test_cover_against_all_subsets(void **state)
{
	struct random random = {3};
	uint32_t smallest = 0, proved = 0;
	(void)state;
	for (int i = 0; i < 3000; i++) {
		struct instance in;
		struct wm_arena arena;
		struct wm_cover cover;
		wm_arena_init(&arena);
		instance_random(&in, random_below(&random, 13), random_below(&random, 50),
			3 + random_below(&random, 60), &random);
		uint32_t want = smallest_of_all(&in.sets);
		assert_int_equal(wm_sets_cover(&in.sets, &cover, &arena), WM_OK);
		assert_covers(&in.sets, &cover);
		assert_true(cover.count >= want && cover.least <= want && cover.greedy_count >= cover.count);
		assert_int_equal(cover.exact, cover.count == cover.least);
		smallest += cover.count == want;
		proved += cover.exact;
		wm_arena_release(&arena);
		instance_release(&in);
	}
	print_message("of 3000 covers, %u are smallest, and %u are proved to be\n", smallest, proved);
	assert_true(smallest > 2500 && proved > 1000);
}

static void test_order(void **state)
{
	struct random random = {9};
	(void)state;
	for (int i = 0; i < 1000; i++) {
		struct instance in;
		struct wm_arena arena;
		uint32_t order[12], gain[12];
		uint64_t seen = 0;
		bool used[12] = {false};
		wm_arena_init(&arena);
		instance_random(&in, 12, 40, 2 + random_below(&random, 40), &random);
		assert_int_equal(wm_sets_order(&in.sets, order, gain, &arena), WM_OK);
		for (uint32_t at = 0; at < 12; at++) {
			uint32_t best = UINT32_MAX, most = 0;
			for (uint32_t s = 0; s < 12; s++) {
				uint32_t new = (uint32_t)__builtin_popcountll(mask_of(&in.sets, s) & ~seen);
				if (!used[s] && (best == UINT32_MAX || new > most))
					best = s, most = new;
			}
			assert_int_equal(order[at], best);
			assert_int_equal(gain[at], most);
			used[best] = true;
			seen |= mask_of(&in.sets, best);
		}
		wm_arena_release(&arena);
		instance_release(&in);
	}
}

struct known {
	uint32_t set_count, element_count;
	size_t first[6];
	uint32_t element[16];
	uint32_t greedy, count, least;
};

static void check_known(const struct known *known)
{
	const struct wm_sets sets = {known->set_count, known->element_count, known->first, known->element};
	struct wm_arena arena;
	struct wm_cover cover;
	wm_arena_init(&arena);
	assert_int_equal(wm_sets_cover(&sets, &cover, &arena), WM_OK);
	assert_int_equal(cover.greedy_count, known->greedy);
	assert_int_equal(cover.count, known->count);
	assert_int_equal(cover.least, known->least);
	assert_int_equal(cover.exact, known->least == known->count);
	wm_arena_release(&arena);
}

/* Greedy takes the large middle set first, which the two others make superfluous. */
static void test_superfluous(void **state)
{
	(void)state;
	check_known(&(struct known){3, 6, {0, 4, 7, 10}, {1, 2, 3, 4, 0, 1, 2, 3, 4, 5}, 3, 2, 2});
}

/* Three sets, any two of which contain everything: no two elements share no set. */
static void test_bound_is_not_reached(void **state)
{
	(void)state;
	check_known(&(struct known){3, 3, {0, 2, 4, 6}, {0, 1, 0, 2, 1, 2}, 2, 2, 1});
}

static void test_no_memory(void **state)
{
	struct random random = {2};
	struct instance in;
	(void)state;
	instance_random(&in, 10, 30, 30, &random);
	enum wm_status status = WM_NO_MEMORY;
	for (size_t limit = 1; status == WM_NO_MEMORY; limit += 64) {
		struct wm_arena arena;
		struct wm_cover cover = {.count = 77};
		wm_arena_init(&arena);
		wm_arena_set_limit(&arena, limit);
		status = wm_sets_cover(&in.sets, &cover, &arena);
		assert_true(status == WM_OK || (status == WM_NO_MEMORY && cover.count == 77));
		wm_arena_release(&arena);
	}
	instance_release(&in);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cover_against_all_subsets),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_superfluous),
		cmocka_unit_test(test_bound_is_not_reached),
		cmocka_unit_test(test_no_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
