/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Perfect hashes: known paths are found in their slots, and no other path is. */
#include "core/preferential/perfect.h"
#include "test/core/sample.h"
#include "test/core/support.h"
#include <stdlib.h>

static void check_perfect(const struct wm_path_set *set, const uint64_t *other, uint32_t count, uint32_t slots_per_path)
{
	struct wm_arena arena;
	struct wm_perfect p;
	wm_arena_init(&arena);
	assert_int_equal(wm_perfect_make(&p, set, &arena), WM_OK);
	assert_true(p.size <= slots_per_path * set->count || p.size <= 2);
	for (uint32_t i = 0; i < set->count; i++)
		assert_true(wm_perfect_slot(&p, set->id[i]) == p.slot[i] && p.table[p.slot[i]] == set->id[i]);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t slot = wm_perfect_slot(&p, other[i]);
		assert_true(slot < p.size);
		assert_int_equal(p.table[slot] == other[i], wm_path_set_find(set, other[i]) != WM_NONE);
	}
	wm_arena_release(&arena);
}

static void check_perfect_sample(struct sample *s, const struct wm_path_set *set)
{
	uint64_t *all = calloc(s->oracle.count, sizeof *all);
	for (uint32_t id = 0; id < s->oracle.count; id++)
		all[id] = id;
	check_perfect(set, all, s->oracle.count, 8);
	free(all);
}

static void test_samples(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 5200; seed++) {
		struct sample s;
		struct wm_path_set set;
		if (sample_init(&s, seed, 3 + (uint32_t)(seed / 5 % 21), 250) && s.oracle.count) {
			sample_set(&s, &set);
			check_perfect_sample(&s, &set);
		}
		sample_release(&s);
	}
}

/* Ids that are far apart, dense, or differ in their highest bits only. */
static void test_perfect(void **state)
{
	(void)state;
	static const uint32_t sizes[] = {1, 2, 3, 7, 31, 100, 160, 161, 1000, 16384, 100000};
	for (size_t k = 0; k < COUNT(sizes); k++)
		for (int kind = 0; kind < 3; kind++) {
			uint32_t count = sizes[k], kept = 0;
			struct random random = {k * 3 + (uint64_t)kind};
			uint64_t *id = calloc(count, sizeof *id), *other = calloc(count, sizeof *other), at = 0;
			for (uint32_t i = 0; i < count; i++) {
				at += kind == 0	  ? 1 + random_next(&random) % ((1ull << 62) / count)
				      : kind == 1 ? 1 + random_below(&random, 2)
						  : 1ull << 44;
				id[kept++] = at;
				other[i] = at + 1 + random_below(&random, 5);
			}
			check_perfect(&(struct wm_path_set){kept, id}, other, count, count > 160 ? 4 : 8);
			free(id);
			free(other);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_samples),
		cmocka_unit_test(test_perfect),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
