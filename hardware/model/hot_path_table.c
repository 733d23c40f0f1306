/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "hardware/model/hot_path_table.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_ENTRIES = 1 << 24, SUM_BITS = 32, LENGTH_BITS = 6 };

const struct wm_hw_table_config wm_hw_table_default = {
	.entries = 512,
	.ways = 4,
	.index = WM_HW_INDEX_XOR,
	.replacement = WM_HW_LFU,
	.metric = WM_HW_FREQUENCY,
	.counter_bits = 8,
};

static bool valid(const struct wm_hw_table_config *config)
{
	if (!config->ways || config->entries < config->ways || config->entries > MOST_ENTRIES)
		return false;
	uint32_t sets = config->entries / config->ways;
	return sets * config->ways == config->entries && !(sets & (sets - 1)) && config->counter_bits >= 1 &&
	       config->counter_bits <= 32 && config->metric < WM_HW_METRIC_COUNT;
}

enum wm_hw_status wm_hw_table_init(struct wm_hw_table *table, const struct wm_hw_table_config *config)
{
	if (!valid(config))
		return WM_HW_BAD_CONFIG;
	struct wm_hw_table_entry *entry = calloc(config->entries, sizeof(*entry));
	if (!entry)
		return WM_HW_NO_MEMORY;
	*table = (struct wm_hw_table){.config = *config, .entry = entry};
	return WM_HW_OK;
}

void wm_hw_table_release(struct wm_hw_table *table)
{
	free(table->entry);
	*table = (struct wm_hw_table){0};
}

void wm_hw_table_clear(struct wm_hw_table *table)
{
	memset(table->entry, 0, table->config.entries * sizeof(*table->entry));
	table->clock = 0;
}

static struct wm_hw_table_entry *set_of(const struct wm_hw_table *table, const struct wm_hw_path *path)
{
	uint64_t bits = path->start;
	if (table->config.index == WM_HW_INDEX_XOR) {
		bits ^= path->length ^ path->outcomes;
		bits ^= bits >> 8 ^ bits >> 16;
	}
	uint32_t sets = table->config.entries / table->config.ways;
	return &table->entry[(bits & (sets - 1)) * table->config.ways];
}

/* What the saturating counter of the path stack holds when the path is popped: increments
 * are never negative, so saturating at each step or at the end gives the same. */
static uint32_t counted(struct wm_hw_table *table, const struct wm_hw_finished *finished)
{
	uint64_t count = finished->events.count[table->config.metric];
	uint64_t most = (UINT64_C(1) << table->config.counter_bits) - 1;
	if (count <= most)
		return (uint32_t)count;
	table->stats.saturated_paths++;
	table->stats.saturated_events += count - most;
	return (uint32_t)most;
}

/* Free entries have used 0 and sum 0, so both policies take them first. */
static bool better_victim(
	const struct wm_hw_table *table, const struct wm_hw_table_entry *a, const struct wm_hw_table_entry *b)
{
	if (!a->used || !b->used)
		return !a->used && b->used;
	return table->config.replacement == WM_HW_LFU ? a->sum < b->sum : a->used < b->used;
}

static void replace_entry(
	struct wm_hw_table *table, struct wm_hw_table_entry *set, const struct wm_hw_path *path, uint32_t count)
{
	struct wm_hw_table_entry *victim = set;
	for (uint32_t i = 1; i < table->config.ways; i++)
		if (better_victim(table, &set[i], victim))
			victim = &set[i];
	table->stats.misses++;
	table->stats.replaced += victim->used != 0;
	*victim = (struct wm_hw_table_entry){.path = *path, .used = table->clock, .sum = count};
}

static void accumulate(struct wm_hw_table *table, struct wm_hw_table_entry *entry, uint32_t count)
{
	entry->used = table->clock;
	if (__builtin_add_overflow(entry->sum, count, &entry->sum)) {
		entry->sum = UINT32_MAX;
		table->stats.full_sums++;
	}
}

void wm_hw_table_update(struct wm_hw_table *table, const struct wm_hw_finished *finished, bool *missed)
{
	*missed = false;
	uint32_t count = counted(table, finished);
	if (!count)
		return;
	table->clock++;
	table->stats.updates++;
	struct wm_hw_table_entry *set = set_of(table, &finished->path);
	for (uint32_t i = 0; i < table->config.ways; i++)
		if (set[i].used && wm_hw_path_equal(&set[i].path, &finished->path)) {
			accumulate(table, &set[i], count);
			return;
		}
	*missed = true;
	replace_entry(table, set, &finished->path, count);
}

uint64_t wm_hw_table_total(const struct wm_hw_table *table)
{
	uint64_t total = 0;
	for (uint32_t i = 0; i < table->config.entries; i++)
		total += table->entry[i].sum;
	return total;
}

uint64_t wm_hw_table_bytes(const struct wm_hw_table_config *config, uint32_t address_bits)
{
	uint64_t bits = address_bits + LENGTH_BITS + WM_HW_MAX_BRANCHES + SUM_BITS;
	return (config->entries * bits + 7) / 8;
}

static double share(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

static double lesser(double a, double b)
{
	return a < b ? a : b;
}

double wm_hw_table_overlap(const struct wm_hw_table *table, const struct wm_hw_pathmap *complete)
{
	enum wm_hw_metric metric = table->config.metric;
	uint64_t total = wm_hw_table_total(table), all = wm_hw_pathmap_total(complete, metric);
	double sum = total || all ? 0 : 1;
	for (uint32_t i = 0; i < table->config.entries; i++) {
		const struct wm_hw_table_entry *e = &table->entry[i];
		const struct wm_hw_finished *exact = e->used ? wm_hw_pathmap_find(complete, &e->path) : NULL;
		if (exact)
			sum += lesser(share(e->sum, total), share(exact->events.count[metric], all));
	}
	return sum;
}

double wm_hw_metric_overlap(const struct wm_hw_pathmap *map, enum wm_hw_metric a, enum wm_hw_metric b)
{
	uint64_t all_a = wm_hw_pathmap_total(map, a), all_b = wm_hw_pathmap_total(map, b);
	double sum = all_a || all_b ? 0 : 1;
	for (size_t i = 0; i < map->count; i++)
		sum += lesser(share(map->path[i].events.count[a], all_a), share(map->path[i].events.count[b], all_b));
	return sum;
}
