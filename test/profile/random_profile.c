/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test/profile/testing.h"

#include "abi/abi.h"
#include "profile/base/scheme_name.h"
#include "profile/base/unfinished_paths.h"
#include "profile/collect.h"
#include "test/profile/random_profile.h"

#include <stdio.h>
#include <stdlib.h>

/* As from versions 3, 5, 8 and 9 on. */
struct features {
	bool facts, sources, named, unfinished;
};

static void random_unfinished(uint64_t *seed, struct wm_profile_function *f)
{
	uint32_t limit = 1u << random_below(seed, 32);
	for (uint32_t i = random_below(seed, 9); i; i--) {
		struct wm_unfinished_path path = {.sum = random_below(seed, 4) ? random_below(seed, limit) : 0,
			.count = 1 + random_below(seed, 300),
			.site = 1 + random_below(seed, 3)};
		path.sum = random_below(seed, 8) ? path.sum : UINT64_MAX - random_below(seed, 2);
		path.site = random_below(seed, 3) ? path.site : WM_SITE_BLOCK | random_below(seed, limit);
		assert_true(wm_unfinished_append(f, &path));
	}
}

static void random_function(uint64_t *seed, struct wm_profile_function *f, struct features features)
{
	*f = (struct wm_profile_function){.key = random_below(seed, 40) * 0x123456789ABCDull,
		.graph_hash = random_below(seed, 2),
		.flags = random_below(seed, 3) | (random_below(seed, 4) ? 0 : WM_FUNC_RESIDUAL)};
	/* Records that differ in the name alone are one. */
	f->scheme =
		features.named ? wm_scheme_name(f->graph_hash ? "kiter=999,sequences" : "acyclic") : WM_SCHEME_UNNAMED;
	f->source = features.sources ? f->key ^ random_below(seed, 2) : 0;
	f->entries = random_below(seed, 3) ? random_next(seed) >> 20 : 0;
	f->resumed = random_below(seed, 8) ? 0 : 5;
	f->base_entries = random_below(seed, 8) ? 0 : 500;
	f->base_resumed = random_below(seed, 8) ? 0 : 600;
	f->lost = random_below(seed, 8) ? 0 : 1;
	f->doubt = random_below(seed, 8) ? 0 : WM_DOUBT_THREADS;
	uint32_t paths = random_below(seed, 12), limit = 1u << random_below(seed, 30);
	for (uint32_t i = 0; i < paths; i++) {
		struct wm_counted_path path = {.id = random_below(seed, limit),
			.count = 1 + random_below(seed, 1000),
			.base = random_below(seed, 8) ? 0 : 7};
		if (f->flags & WM_FUNC_RESIDUAL && random_below(seed, 8)) {
			path.first_seen = 1700000000000000 + random_below(seed, 100);
			path.pid = 1 + random_below(seed, 5);
		}
		assert_true(wm_function_append_path(f, &path));
	}
	if (features.unfinished && !random_below(seed, 3))
		random_unfinished(seed, f);
}

static void random_facts(uint64_t *seed, struct wm_profile_object *object)
{
	object->runs = 1 + random_below(seed, 9);
	if (object->build_id_size)
		snprintf(object->program, sizeof(object->program), "program-%d", object->build_id[1]);
	for (uint64_t time = 0; random_below(seed, 3); time += random_below(seed, 2))
		assert_true(wm_object_append_doubtful(
			object, &(struct wm_doubtful_run){time, time * time, WM_DOUBT_THREADS}));
}

void random_profile(uint64_t *seed, struct wm_profile *profile)
{
	struct features features = {
		random_below(seed, 2), random_below(seed, 2), random_below(seed, 2), random_below(seed, 2)};
	wm_profile_init(profile);
	profile->any_program = features.facts && random_below(seed, 2);
	profile->runs = random_below(seed, 5);
	profile->kill_unsafe_runs = random_below(seed, 2);
	for (uint8_t id = 0; id < 4; id++) {
		if (random_below(seed, 2))
			continue;
		struct wm_profile_object *object = wm_profile_append_object(profile, (uint8_t[]){7, id}, id ? 2 : 0);
		assert_non_null(object);
		uint32_t count = random_below(seed, 20);
		object->function = calloc(count + 1, sizeof(*object->function));
		assert_non_null(object->function);
		object->function_capacity = count + 1;
		object->function_count = count;
		for (uint32_t i = 0; i < count; i++)
			random_function(seed, &object->function[i], features);
		assert_true(wm_object_sort(object));
		if (features.facts)
			random_facts(seed, object);
	}
}

static void check_function(const struct wm_profile_function *a, const struct wm_profile_function *b)
{
	assert_int_equal(wm_function_compare(a, b), 0);
	assert_true(a->source == b->source);
	assert_int_equal(a->scheme, b->scheme);
	assert_true(a->doubt == b->doubt && a->entries == b->entries && a->resumed == b->resumed && a->lost == b->lost);
	assert_true(a->base_entries == b->base_entries && a->base_resumed == b->base_resumed);
	assert_int_equal(a->path_count, b->path_count);
	for (size_t i = 0; i < a->path_count; i++)
		assert_true(a->path[i].id == b->path[i].id && a->path[i].count == b->path[i].count &&
			    a->path[i].base == b->path[i].base && a->path[i].first_seen == b->path[i].first_seen &&
			    a->path[i].pid == b->path[i].pid);
	assert_int_equal(a->unfinished_count, b->unfinished_count);
	for (size_t i = 0; i < a->unfinished_count; i++)
		assert_true(!wm_unfinished_compare(&a->unfinished[i], &b->unfinished[i]) &&
			    a->unfinished[i].count == b->unfinished[i].count);
}

static bool is_empty(const struct wm_profile_function *f)
{
	return !f->path_count && !f->unfinished_count && !f->entries && !f->resumed && !f->base_entries &&
	       !f->base_resumed && !f->lost && !f->doubt;
}

void check_object(const struct wm_profile_object *a, const struct wm_profile_object *b)
{
	size_t i = 0, j = 0;
	assert_int_equal(wm_object_compare(a, b), 0);
	for (;;) {
		while (i < a->function_count && is_empty(&a->function[i]))
			i++;
		while (j < b->function_count && is_empty(&b->function[j]))
			j++;
		if (i == a->function_count || j == b->function_count)
			break;
		check_function(&a->function[i++], &b->function[j++]);
	}
	assert_true(i == a->function_count && j == b->function_count);
}

static void check_facts(const struct wm_profile_object *a, const struct wm_profile_object *b)
{
	assert_string_equal(a->program, b->program);
	assert_true(a->runs == b->runs);
	assert_int_equal(a->doubtful_count, b->doubtful_count);
	for (size_t i = 0; i < a->doubtful_count; i++)
		assert_int_equal(wm_doubtful_run_compare(&a->doubtful[i], &b->doubtful[i]), 0);
}

void check_profile(const struct wm_profile *a, const struct wm_profile *b)
{
	assert_true(a->runs == b->runs && a->kill_unsafe_runs == b->kill_unsafe_runs);
	assert_int_equal(a->any_program, b->any_program);
	assert_int_equal(a->object_count, b->object_count);
	for (size_t i = 0; i < a->object_count; i++) {
		check_object(&a->object[i], &b->object[i]);
		check_facts(&a->object[i], &b->object[i]);
	}
}
