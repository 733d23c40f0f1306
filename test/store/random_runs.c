/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test/store/random_runs.h"

#include "abi/abi.h"
#include "abi/sequence.h"
#include "profile/base/unfinished_paths.h"
#include "profile/collect.h"
#include "support/terminal.h"
#include "support/xalloc.h"
#include "test/profile/random_profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *server;
static char file[] = "/tmp/wm-test-store-XXXXXX";

const char *name_of_store(void)
{
	return server ? server : file;
}

int run_store_tests(const char *url, const struct CMUnitTest *tests, size_t count)
{
	wm_terminal_use();
	server = url;
	if (!server)
		close(mkstemp(file));
	int status = _cmocka_run_group_tests("store", tests, count, NULL, NULL);
	if (!server)
		unlink(file);
	return status;
}

bool store_is_on_server(void)
{
	return server;
}

void drop_store(void)
{
	if (server) {
		struct wm_profile_store *old = wm_store_open(server, WM_DATABASE_CREATE);
		old->database->base.kind->execute(old->database, "DROP SCHEMA IF EXISTS waymark CASCADE");
		wm_store_close(old);
	} else {
		unlink(file);
	}
}

struct wm_profile_store *new_store(void)
{
	drop_store();
	struct wm_profile_store *store = wm_store_open(name_of_store(), WM_DATABASE_CREATE);
	wm_store_init(store, NULL);
	return store;
}

/* What a profile is without the functions of which there is nothing to say, as an indexed profile has it. */
static void drop_unworthy(struct wm_profile *profile)
{
	for (size_t o = 0; o < profile->object_count; o++) {
		struct wm_profile_object *object = &profile->object[o];
		size_t kept = 0;
		for (size_t f = 0; f < object->function_count; f++) {
			if (wm_function_is_worth_storing(&object->function[f]))
				object->function[kept++] = object->function[f];
			else
				wm_function_release(&object->function[f]);
		}
		object->function_count = kept;
	}
}

/* Saturated counts, and all bits of an id and of a sum. */
static void add_extremes(uint64_t *seed, struct wm_profile *profile)
{
	static const uint64_t number[] = {1, INT64_MAX, UINT64_C(1) << 63, UINT64_MAX - 1, UINT64_MAX};
	for (size_t o = 0; o < profile->object_count; o++)
		for (size_t f = 0; f < profile->object[o].function_count; f++) {
			struct wm_profile_function *function = &profile->object[o].function[f];
			if (random_below(seed, 4))
				continue;
			function->entries = number[random_below(seed, 5)];
			for (unsigned i = random_below(seed, 3); i; i--) {
				uint64_t id = number[random_below(seed, 5)] - random_below(seed, 2);
				assert_true(wm_function_append(function, id, number[random_below(seed, 5)], 0));
			}
			wm_function_sort(function);
			struct wm_unfinished_path path = {
				number[random_below(seed, 5)], number[random_below(seed, 5)], UINT32_MAX};
			if (function->unfinished_count)
				assert_true(wm_unfinished_append(function, &path));
			wm_unfinished_sort(function);
		}
}

/* Names of paths, which are not added; those of one path seldom differ. */
static void add_names(uint64_t *seed, struct wm_profile *profile)
{
	for (size_t o = 0; o < profile->object_count; o++)
		for (size_t f = 0; f < profile->object[o].function_count; f++) {
			struct wm_profile_function *function = &profile->object[o].function[f];
			uint64_t id = WM_NAME_BIT | random_below(seed, 2),
				 name = UINT64_MAX - id + !random_below(seed, 200);
			if (!random_below(seed, 4))
				assert_true(wm_function_append(function, id, name, random_below(seed, 2) ? name : 0));
			wm_function_sort(function);
		}
}

void settle_kinds(struct wm_profile *profile, bool tests)
{
	for (size_t o = 0; o < profile->object_count; o++) {
		struct wm_profile_object *object = &profile->object[o];
		object->runs = object->runs ? 1 : 0;
		for (size_t f = 0; f < object->function_count; f++) {
			struct wm_profile_function *function = &object->function[f];
			bool residual = !tests && (function->key + function->graph_hash) % 4 == 0;
			function->flags &= ~(uint32_t)WM_FUNC_RESIDUAL;
			function->flags |= residual ? WM_FUNC_RESIDUAL : 0;
			for (size_t i = 0; i < function->path_count && !residual; i++)
				function->path[i].first_seen = function->path[i].pid = 0;
		}
		assert_true(wm_object_sort(object));
	}
}

static bool has_both(const struct wm_profile *profile)
{
	return profile->object_count == 2 && profile->object[0].build_id[1] == 1 && profile->object[1].build_id[1] == 2;
}

void random_run(uint64_t *seed, struct wm_profile *profile, size_t number, bool tame)
{
	random_profile(seed, profile);
	while (!profile->object_count || (tame && !has_both(profile))) {
		wm_profile_release(profile);
		random_profile(seed, profile);
	}
	profile->runs = 1;
	settle_kinds(profile, false);
	if (!tame || !random_below(seed, 8))
		add_extremes(seed, profile);
	add_names(seed, profile);
	drop_unworthy(profile);
	struct wm_run_id id = {random_next(seed), number + 1, random_below(seed, 3), 0,
		1790000000 + random_below(seed, tame ? 1000 : 500000)};
	free(profile->run_id);
	profile->run_id = NULL;
	profile->run_id_count = profile->run_id_capacity = 0;
	assert_true(wm_profile_append_run_id(profile, &id));
}

static void check_equal(const struct wm_profile *a, const struct wm_profile *b)
{
	uint8_t *x, *y;
	size_t x_size, y_size;
	assert_int_equal(wm_indexed_write(a, &x, &x_size), 0);
	assert_int_equal(wm_indexed_write(b, &y, &y_size), 0);
	check_profile(a, b);
	assert_int_equal(x_size, y_size);
	assert_memory_equal(x, y, x_size);
	free(x);
	free(y);
}

void check_store(struct wm_profile_store *store, const char *filter, const struct wm_profile *wanted)
{
	struct wm_profile found;
	struct wm_store_url url;
	char *text = wm_xprintf("x#%s", filter);
	wm_store_url_parse(&url, text, 1790000000);
	wm_profile_init(&found);
	wm_store_load(store, &url.filter, &found);
	check_equal(&found, wanted);
	wm_profile_release(&found);
	wm_store_url_release(&url);
	free(text);
}

enum wm_push_result push(struct wm_profile_store *store, const struct wm_profile *profile, const char *labels)
{
	struct wm_label_list list = {0};
	char *reason;
	if (*labels)
		wm_label_list_parse(&list, labels);
	struct wm_push_facts facts = {.labels = &list, .machine = "m1", .now = 1790600000};
	enum wm_push_result result = wm_store_push(store, profile, &facts, &reason);
	assert_int_equal(result == WM_PUSH_REFUSED || result == WM_PUSH_UNSURE, reason != NULL);
	free(reason);
	wm_label_list_release(&list);
	return result;
}
