/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plugin/sites/site_table.h"
#include "abi/unfinished.h"
#include "plugin/llvm/stack_maps.h"
#include <stddef.h>

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

static struct wm_site place_of(const struct wm_shim_value *sum)
{
	struct wm_site site = {.place = WM_PLACE_UNKNOWN,
		.base = (uint8_t)sum->dwarf_register,
		.size = sum->size <= 4 ? 4 : 8,
		.displacement = sum->displacement};
	switch (sum->place) {
	case WM_SHIM_CONSTANT:
		return (struct wm_site){.place = WM_PLACE_CONSTANT, .missing = (uint64_t)(int64_t)sum->displacement};
	case WM_SHIM_REGISTER:
		site.place = WM_PLACE_REGISTER;
		site.displacement = 0;
		break;
	case WM_SHIM_MEMORY:
		site.place = WM_PLACE_STACK;
		break;
	case WM_SHIM_ELSEWHERE:
		break;
	}
	return site;
}

static void print_site(struct wm_shim_table *table, const struct wm_shim_value *value, size_t index)
{
	bool known = value[WM_SITE_BITS].displacement != 0;
	struct wm_site site = known ? place_of(&value[WM_SITE_SUM]) : (struct wm_site){.place = WM_PLACE_UNKNOWN};
	site.key = word_of(&value[WM_SITE_KEY_LOW]);
	site.missing += word_of(&value[WM_SITE_MISSING_LOW]);
	site.site = (uint32_t)value[WM_SITE_NUMBER].displacement;
	site.bits = known ? (uint8_t)value[WM_SITE_BITS].displacement : 64;
	if (site.place == WM_PLACE_CONSTANT && site.bits < 64)
		site.missing &= ((uint64_t)1 << site.bits) - 1;
	wm_shim_table_bytes(table, &site, offsetof(struct wm_site, offset));
	wm_shim_table_offset(table, index);
	wm_shim_table_bytes(table, &site.site, sizeof site - offsetof(struct wm_site, site));
}

/* Of the functions in which the call is, outermost first; NULL: the bundle is not ours, or there are no more. */
static const struct wm_shim_value *bundle(const struct wm_shim_return *site, size_t f)
{
	if (site->count % WM_SITE_VALUES || f >= site->count / WM_SITE_VALUES)
		return NULL;
	const struct wm_shim_value *value = &site->value[f * WM_SITE_VALUES];
	return is_ours(value) ? value : NULL;
}

static uint32_t count_sites(const struct wm_shim_return *site)
{
	uint32_t count = 0;
	const struct wm_shim_value *value;
	for (size_t f = 0; (value = bundle(site, f)); f++)
		count += stands(value);
	return count;
}

void wm_plugin_print_sites(struct wm_shim_table *table, const struct wm_shim_return *site, size_t count)
{
	struct wm_site_group group = {0};
	for (size_t i = 0; i < count; i++)
		group.count += count_sites(&site[i]);
	if (!group.count)
		return;
	group.size = (uint32_t)(sizeof group + group.count * sizeof(struct wm_site));
	wm_shim_table_start(table);
	wm_shim_table_bytes(table, &group.size, sizeof group - sizeof group.start);
	for (size_t i = 0; i < count; i++) {
		const struct wm_shim_value *value;
		for (size_t f = 0; (value = bundle(&site[i], f)); f++)
			if (stands(value))
				print_site(table, value, site[i].index);
	}
}
