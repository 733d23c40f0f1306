/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The parts of a run: the sum of the increments between random states is the last state. */
#include "test/profile/testing.h"

#include "abi/abi.h"
#include "abi/sequence.h"
#include "core/base/grow.h"
#include "profile/base/unfinished_paths.h"
#include "profile/collect.h"
#include "profile/increment.h"
#include "test/profile/random_profile.h"

#include <stdio.h>

enum { ROUNDS = 300, STATES = 6, TIME = 1700000000 };

static struct wm_profile_function *add_function(struct wm_profile_object *object, uint64_t *seed)
{
	assert_true(WM_RESERVE(object->function, object->function_capacity, object->function_count, 1));
	struct wm_profile_function *f = &object->function[object->function_count++];
	*f = (struct wm_profile_function){.key = random_next(seed),
		.graph_hash = random_below(seed, 2),
		.source = 1,
		.flags = WM_FUNC_ENTRIES | (random_below(seed, 2) ? WM_FUNC_RESIDUAL | WM_FUNC_HASH : 0)};
	f->base_entries = random_below(seed, 3);
	return f;
}

static void first_state(struct wm_profile *state, uint64_t *seed)
{
	wm_profile_init(state);
	struct wm_profile_object *object = wm_profile_append_object(state, (uint8_t[]){1, 2, 3}, 3);
	snprintf(object->program, sizeof(object->program), "program");
	state->runs = object->runs = 1;
	for (uint32_t i = random_below(seed, 12); i; i--)
		add_function(object, seed);
	assert_true(wm_object_sort(object));
}

/* Counts a path that may be new.  The time of an untested path may be missing at first. */
static void count_path(struct wm_profile_function *f, uint64_t *seed, uint64_t time)
{
	bool timed = f->flags & WM_FUNC_RESIDUAL && random_below(seed, 4);
	struct wm_counted_path path = {.id = random_below(seed, 20),
		.count = 1 + random_below(seed, 5),
		.first_seen = timed ? time : 0,
		.pid = timed ? 7 : 0};
	assert_true(wm_function_append_path(f, &path));
	if (!random_below(seed, 4))
		assert_true(wm_function_append(f, WM_NAME_BIT | path.id, path.id + 1, 0));
	wm_function_sort(f);
}

/* Activations are left on a path that may be new. */
static void leave(struct wm_profile_function *f, uint64_t *seed)
{
	const struct wm_unfinished_path path = {
		.sum = random_below(seed, 4), .count = 1 + random_below(seed, 5), .site = 1 + random_below(seed, 3)};
	assert_true(wm_unfinished_append(f, &path));
	wm_unfinished_sort(f);
}

static void grow(struct wm_profile *state, uint64_t *seed, uint64_t time)
{
	struct wm_profile_object *object = &state->object[0];
	for (size_t i = 0; i < object->function_count; i++) {
		if (random_below(seed, 3))
			continue;
		object->function[i].entries += random_below(seed, 100);
		for (uint32_t n = random_below(seed, 4); n; n--)
			count_path(&object->function[i], seed, time);
		if (random_below(seed, 2))
			leave(&object->function[i], seed);
	}
	if (!random_below(seed, 8))
		state->kill_unsafe_runs = 1;
}

static void copy(struct wm_profile *to, const struct wm_profile *from)
{
	wm_profile_init(to);
	assert_int_equal(wm_profile_merge(to, from), WM_PROFILE_OK);
}

/* Profiles know only of whole runs: here the parts are those of one. */
static void add_part(struct wm_profile *sum, const struct wm_profile *part)
{
	assert_int_equal(wm_profile_merge(sum, part), WM_PROFILE_OK);
	sum->object[0].runs = sum->runs;
}

/* What an agent does: states while the program runs are settled, the last one is not. */
static void store_parts(struct wm_profile *sum, struct wm_profile *last, uint64_t *seed)
{
	struct wm_profile before, now, part;
	wm_profile_init(&before);
	wm_profile_init(&part);
	for (int i = 0; i < STATES; i++) {
		grow(last, seed, TIME + (uint64_t)i);
		copy(&now, last);
		if (i + 1 < STATES)
			wm_state_settle(&now);
		assert_int_equal(wm_increment(&part, &now, &before), WM_PROFILE_OK);
		add_part(sum, &part);
		wm_profile_release(&before);
		before = now;
	}
	wm_profile_release(&before);
	wm_profile_release(&part);
}

static void parts_add_up(void **state)
{
	(void)state;
	uint64_t seed = 4711;
	for (int i = 0; i < ROUNDS; i++) {
		struct wm_profile last, sum;
		first_state(&last, &seed);
		wm_profile_init(&sum);
		store_parts(&sum, &last, &seed);
		assert_int_equal(sum.object[0].function_count, last.object[0].function_count);
		check_profile(&sum, &last);
		wm_profile_release(&last);
		wm_profile_release(&sum);
	}
}

static void nothing_new_is_empty(void **state)
{
	(void)state;
	uint64_t seed = 5;
	struct wm_profile last, part;
	first_state(&last, &seed);
	grow(&last, &seed, TIME);
	wm_profile_init(&part);
	assert_int_equal(wm_increment(&part, &last, &last), WM_PROFILE_OK);
	assert_true(wm_increment_is_empty(&part));
	leave(&last.object[0].function[0], &seed);
	struct wm_profile before;
	copy(&before, &last);
	leave(&last.object[0].function[0], &seed);
	assert_int_equal(wm_increment(&part, &last, &before), WM_PROFILE_OK);
	assert_false(wm_increment_is_empty(&part));
	assert_int_equal(part.object[0].function_count, 1);
	assert_int_equal(part.object[0].function[0].unfinished_count, 1);
	wm_profile_release(&before);
	last.object[0].function[0].entries++;
	struct wm_profile none;
	wm_profile_init(&none);
	assert_int_equal(wm_increment(&part, &last, &none), WM_PROFILE_OK);
	assert_false(wm_increment_is_empty(&part));
	wm_profile_release(&last);
	wm_profile_release(&part);
}

/* Two states of one function with two paths. */
static void two_states(struct wm_profile *before, struct wm_profile *now)
{
	uint64_t seed = 9;
	wm_profile_init(before);
	struct wm_profile_object *object = wm_profile_append_object(before, (uint8_t[]){1}, 1);
	before->runs = object->runs = 1;
	struct wm_profile_function *f = add_function(object, &seed);
	f->entries = 10;
	assert_true(wm_function_append(f, 1, 4, 0) && wm_function_append(f, 2, 6, 0));
	assert_true(wm_unfinished_append(f, &(struct wm_unfinished_path){.sum = 1, .count = 3, .site = 1}));
	copy(now, before);
	now->object[0].function[0].entries = 15;
	now->object[0].function[0].path[1].count = 11;
}

static void expect_refusal(void (*spoil)(struct wm_profile *before, struct wm_profile *now))
{
	struct wm_profile before, now, part;
	two_states(&before, &now);
	wm_profile_init(&part);
	spoil(&before, &now);
	assert_int_equal(wm_increment(&part, &now, &before), WM_PROFILE_REFUSED);
	assert_int_equal(part.object_count, 0);
	wm_profile_release(&before);
	wm_profile_release(&now);
}

static void count_falls(struct wm_profile *before, struct wm_profile *now)
{
	(void)before;
	now->object[0].function[0].path[0].count--;
}

static void entries_fall(struct wm_profile *before, struct wm_profile *now)
{
	before->object[0].function[0].entries = now->object[0].function[0].entries + 1;
}

static void path_is_gone(struct wm_profile *before, struct wm_profile *now)
{
	(void)before;
	now->object[0].function[0].path_count--;
}

static void unfinished_paths_fall(struct wm_profile *before, struct wm_profile *now)
{
	(void)before;
	now->object[0].function[0].unfinished[0].count--;
}

static void unfinished_path_is_another(struct wm_profile *before, struct wm_profile *now)
{
	(void)before;
	now->object[0].function[0].unfinished[0].site++;
}

static void function_is_gone(struct wm_profile *before, struct wm_profile *now)
{
	(void)before;
	wm_function_release(&now->object[0].function[0]);
	now->object[0].function_count = 0;
}

static void other_program(struct wm_profile *before, struct wm_profile *now)
{
	(void)before;
	now->object[0].build_id[0]++;
}

static void doubt_before(struct wm_profile *before, struct wm_profile *now)
{
	(void)now;
	before->object[0].function[0].doubt = WM_DOUBT_LOST;
}

static void other_runs_are_refused(void **state)
{
	(void)state;
	expect_refusal(count_falls);
	expect_refusal(entries_fall);
	expect_refusal(path_is_gone);
	expect_refusal(unfinished_paths_fall);
	expect_refusal(unfinished_path_is_another);
	expect_refusal(function_is_gone);
	expect_refusal(other_program);
	expect_refusal(doubt_before);
}

/* A doubt that comes up later does not spoil what was stored: the rest is kept apart. */
static void late_doubt_is_kept_apart(void **state)
{
	(void)state;
	struct wm_profile before, now, part;
	two_states(&before, &now);
	now.object[0].function[0].doubt = WM_DOUBT_LOST;
	wm_profile_init(&part);
	assert_false(wm_state_is_certain(&now));
	assert_int_equal(wm_increment(&part, &now, &before), WM_PROFILE_OK);
	add_part(&before, &part);
	assert_int_equal(before.object[0].function_count, 2);
	const struct wm_profile_function *f = before.object[0].function;
	assert_true(!f[0].doubt && f[0].entries == 10 && f[1].doubt == WM_DOUBT_LOST && f[1].entries == 5);
	assert_true(f[1].path_count == 1 && f[1].path[0].count == 5);
	wm_profile_release(&before);
	wm_profile_release(&now);
	wm_profile_release(&part);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_add_up),
		cmocka_unit_test(nothing_new_is_empty),
		cmocka_unit_test(other_runs_are_refused),
		cmocka_unit_test(late_doubt_is_kept_apart),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
