/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Prime paths of random graphs, and their occurrences in random walks, against the definition. */
#include "core/primes/prime.h"
#include "test/core/random_graph.h"
#include "test/core/support.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_PATHS = 4000, LONGEST = 16, LONGEST_WALK = 60 };

struct path {
	uint32_t length, block[LONGEST];
};
static struct path simple[MOST_PATHS];
static uint32_t simple_count;

static bool has(const struct path *path, uint32_t block)
{
	for (uint32_t i = 0; i < path->length; i++)
		if (path->block[i] == block)
			return true;
	return false;
}

/* All simple paths, each by one more edge than another one.  False: too many. */
static bool list_simple(const struct wm_graph *graph, const struct wm_dfs *dfs)
{
	simple_count = 0;
	for (uint32_t b = 0; b < graph->block_count; b++)
		if (dfs->position[b] != WM_NONE)
			simple[simple_count++] = (struct path){1, {b}};
	for (uint32_t i = 0; i < simple_count; i++) {
		const struct path *path = &simple[i];
		uint32_t last = path->block[path->length - 1];
		bool closed = path->length > 1 && path->block[0] == last;
		for (uint32_t e = graph->first_edge[last]; e < graph->first_edge[last + 1] && !closed; e++) {
			uint32_t to = graph->edge_to[e];
			if (has(path, to) && to != path->block[0])
				continue;
			if (simple_count == MOST_PATHS || path->length == LONGEST)
				return false;
			simple[simple_count] = *path;
			simple[simple_count].block[simple[simple_count].length++] = to;
			simple_count++;
		}
	}
	return true;
}

static bool occurs_at(const struct path *path, const uint32_t *walk, uint32_t length, uint32_t at)
{
	return at + path->length <= length && !memcmp(walk + at, path->block, path->length * sizeof *walk);
}

static bool is_prime(const struct path *path)
{
	for (uint32_t i = 0; i < simple_count; i++)
		for (uint32_t at = 0; simple[i].length > path->length && at < simple[i].length; at++)
			if (occurs_at(path, simple[i].block, simple[i].length, at))
				return false;
	return true;
}

static bool is_listed(const struct wm_primes *primes, const struct path *path)
{
	for (uint32_t p = 0; p < primes->count; p++)
		if (primes->first[p + 1] - primes->first[p] == path->length &&
			!memcmp(primes->block + primes->first[p], path->block, path->length * sizeof *path->block))
			return true;
	return false;
}

static uint32_t occurrences(const struct wm_primes *primes, uint32_t p, const uint32_t *walk, uint32_t length)
{
	struct path path = {.length = primes->first[p + 1] - primes->first[p]};
	uint32_t count = 0;
	memcpy(path.block, primes->block + primes->first[p], path.length * sizeof *path.block);
	for (uint32_t at = 0; at < length; at++)
		count += occurs_at(&path, walk, length, at);
	return count;
}

static uint32_t random_walk(const struct wm_graph *graph, struct random *random, uint32_t *walk)
{
	uint32_t length = 0, block = 0;
	for (;;) {
		walk[length++] = block;
		uint32_t degree = graph->first_edge[block + 1] - graph->first_edge[block];
		if (!degree || length == LONGEST_WALK)
			return length;
		block = graph->edge_to[graph->first_edge[block] + random_below(random, degree)];
	}
}

/* Gives the walk in parts that overlap or only meet. */
static void count_parts(struct wm_prime_counter *counter, struct random *random, const uint32_t *walk, uint32_t length,
	uint32_t overlap)
{
	for (uint32_t done = 0; done < length;) {
		uint32_t more = 1 + random_below(random, length - done), back = done < overlap ? done : overlap;
		struct wm_walk_part part = {walk + done - back, back + more, back, done == back, 3};
		assert_int_equal(wm_prime_count(counter, &part), WM_OK);
		done += more;
	}
}

static struct {
	uint32_t graphs, primes, covered, exact, opened;
} seen;

static void check_walk(const struct wm_primes *primes, struct random *random, struct wm_arena *arena)
{
	uint32_t walk[LONGEST_WALK], length = random_walk(primes->graph, random, walk);
	struct wm_prime_counter whole, parts;
	assert_int_equal(wm_prime_counter_init(&whole, primes, arena), WM_OK);
	assert_int_equal(wm_prime_counter_init(&parts, primes, arena), WM_OK);
	assert_int_equal(wm_prime_count(&whole, &(struct wm_walk_part){walk, length, 0, true, 3}), WM_OK);
	count_parts(&parts, random, walk, length, random_below(random, 8));
	struct wm_prime_counter steps;
	struct wm_prime_walk at = {0};
	assert_int_equal(wm_prime_counter_init(&steps, primes, arena), WM_OK);
	for (uint32_t i = 0; i < length; i++)
		assert_int_equal(wm_prime_step(&steps, &at, walk[i], true), WM_OK);
	for (uint32_t p = 0; p < primes->count; p++) {
		uint64_t want = 3 * (uint64_t)occurrences(primes, p, walk, length);
		assert_int_equal(whole.count[p], want);
		assert_false(whole.open[p]);
		assert_int_equal(3 * steps.count[p], want);
		assert_true(parts.count[p] <= want);
		assert_true(parts.open[p] || parts.count[p] == want);
		seen.covered += want > 0;
		seen.exact += want > 0 && !parts.open[p];
		seen.opened += parts.open[p];
	}
}

static void as_defined(void **state)
{
	(void)state;
	for (uint32_t round = 0; round < 3000; round++) {
		struct random random = {round + 1};
		struct wm_arena arena;
		struct wm_graph graph;
		struct wm_dfs dfs;
		struct wm_primes primes;
		wm_arena_init(&arena);
		uint32_t size = 1 + random_below(&random, 9);
		assert_int_equal(random_graph(&graph, round % RANDOM_SHAPES, size, &random, &arena), WM_OK);
		assert_int_equal(wm_dfs_run(&dfs, &graph, &arena), WM_OK);
		if (graph.block_count < LONGEST && list_simple(&graph, &dfs)) {
			uint32_t expected = 0;
			assert_int_equal(wm_primes_find(&primes, &graph, MOST_PATHS, 1000000, &arena), WM_OK);
			assert_false(primes.too_many);
			for (uint32_t i = 0; i < simple_count; i++)
				if (is_prime(&simple[i])) {
					assert_true(is_listed(&primes, &simple[i]));
					expected++;
				}
			assert_int_equal(primes.count, expected);
			for (uint32_t i = 0; i < 5; i++)
				check_walk(&primes, &random, &arena);
			seen.graphs++;
			seen.primes += expected;
		}
		wm_arena_release(&arena);
	}
	assert_true(seen.graphs > 1000 && seen.primes > 5000 && seen.covered > 5000);
	assert_true(seen.exact > 1000 && seen.opened > 1000);
}

/* Above a limit nothing is listed. */
static void says_that_there_are_too_many(void **state)
{
	(void)state;
	struct wm_arena arena;
	struct wm_graph graph;
	struct wm_graph_builder builder;
	struct wm_primes primes;
	wm_arena_init(&arena);
	/* A chain of n choices has 2^n paths. */
	assert_int_equal(wm_graph_builder_init(&builder, &arena, 3 * 20 + 1), WM_OK);
	for (uint32_t i = 0; i < 20; i++) {
		uint32_t b = 3 * i;
		assert_int_equal(wm_graph_builder_add(&builder, (uint32_t[]){b + 1, b + 2}, 2, WM_END_NONE), WM_OK);
		assert_int_equal(wm_graph_builder_add(&builder, (uint32_t[]){b + 3}, 1, WM_END_NONE), WM_OK);
		assert_int_equal(wm_graph_builder_add(&builder, (uint32_t[]){b + 3}, 1, WM_END_NONE), WM_OK);
	}
	assert_int_equal(wm_graph_builder_add(&builder, NULL, 0, WM_END_RETURN), WM_OK);
	assert_int_equal(wm_graph_builder_finish(&builder, &graph), WM_OK);
	assert_int_equal(wm_primes_find(&primes, &graph, 1000, 1000000, &arena), WM_OK);
	assert_true(primes.too_many && primes.count == 0);
	assert_int_equal(wm_primes_find(&primes, &graph, UINT32_MAX, 1000, &arena), WM_OK);
	assert_true(primes.too_many && primes.count == 0);
	wm_arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_defined), cmocka_unit_test(says_that_there_are_too_many)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
