/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Set cover: every cover against all subsets, the order against its definition. */
#include "core/cover/cover.h"
#include "test/core/random_graph.h"
#include "test/core/support.h"
#include <stdlib.h>
#include <time.h>

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
	(void)state;
	for (int i = 0; i < 3000; i++) {
		struct instance in;
		struct wm_arena arena;
		struct wm_cover exact, quick;
		wm_arena_init(&arena);
		instance_random(&in, random_below(&random, 13), random_below(&random, 50),
			3 + random_below(&random, 60), &random);
		uint32_t want = smallest_of_all(&in.sets);
		assert_int_equal(wm_sets_cover(&in.sets, UINT64_MAX, &exact, &arena), WM_OK);
		assert_covers(&in.sets, &exact);
		assert_true(exact.exact);
		assert_int_equal(exact.count, want);
		assert_int_equal(exact.least, want);
		assert_int_equal(wm_sets_cover(&in.sets, 0, &quick, &arena), WM_OK);
		assert_covers(&in.sets, &quick);
		assert_true(quick.count >= want && quick.least <= want && quick.greedy_count >= quick.count);
		assert_true(!quick.exact || quick.count == want);
		wm_arena_release(&arena);
		instance_release(&in);
	}
}

/* Whatever the budget, the cover covers and the bound holds. */
static void test_any_budget(void **state)
{
	struct random random = {5};
	(void)state;
	for (int i = 0; i < 1500; i++) {
		struct instance in;
		struct wm_arena arena;
		struct wm_cover cover;
		wm_arena_init(&arena);
		instance_random(&in, 12, 40, 25, &random);
		uint32_t want = smallest_of_all(&in.sets);
		assert_int_equal(wm_sets_cover(&in.sets, random_below(&random, 3000), &cover, &arena), WM_OK);
		assert_covers(&in.sets, &cover);
		assert_true(cover.least <= want && want <= cover.count);
		assert_true(!cover.exact || cover.count == want);
		wm_arena_release(&arena);
		instance_release(&in);
	}
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

/* Greedy takes the large middle set first and needs three. */
static void test_better_than_greedy(void **state)
{
	static const size_t first[] = {0, 4, 7, 10};
	static const uint32_t element[] = {1, 2, 3, 4, 0, 1, 2, 3, 4, 5};
	const struct wm_sets sets = {3, 6, first, element};
	struct wm_arena arena;
	struct wm_cover cover;
	(void)state;
	wm_arena_init(&arena);
	assert_int_equal(wm_sets_cover(&sets, 1000000, &cover, &arena), WM_OK);
	assert_int_equal(cover.greedy_count, 3);
	assert_int_equal(cover.count, 2);
	assert_true(cover.exact);
	wm_arena_release(&arena);
}

/* `areas` areas of tests, none of which takes paths of another; in each, common paths
 * and `rare` ones, which `takers` of its tests take. */
static void instance_suite(struct instance *in, uint32_t areas, uint32_t tests, uint32_t rare, uint32_t takers)
{
	struct random random = {11};
	uint32_t size = 1000;
	size_t at = 0;
	bool *takes = calloc((size_t)tests * size, sizeof *takes);
	instance_init(in, areas * tests, areas * size);
	for (uint32_t area = 0; area < areas; area++) {
		for (uint32_t e = 0; e < size; e++)
			for (uint32_t t = 0; t < tests; t++)
				takes[t * size + e] = e >= rare && random_below(&random, 100) < 60;
		for (uint32_t e = 0; e < rare; e++)
			for (uint32_t i = 0; i < takers; i++)
				takes[random_below(&random, tests) * size + e] = true;
		for (uint32_t t = 0; t < tests; t++) {
			for (uint32_t e = 0; e < size; e++)
				if (takes[t * size + e])
					in->element[at++] = area * size + e;
			in->first[area * tests + t + 1] = at;
		}
	}
	free(takes);
}

static void test_size(void **state)
{
	static const struct {
		uint32_t areas, tests, rare, takers;
		bool exact;
	} suites[] = {{40, 25, 40, 4, true}, {10, 60, 30, 6, true}, {1, 1000, 900, 30, false}};
	(void)state;
	for (size_t i = 0; i < COUNT(suites); i++) {
		struct instance in;
		struct wm_arena arena;
		struct wm_cover cover;
		struct timespec begin, end;
		instance_suite(&in, suites[i].areas, suites[i].tests, suites[i].rare, suites[i].takers);
		wm_arena_init(&arena);
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
		assert_int_equal(wm_sets_cover(&in.sets, UINT64_C(1) << 32, &cover, &arena), WM_OK);
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
		print_message("%u tests in %u areas: %u tests (greedy %u, at least %u) in %.2f s\n", in.sets.set_count,
			suites[i].areas, cover.count, cover.greedy_count, cover.least,
			(double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec));
		assert_covers(&in.sets, &cover);
		assert_true(cover.least <= cover.count && cover.exact == suites[i].exact);
		wm_arena_release(&arena);
		instance_release(&in);
	}
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
		status = wm_sets_cover(&in.sets, 100000, &cover, &arena);
		assert_true(status == WM_OK || (status == WM_NO_MEMORY && cover.count == 77));
		wm_arena_release(&arena);
	}
	instance_release(&in);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cover_against_all_subsets),
		cmocka_unit_test(test_any_budget),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_better_than_greedy),
		cmocka_unit_test(test_size),
		cmocka_unit_test(test_no_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
