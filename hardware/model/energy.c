/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "hardware/model/energy.h"
#include "hardware/model/bits.h"
#include <math.h>

#define STATUS_BITS 2
#define WORD_BITS 64

/* In fJ, of one access that moves `data_bits`. */
static double cache_energy(
	const struct wm_hw_cache_config *cache, uint32_t ports, uint32_t data_bits, const struct wm_hw_technology *t)
{
	uint32_t sets = cache->size / cache->block / cache->ways;
	uint32_t tag_bits = t->address_bits - wm_hw_log2(cache->block) - wm_hw_log2(sets);
	double columns = (double)cache->ways * (8.0 * cache->block + tag_bits + STATUS_BITS);
	double rows = sets < t->array_rows ? sets : t->array_rows;
	double bit_lines = columns * rows * (t->bit_metal * ports + t->bit_drain) * t->voltage * t->swing;
	double word_line = columns * (t->word_metal * ports + t->word_gate) * t->voltage * t->voltage;
	double wire = sqrt(columns * sets) * t->word_metal * t->activity * t->voltage * t->voltage;
	return bit_lines + word_line + (data_bits + t->address_bits) * wire;
}

static double memory_energy(const struct wm_hw_cache_config *l2, const struct wm_hw_technology *t)
{
	return (8.0 * l2->block + t->address_bits) * t->pad * t->activity * t->voltage * t->voltage;
}

static uint32_t relative(double energy, double unit)
{
	double cost = round(energy / unit);
	return cost < 1 ? 1 : cost > UINT32_MAX ? UINT32_MAX : (uint32_t)cost;
}

struct wm_hw_energy wm_hw_energy_relative(
	const struct wm_hw_energy_config *config, const struct wm_hw_technology *technology)
{
	double unit = cache_energy(&config->l1i, 1, WORD_BITS, technology) / config->scale;
	return (struct wm_hw_energy){
		.l1i = config->scale,
		.l1d = relative(cache_energy(&config->l1d, config->l1d_ports, WORD_BITS, technology), unit),
		.l2 = relative(cache_energy(&config->l2, 1, 8 * config->l1d.block, technology), unit),
		.memory = relative(memory_energy(&config->l2, technology), unit),
	};
}
