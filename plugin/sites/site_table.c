/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plugin/sites/site_table.h"
#include "abi/unfinished.h"
#include "plugin/llvm/stack_maps.h"
#include <stddef.h>
#include <stdlib.h>

static uint64_t word_of(const struct wm_shim_value *low)
{
	return (uint32_t)low[0].displacement | (uint64_t)(uint32_t)low[1].displacement << 32;
}

/* Bundles that others have written do not have this form. */
static bool is_ours(const struct wm_shim_value *value)
{
	for (int i = 0; i < WM_SITE_SUM; i++)
		if (value[i].place != WM_SHIM_CONSTANT)
			return false;
	return true;
}

static bool stands(const struct wm_shim_value *value)
{
	return value[WM_SITE_NUMBER].displacement != 0;
}

static struct wm_return_site place_of(const struct wm_shim_value *sum)
{
	struct wm_return_site site = {.place = WM_PLACE_UNKNOWN, .size = sum->size <= 4 ? 4 : 8};
	switch (sum->place) {
	case WM_SHIM_CONSTANT:
		site.place = WM_PLACE_CONSTANT;
		site.missing = (uint64_t)(int64_t)sum->displacement;
		break;
	case WM_SHIM_REGISTER:
		site.place = WM_PLACE_REGISTER;
		site.base = (uint8_t)sum->dwarf_register;
		break;
	case WM_SHIM_MEMORY:
		site.place = WM_PLACE_STACK;
		site.base = (uint8_t)sum->dwarf_register;
		site.displacement = sum->displacement;
		break;
	case WM_SHIM_ELSEWHERE:
		break;
	}
	return site;
}

static struct wm_return_site site_of(const struct wm_shim_value *value)
{
	uint8_t bits = (uint8_t)value[WM_SITE_BITS].displacement;
	struct wm_return_site site =
		bits ? place_of(&value[WM_SITE_SUM]) : (struct wm_return_site){.place = WM_PLACE_UNKNOWN};
	site.key = word_of(&value[WM_SITE_KEY_LOW]);
	site.missing += word_of(&value[WM_SITE_MISSING_LOW]);
	site.site = (uint32_t)value[WM_SITE_NUMBER].displacement;
	site.bits = site.place == WM_PLACE_UNKNOWN || site.place == WM_PLACE_CONSTANT ? 64 : bits;
	if (site.place == WM_PLACE_CONSTANT && bits < 64)
		site.missing &= ((uint64_t)1 << bits) - 1;
	return site;
}

/* Of the functions in which the call is, outermost first; NULL: the bundle is not ours, or there are no more. */
static const struct wm_shim_value *bundle(const struct wm_shim_return *site, size_t f)
{
	if (site->count % WM_SITE_VALUES || f >= site->count / WM_SITE_VALUES)
		return NULL;
	const struct wm_shim_value *value = &site->value[f * WM_SITE_VALUES];
	return is_ours(value) ? value : NULL;
}

/* The sites of a table, and their functions. */
struct sites {
	uint32_t count, key_count;
	uint64_t *key;
};

static uint32_t key_of(struct sites *sites, uint64_t key)
{
	uint32_t k = 0;
	while (k < sites->key_count && sites->key[k] != key)
		k++;
	if (k == sites->key_count)
		sites->key[sites->key_count++] = key;
	return k;
}

static void each_site(const struct wm_shim_return *site, size_t count,
	void (*take)(void *closure, const struct wm_shim_value *value, size_t index), void *closure)
{
	for (size_t i = 0; i < count; i++) {
		const struct wm_shim_value *value;
		for (size_t f = 0; (value = bundle(&site[i], f)); f++)
			if (stands(value))
				take(closure, value, site[i].index);
	}
}

static void count_site(void *closure, const struct wm_shim_value *value, size_t index)
{
	(void)value;
	(void)index;
	((struct sites *)closure)->count++;
}

static void note_key(void *closure, const struct wm_shim_value *value, size_t index)
{
	(void)index;
	key_of(closure, word_of(&value[WM_SITE_KEY_LOW]));
}

struct printing {
	struct wm_shim_table *table;
	struct sites *sites;
	size_t last; /* index of the return address before */
};

static void print_site(void *closure, const struct wm_shim_value *value, size_t index)
{
	struct printing *printing = closure;
	struct wm_return_site site = site_of(value);
	uint8_t bytes[WM_SITE_MOST];
	uint8_t *end = wm_site_put(bytes, &site, key_of(printing->sites, site.key));
	wm_shim_table_distance(printing->table, printing->last, index);
	wm_shim_table_bytes(printing->table, bytes, (size_t)(end - bytes));
	printing->last = index;
}

/* Without memory the table is empty, and nothing is known of the calls. */
void wm_plugin_print_sites(struct wm_shim_table *table, const struct wm_shim_return *site, size_t count)
{
	struct sites sites = {0};
	struct printing printing = {table, &sites, 0};
	each_site(site, count, count_site, &sites);
	sites.key = sites.count ? malloc(sites.count * sizeof *sites.key) : NULL;
	if (!sites.key)
		return;
	each_site(site, count, note_key, &sites);
	wm_shim_table_start(table);
	wm_shim_table_bytes(table, &sites.count, sizeof sites.count);
	wm_shim_table_bytes(table, &sites.key_count, sizeof sites.key_count);
	wm_shim_table_bytes(table, sites.key, sites.key_count * sizeof *sites.key);
	each_site(site, count, print_site, &printing);
	free(sites.key);
}
