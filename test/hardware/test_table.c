/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The hot path table and the complete profile against naive references, on random traces. */
#include "test/core/support.h"
#include "test/hardware/reference.h"
#include <stdlib.h>
#include <string.h>

/* A table as a list in the order of use, newest last; the set is recomputed from the
 * definition, bit by bit. */
struct naive {
	struct wm_hw_table_config config;
	struct wm_hw_table_entry list[4096];
	size_t count;
};

static uint32_t naive_set(const struct naive *naive, const struct wm_hw_path *path)
{
	uint32_t set = 0;
	for (uint32_t bit = 0; 1u << bit < naive->config.entries / naive->config.ways; bit++) {
		uint64_t parity = path->start >> bit;
		if (naive->config.index == WM_HW_INDEX_XOR)
			for (unsigned distance = 0; distance <= 16; distance += 8)
				parity ^= (distance ? path->start >> (bit + distance) : 0) ^
					  (uint64_t)path->length >> (bit + distance) ^
					  (uint64_t)path->outcomes >> (bit + distance);
		set |= (uint32_t)(parity & 1) << bit;
	}
	return set;
}

static void naive_move_last(struct naive *naive, size_t at)
{
	struct wm_hw_table_entry entry = naive->list[at];
	memmove(&naive->list[at], &naive->list[at + 1], (naive->count - 1 - at) * sizeof(entry));
	naive->list[naive->count - 1] = entry;
}

/* The entry of the set that goes when the set is full; the list's length otherwise. */
static size_t naive_victim(const struct naive *naive, uint32_t set)
{
	size_t victim = naive->count, members = 0;
	for (size_t i = 0; i < naive->count; i++) {
		if (naive_set(naive, &naive->list[i].path) != set)
			continue;
		members++;
		if (victim == naive->count ||
			(naive->config.replacement == WM_HW_LFU && naive->list[i].sum < naive->list[victim].sum))
			victim = i;
	}
	return members < naive->config.ways ? naive->count : victim;
}

static void naive_update(struct naive *naive, const struct wm_hw_finished *finished)
{
	uint64_t count = finished->events.count[naive->config.metric];
	uint64_t most = (UINT64_C(1) << naive->config.counter_bits) - 1;
	count = count > most ? most : count;
	if (!count)
		return;
	for (size_t i = 0; i < naive->count; i++)
		if (!memcmp(&naive->list[i].path, &finished->path, sizeof(finished->path))) {
			naive->list[i].sum += (uint32_t)count;
			naive_move_last(naive, i);
			return;
		}
	size_t victim = naive_victim(naive, naive_set(naive, &finished->path));
	naive->count += victim == naive->count;
	naive->list[victim] = (struct wm_hw_table_entry){.path = finished->path, .sum = (uint32_t)count};
	naive_move_last(naive, victim);
}

static const struct wm_hw_table_entry *find(const struct wm_hw_table *table, const struct wm_hw_path *path)
{
	for (uint32_t i = 0; i < table->config.entries; i++)
		if (table->entry[i].used && wm_hw_path_equal(&table->entry[i].path, path))
			return &table->entry[i];
	return NULL;
}

static void compare_tables(const struct naive *naive, const struct wm_hw_table *table)
{
	size_t used = 0;
	for (uint32_t i = 0; i < table->config.entries; i++)
		used += table->entry[i].used != 0;
	assert_int_equal(used, naive->count);
	for (size_t i = 0; i < naive->count; i++) {
		const struct wm_hw_table_entry *entry = find(table, &naive->list[i].path);
		assert_non_null(entry);
		assert_int_equal(entry->sum, naive->list[i].sum);
	}
}

/* LFU breaks ties by position in the set, which a list in the order of use cannot know: the
 * metric has values from a wide range, and rounds with a tie at a replacement are skipped. */
static bool ties(const struct naive *naive, const struct wm_hw_path *path)
{
	uint32_t set = naive_set(naive, path);
	size_t victim = naive_victim(naive, set);
	for (size_t i = 0; naive->config.replacement == WM_HW_LFU && victim < naive->count && i < naive->count; i++)
		if (i != victim && naive_set(naive, &naive->list[i].path) == set &&
			naive->list[i].sum == naive->list[victim].sum)
			return true;
	return false;
}

static void random_paths(struct paths *paths, uint64_t *seed)
{
	struct trace trace;
	struct wm_hw_detector_config config = {
		.control = wm_hw_ball_larus, .stack_entries = 32, .overflow = WM_HW_SPILL};
	config.control.max_branches = 1 + random_next(seed) % 6;
	trace_random(&trace, seed, 4000);
	for (size_t i = 0; i < trace.count; i++)
		trace.branch[i].events.count[WM_HW_ENERGY] = random_next(seed) % 100000;
	detector_paths(paths, &trace, &config);
	trace_release(&trace);
}

static void test_replacement(void **state)
{
	uint64_t seed = 3;
	size_t updates = 0, replaced = 0;
	(void)state;
	for (unsigned round = 0; round < 200; round++) {
		struct naive *naive = calloc(1, sizeof(*naive));
		struct wm_hw_table table;
		struct paths paths = {0};
		naive->config = (struct wm_hw_table_config){.ways = 1 + round % 5,
			.index = round % 2,
			.replacement = round / 2 % 2,
			.metric = round / 4 % 2 ? WM_HW_ENERGY : WM_HW_L2_MISSES,
			.counter_bits = round / 4 % 2 ? 20 : 7};
		naive->config.entries = naive->config.ways << round % 6;
		assert_int_equal(wm_hw_table_init(&table, &naive->config), WM_HW_OK);
		random_paths(&paths, &seed);
		for (size_t i = 0; i < paths.count && !ties(naive, &paths.path[i].path); i++) {
			bool missed;
			wm_hw_table_update(&table, &paths.path[i], &missed);
			naive_update(naive, &paths.path[i]);
		}
		compare_tables(naive, &table);
		updates += table.stats.updates;
		replaced += table.stats.replaced;
		wm_hw_table_release(&table);
		paths_release(&paths);
		free(naive);
	}
	assert_true(updates > 10000 && replaced > 1000);
}

/* Every path and metric, from the list of finished paths. */
static void test_complete(void **state)
{
	uint64_t seed = 5;
	(void)state;
	for (unsigned round = 0; round < 50; round++) {
		struct wm_hw_pathmap map;
		struct paths paths = {0};
		assert_int_equal(wm_hw_pathmap_init(&map), WM_HW_OK);
		random_paths(&paths, &seed);
		for (size_t i = 0; i < paths.count; i++)
			assert_int_equal(wm_hw_pathmap_add(&map, &paths.path[i]), WM_HW_OK);
		size_t distinct = 0;
		for (size_t i = 0; i < paths.count; i++) {
			struct wm_hw_events sum = {0};
			bool first = true;
			for (size_t j = 0; j < paths.count; j++) {
				if (!wm_hw_path_equal(&paths.path[i].path, &paths.path[j].path))
					continue;
				first = first && j >= i;
				wm_hw_events_add(&sum, &paths.path[j].events);
			}
			distinct += first;
			assert_memory_equal(&wm_hw_pathmap_find(&map, &paths.path[i].path)->events, &sum, sizeof(sum));
		}
		assert_int_equal(map.count, distinct);
		paths_release(&paths);
		wm_hw_pathmap_release(&map);
	}
}

static struct wm_hw_finished path_of(uint64_t start, uint64_t count)
{
	struct wm_hw_finished finished = {.path.start = start};
	finished.events.count[WM_HW_FREQUENCY] = 1;
	finished.events.count[WM_HW_INSTRUCTIONS] = count;
	return finished;
}

/* Complete: 60, 30, 10.  A table of one entry that saw 60 and then 30 holds 30 alone. */
static void test_overlap(void **state)
{
	struct wm_hw_table_config config = wm_hw_table_default;
	struct wm_hw_table table;
	struct wm_hw_pathmap map;
	bool missed;
	(void)state;
	config.entries = config.ways = 1;
	config.metric = WM_HW_INSTRUCTIONS;
	assert_int_equal(wm_hw_table_init(&table, &config), WM_HW_OK);
	assert_int_equal(wm_hw_pathmap_init(&map), WM_HW_OK);
	assert_true(wm_hw_table_overlap(&table, &map) == 1);
	const struct wm_hw_finished paths[] = {path_of(1, 10), path_of(2, 60), path_of(3, 30)};
	for (size_t i = 0; i < COUNT(paths); i++) {
		assert_int_equal(wm_hw_pathmap_add(&map, &paths[i]), WM_HW_OK);
		wm_hw_table_update(&table, &paths[i], &missed);
		assert_true(missed);
	}
	assert_true(wm_hw_table_overlap(&table, &map) == 0.3);
	/* Shares by frequency are a third each: .3 and a third, .1 and … */
	double want = 0.1 + 1.0 / 3 + 0.3;
	double got = wm_hw_metric_overlap(&map, WM_HW_FREQUENCY, WM_HW_INSTRUCTIONS);
	assert_true(got > want - 1e-12 && got < want + 1e-12);
	uint32_t *order = wm_hw_pathmap_order(&map, WM_HW_INSTRUCTIONS);
	assert_true(order[0] == 1 && order[1] == 2 && order[2] == 0);
	free(order);
	wm_hw_table_release(&table);
	wm_hw_pathmap_release(&map);
}

static void test_saturation(void **state)
{
	struct wm_hw_table_config config = wm_hw_table_default;
	struct wm_hw_table table;
	bool missed;
	(void)state;
	config.metric = WM_HW_INSTRUCTIONS;
	assert_int_equal(wm_hw_table_init(&table, &config), WM_HW_OK);
	struct wm_hw_finished path = path_of(1, 300);
	wm_hw_table_update(&table, &path, &missed);
	assert_int_equal(wm_hw_table_total(&table), 255);
	assert_int_equal(table.stats.saturated_paths, 1);
	assert_int_equal(table.stats.saturated_events, 45);
	path = path_of(1, 0);
	wm_hw_table_update(&table, &path, &missed);
	assert_int_equal(table.stats.updates, 1);
	wm_hw_table_release(&table);
	/* Accumulators stop at 2^32 - 1. */
	config.counter_bits = 32;
	assert_int_equal(wm_hw_table_init(&table, &config), WM_HW_OK);
	path = path_of(1, UINT32_MAX - 1);
	wm_hw_table_update(&table, &path, &missed);
	wm_hw_table_update(&table, &path, &missed);
	assert_int_equal(wm_hw_table_total(&table), UINT32_MAX);
	assert_int_equal(table.stats.full_sums, 1);
	wm_hw_table_release(&table);
}

static void test_config(void **state)
{
	struct wm_hw_table table;
	(void)state;
	/* The thesis: about 7 KB with 32-bit addresses. */
	assert_int_equal(wm_hw_table_bytes(&wm_hw_table_default, 32), 6528);
	assert_int_equal(wm_hw_table_bytes(&wm_hw_table_default, 48), 7552);
	static const uint32_t bad[][3] = {{512, 0, 8}, {512, 3, 8}, {2, 4, 8}, {96, 2, 8}, {512, 4, 0}, {512, 4, 33}};
	for (size_t i = 0; i < COUNT(bad); i++) {
		struct wm_hw_table_config config = wm_hw_table_default;
		config.entries = bad[i][0];
		config.ways = bad[i][1];
		config.counter_bits = bad[i][2];
		assert_int_equal(wm_hw_table_init(&table, &config), WM_HW_BAD_CONFIG);
	}
	for (unsigned i = 0; i < WM_HW_METRIC_COUNT; i++)
		assert_int_equal(wm_hw_metric_find(wm_hw_metric_name((enum wm_hw_metric)i)), i);
	assert_int_equal(wm_hw_metric_find("heat"), WM_HW_METRIC_COUNT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_replacement),
		cmocka_unit_test(test_complete),
		cmocka_unit_test(test_overlap),
		cmocka_unit_test(test_saturation),
		cmocka_unit_test(test_config),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
