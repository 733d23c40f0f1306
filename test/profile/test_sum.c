/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The sum of two profiles: random profiles against a sum made the slow way; what is kept apart. */
#include "test/profile/testing.h"

#include "abi/abi.h"
#include "core/base/grow.h"
#include "profile/base/function_counts.h"
#include "profile/base/unfinished_paths.h"
#include "profile/collect.h"
#include "profile/map/identity.h"
#include "test/profile/random_profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The slow sum: all functions of both, sorted. */
static void append_all(struct wm_profile_object *into, const struct wm_profile_object *from)
{
	assert_true(
		WM_RESERVE(into->function, into->function_capacity, into->function_count, from->function_count + 1));
	for (size_t i = 0; i < from->function_count; i++) {
		struct wm_profile_function *f = &into->function[into->function_count++];
		*f = from->function[i];
		f->path = NULL;
		f->path_count = f->path_capacity = 0;
		for (size_t p = 0; p < from->function[i].path_count; p++)
			assert_true(wm_function_append_path(f, &from->function[i].path[p]));
		f->unfinished = NULL;
		f->unfinished_count = f->unfinished_capacity = 0;
		for (size_t u = 0; u < from->function[i].unfinished_count; u++)
			assert_true(wm_unfinished_append(f, &from->function[i].unfinished[u]));
	}
	assert_true(wm_object_sort(into));
}

static void check_sum(const struct wm_profile *sum, const struct wm_profile *a, const struct wm_profile *b)
{
	size_t seen = 0;
	for (size_t i = 0; i < sum->object_count; i++) {
		struct wm_profile_object slow = {.build_id_size = sum->object[i].build_id_size};
		memcpy(slow.build_id, sum->object[i].build_id, sizeof(slow.build_id));
		const struct wm_profile_object *x = wm_profile_find_object(a, slow.build_id, slow.build_id_size);
		const struct wm_profile_object *y = wm_profile_find_object(b, slow.build_id, slow.build_id_size);
		assert_true(x || y);
		seen += (x != NULL) + (y != NULL);
		if (x)
			append_all(&slow, x);
		if (y)
			append_all(&slow, y);
		assert_int_equal(slow.function_count, sum->object[i].function_count);
		check_object(&slow, &sum->object[i]);
		wm_profile_object_release(&slow);
		assert_true(!i || wm_object_compare(&sum->object[i - 1], &sum->object[i]) < 0);
	}
	assert_int_equal(seen, a->object_count + b->object_count);
	assert_true(
		sum->runs == a->runs + b->runs && sum->kill_unsafe_runs == a->kill_unsafe_runs + b->kill_unsafe_runs);
}

static void merge_equals_slow_sum(void **state)
{
	(void)state;
	uint64_t seed = 23;
	for (int i = 0; i < 500; i++) {
		struct wm_profile a, b, sum;
		random_profile(&seed, &a);
		random_profile(&seed, &b);
		wm_profile_init(&sum);
		assert_int_equal(wm_profile_merge(&sum, &a), WM_PROFILE_OK);
		check_profile(&sum, &a);
		assert_int_equal(wm_profile_merge(&sum, &b), WM_PROFILE_OK);
		check_sum(&sum, &a, &b);
		wm_profile_release(&a);
		wm_profile_release(&b);
		wm_profile_release(&sum);
	}
}

static void one_function(struct wm_profile *profile, uint64_t count)
{
	wm_profile_init(profile);
	struct wm_profile_object *object = wm_profile_append_object(profile, NULL, 0);
	assert_non_null(object);
	object->function = calloc(1, sizeof(*object->function));
	assert_non_null(object->function);
	object->function_count = object->function_capacity = 1;
	object->function[0].key = 1;
	assert_true(wm_function_append(&object->function[0], 0, count, 0));
}

static void merge_saturates(void **state)
{
	(void)state;
	struct wm_profile a, b;
	one_function(&a, UINT64_MAX - 5);
	one_function(&b, 4);
	assert_int_equal(wm_profile_merge(&a, &b), WM_PROFILE_OK);
	assert_true(a.object[0].function[0].path[0].count == UINT64_MAX - 1);
	assert_int_equal(a.object[0].function[0].doubt, 0);
	assert_int_equal(wm_profile_merge(&a, &b), WM_PROFILE_OK);
	assert_true(a.object[0].function[0].path[0].count == UINT64_MAX);
	assert_int_equal(a.object[0].function[0].doubt, WM_DOUBT_SATURATED);
	assert_int_equal(wm_profile_merge(&a, &b), WM_PROFILE_OK);
	assert_true(a.object[0].function[0].path[0].count == UINT64_MAX);
	wm_profile_release(&a);
	wm_profile_release(&b);
}

static void doubtful_function(struct wm_profile *profile, uint64_t count, const char *program)
{
	one_function(profile, count);
	profile->object[0].function[0].doubt = WM_DOUBT_THREADS;
	profile->object[0].runs = 1;
	snprintf(profile->object[0].program, WM_PROGRAM_MAX, "%s", program);
	assert_true(wm_object_append_doubtful(
		&profile->object[0], &(struct wm_doubtful_run){1700000000, count, WM_DOUBT_THREADS}));
}

/* One run that cannot be trusted does not spoil the sum of the others. */
static void merge_keeps_doubtful_runs_apart(void **state)
{
	(void)state;
	for (int doubtful_first = 0; doubtful_first < 2; doubtful_first++) {
		struct wm_profile sum, good, bad;
		one_function(&good, 7);
		good.object[0].runs = 3;
		doubtful_function(&bad, 5, "");
		wm_profile_init(&sum);
		for (int i = 0; i < 3; i++)
			assert_int_equal(
				wm_profile_merge(&sum, (i == 0) == doubtful_first ? &bad : &good), WM_PROFILE_OK);
		const struct wm_profile_object *object = &sum.object[0];
		uint64_t bad_runs = doubtful_first ? 1 : 2, good_runs = 3 - bad_runs;
		assert_int_equal(sum.object_count, 1);
		assert_true(object->runs == 3 * good_runs + bad_runs && object->doubtful_count == bad_runs);
		assert_int_equal(object->function_count, 2);
		assert_int_equal(object->function[0].doubt, 0);
		assert_true(object->function[0].path[0].count == 7 * good_runs);
		assert_int_equal(object->function[1].doubt, WM_DOUBT_THREADS);
		wm_profile_release(&sum);
		wm_profile_release(&good);
		wm_profile_release(&bad);
	}
}

/* Without a build-id, the name is all that tells objects apart. */
static void merge_keeps_programs_without_build_id_apart(void **state)
{
	(void)state;
	struct wm_profile a, b;
	doubtful_function(&a, 1, "a");
	doubtful_function(&b, 2, "b");
	assert_int_equal(wm_profile_merge(&a, &b), WM_PROFILE_OK);
	assert_int_equal(wm_profile_merge(&a, &b), WM_PROFILE_OK);
	assert_int_equal(a.object_count, 2);
	assert_true(a.object[0].function[0].path[0].count == 1 && a.object[1].function[0].path[0].count == 4);
	assert_ptr_equal(wm_profile_find_object(&a, NULL, 0), &a.object[0]);
	assert_false(wm_same_program(&a.object[0], &a.object[1]));
	wm_profile_release(&a);
	wm_profile_release(&b);
}

static void same_function(void **state)
{
	(void)state;
	const struct wm_function_identity f = {1, 2, 3}, key = {9, 2, 3}, graph = {1, 9, 3}, source = {1, 2, 9},
					  unknown = {1, 2, 0};
	for (int same_program = 0; same_program < 2; same_program++) {
		assert_true(wm_same_function(&f, &f, same_program));
		assert_false(wm_same_function(&f, &key, same_program));
		assert_false(wm_same_function(&f, &graph, same_program));
		assert_int_equal(wm_same_function(&f, &source, same_program), same_program);
		assert_int_equal(wm_same_function(&f, &unknown, same_program), same_program);
		assert_int_equal(wm_same_function(&unknown, &unknown, same_program), same_program);
	}
}

/* In one object, which may have no build-id and be of several builds. */
static void different_sources_are_unknown(void **state)
{
	(void)state;
	struct wm_profile a, b;
	doubtful_function(&a, 1, "a");
	doubtful_function(&b, 2, "a");
	a.object[0].function[0].source = 5;
	b.object[0].function[0].source = 5;
	assert_int_equal(wm_profile_merge(&a, &b), WM_PROFILE_OK);
	assert_true(a.object[0].function[0].source == 5);
	b.object[0].function[0].source = 6;
	assert_int_equal(wm_profile_merge(&a, &b), WM_PROFILE_OK);
	assert_int_equal(a.object[0].function_count, 1);
	assert_true(a.object[0].function[0].source == 0);
	wm_profile_release(&a);
	wm_profile_release(&b);
}

/* Counts of all paths and counts of untested ones conflict only where they would be summed. */
static void conflicts_are_within_programs(void **state)
{
	(void)state;
	struct wm_profile a, b;
	doubtful_function(&a, 1, "a");
	doubtful_function(&b, 2, "b");
	b.object[0].function[0].flags = WM_FUNC_HASH | WM_FUNC_RESIDUAL;
	assert_false(wm_profile_conflicts(&a, &b));
	a.any_program = true;
	assert_true(wm_profile_conflicts(&a, &b));
	a.any_program = false;
	a.object[0].program[0] = 'b';
	assert_true(wm_profile_conflicts(&a, &b));
	a.object[0].program[0] = 0;
	assert_true(wm_profile_conflicts(&a, &b));
	wm_profile_release(&a);
	wm_profile_release(&b);
}

static void earliest_sighting_stays(void **state)
{
	(void)state;
	const struct wm_counted_path seen[] = {{.count = 1, .first_seen = 30, .pid = 3}, {.count = 1},
		{.count = 1, .first_seen = 20, .pid = 9}, {.count = 1, .first_seen = 20, .pid = 2},
		{.count = 1, .first_seen = 25, .pid = 1}};
	struct wm_profile sum, one;
	wm_profile_init(&sum);
	for (size_t i = 0; i < sizeof(seen) / sizeof(*seen); i++) {
		one_function(&one, 1);
		one.object[0].function[0].flags = WM_FUNC_HASH | WM_FUNC_RESIDUAL;
		one.object[0].function[0].path[0] = seen[i];
		assert_int_equal(wm_profile_merge(&sum, &one), WM_PROFILE_OK);
		wm_profile_release(&one);
	}
	const struct wm_counted_path *path = &sum.object[0].function[0].path[0];
	assert_true(path->count == 5 && path->first_seen == 20 && path->pid == 2);
	wm_profile_release(&sum);
}

static void conflicts(void **state)
{
	(void)state;
	struct wm_profile whole, residual;
	one_function(&whole, 1);
	one_function(&residual, 1);
	assert_false(wm_profile_conflicts(&whole, &residual));
	residual.object[0].function[0].flags = WM_FUNC_HASH | WM_FUNC_RESIDUAL;
	assert_true(wm_profile_conflicts(&whole, &residual));
	assert_true(wm_profile_conflicts(&residual, &whole));
	residual.object[0].function[0].graph_hash = 7;
	assert_false(wm_profile_conflicts(&whole, &residual));
	wm_profile_release(&whole);
	wm_profile_release(&residual);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(merge_equals_slow_sum),
		cmocka_unit_test(merge_saturates),
		cmocka_unit_test(merge_keeps_doubtful_runs_apart),
		cmocka_unit_test(merge_keeps_programs_without_build_id_apart),
		cmocka_unit_test(conflicts_are_within_programs),
		cmocka_unit_test(same_function),
		cmocka_unit_test(different_sources_are_unknown),
		cmocka_unit_test(earliest_sighting_stays),
		cmocka_unit_test(conflicts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
