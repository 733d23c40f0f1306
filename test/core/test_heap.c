/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A heap has exactly what was allocated from it and not freed.  Under ASan, every mistake is an error of the allocator. */
#include "core/base/heap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
/* After those it needs. */
#include <cmocka.h>

enum { SLOTS = 600, ROUNDS = 200000 };

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

static void *change(void *memory, uint32_t how)
{
	switch (how % 4) {
	case 0:
		free(memory);
		return NULL;
	case 1:
		return realloc(memory, 1 + how % 3000);
	case 2:
		free(memory);
		return calloc(1 + how % 40, 16);
	default:
		free(memory);
		return strdup("text");
	}
}

static void knows_what_is_allocated(void **state)
{
	static void *slot[SLOTS];
	struct wm_heap heap = {0};
	uint32_t seed = 5;
	size_t live = 0;
	(void)state;
	assert_null(wm_heap_use(&heap));
	for (size_t i = 0; i < ROUNDS; i++) {
		void **at = &slot[next_random(&seed) % SLOTS];
		live -= *at != NULL;
		*at = change(*at, next_random(&seed));
		live += *at != NULL;
		assert_int_equal(heap.count, live);
	}
	assert_ptr_equal(wm_heap_use(NULL), &heap);
	assert_true(live > SLOTS / 2);
	wm_heap_release(&heap);
	assert_int_equal(heap.count, 0);
}

static void leaves_other_memory_alone(void **state)
{
	struct wm_heap heap = {0};
	char *outside = malloc(10), *moved = malloc(10), *adopted = malloc(10);
	(void)state;
	wm_heap_use(&heap);
	free(outside);
	moved = realloc(moved, 100000);
	assert_int_equal(heap.count, 0);
	assert_ptr_equal(wm_heap_adopt(adopted), adopted);
	char *inside = malloc(10);
	wm_heap_use(NULL);
	assert_int_equal(heap.count, 2);
	wm_heap_release(&heap); /* `adopted` and `inside` */
	(void)inside;
	moved[99999] = 1;
	free(moved);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(knows_what_is_allocated),
		cmocka_unit_test(leaves_other_memory_alone),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
