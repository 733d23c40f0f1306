/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Memory runs out at every allocation in turn: the library says so, and releases everything.
 * Linked with --wrap for malloc, calloc, realloc and free.
 */
#include "test/library/sample.h"

#include <stdlib.h>
#include <string.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void __wrap_free(void *memory);

/* Allocations that still succeed; negative: all. */
static long allowed = -1;
/* What was allocated here and not freed.  Memory of other libraries is not in it. */
enum { MOST = 1 << 16 };
static void *live[MOST];
static size_t live_count;

static bool may_allocate(void)
{
	return allowed < 0 || (allowed && allowed--);
}

static void *note(void *memory)
{
	if (memory && live_count == MOST)
		abort();
	if (memory)
		live[live_count++] = memory;
	return memory;
}

static void forget(const void *memory)
{
	for (size_t i = live_count; i-- > 0;)
		if (live[i] == memory) {
			live[i] = live[--live_count];
			return;
		}
}

void *__wrap_malloc(size_t size)
{
	return may_allocate() ? note(__real_malloc(size)) : NULL;
}

void *__wrap_calloc(size_t count, size_t size)
{
	return may_allocate() ? note(__real_calloc(count, size)) : NULL;
}

void *__wrap_realloc(void *old, size_t size)
{
	if (!may_allocate())
		return NULL;
	forget(old);
	return note(__real_realloc(old, size));
}

void __wrap_free(void *memory)
{
	forget(memory);
	__real_free(memory);
}

/* The status of opening the files, or of the first trail that cannot be told. */
static enum waymark_status read_all(const struct sample *sample, struct waymark_error *error)
{
	struct waymark *counts;
	enum waymark_status status = sample_read(sample->profile.path, sample->binary.path, &counts, error);
	if (status)
		return status;
	const struct waymark_function *function = waymark_function_at(counts, 0);
	for (size_t i = 0; i < waymark_path_count(function) && !status; i++) {
		struct waymark_trail *trail;
		status = waymark_trail_new(counts, function, waymark_path_at(function, i), &trail, error);
		if (!status && i % 2)
			waymark_trail_free(trail);
	}
	if (status)
		assert_int_equal(waymark_trail_new(counts, function, waymark_path_at(function, 0), NULL, NULL), status);
	waymark_close(counts);
	return status;
}

static void releases_everything(void **state)
{
	struct sample sample;
	struct waymark_error error;
	enum waymark_status status = WAYMARK_NO_MEMORY;
	long room = 0;
	(void)state;
	sample_open(&sample, NULL);
	size_t before = live_count;
	for (; status; room++) {
		allowed = room;
		status = read_all(&sample, &error);
		allowed = -1;
		assert_int_equal(live_count, before);
		if (status && (status != WAYMARK_NO_MEMORY || !strstr(error.text, "out of memory")))
			fail_msg("after %ld allocations: status %d, %s", room, status, error.text);
	}
	assert_true(room > 30); /* there are at least so many */
	sample_close(&sample);
}

/* What a trail needs for itself is gone with it. */
static void does_not_grow_with_trails(void **state)
{
	struct sample sample;
	struct waymark *counts;
	(void)state;
	sample_open(&sample, NULL);
	assert_int_equal(sample_read(sample.profile.path, sample.binary.path, &counts, NULL), WAYMARK_OK);
	const struct waymark_function *function = waymark_function_at(counts, 0);
	size_t before = 0;
	for (int i = 0; i < 10; i++) {
		struct waymark_trail *trail;
		assert_int_equal(
			waymark_trail_new(counts, function, waymark_path_at(function, 0), &trail, NULL), WAYMARK_OK);
		waymark_trail_free(trail);
		before = i ? before : live_count;
		assert_int_equal(live_count, before);
	}
	waymark_close(counts);
	sample_close(&sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(releases_everything),
		cmocka_unit_test(does_not_grow_with_trails),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
