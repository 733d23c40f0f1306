/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "hardware/model/memory.h"

#define NO_BLOCK UINT64_MAX
#define MIN_BLOCK 8 /* a cache of smaller blocks does not tell all addresses apart */

struct wm_hw_memory_config wm_hw_memory_table_5_3(void)
{
	struct wm_hw_memory_config config = {
		.l1i = {.size = 32 << 10, .ways = 1, .block = 32},
		.l1d = {.size = 32 << 10, .ways = 1, .block = 32},
		.l2 = {.size = 512 << 10, .ways = 4, .block = 64},
		.l1_latency = 1,
		.l2_latency = 10,
		.memory_latency = 100,
	};
	config.energy = wm_hw_memory_energy(&config, 1);
	return config;
}

struct wm_hw_energy wm_hw_memory_energy(const struct wm_hw_memory_config *config, uint32_t scale)
{
	const struct wm_hw_energy_config energy = {
		.l1i = config->l1i, .l1d = config->l1d, .l2 = config->l2, .l1d_ports = 2, .scale = scale};
	return wm_hw_energy_relative(&energy, &WM_HW_TECHNOLOGY);
}

static bool blocks_valid(const struct wm_hw_memory_config *config)
{
	return config->l1i.block >= MIN_BLOCK && config->l1d.block >= MIN_BLOCK &&
	       config->l1i.block <= config->l2.block && config->l1d.block <= config->l2.block;
}

enum wm_hw_status wm_hw_memory_init(
	struct wm_hw_memory *memory, const struct wm_hw_memory_config *config, struct wm_arena *arena)
{
	struct wm_hw_memory made = {.config = *config, .fetched = NO_BLOCK};
	enum wm_hw_status status = blocks_valid(config) ? WM_HW_OK : WM_HW_BAD_CONFIG;
	if (status == WM_HW_OK)
		status = wm_hw_cache_init(&made.l1i, &config->l1i, arena);
	if (status == WM_HW_OK)
		status = wm_hw_cache_init(&made.l1d, &config->l1d, arena);
	if (status == WM_HW_OK)
		status = wm_hw_cache_init(&made.l2, &config->l2, arena);
	if (status == WM_HW_OK)
		*memory = made;
	return status;
}

/* Accesses level 2 and adds the energy, that of the accesses to memory included. */
static struct wm_hw_cache_result access_l2(
	struct wm_hw_memory *memory, uint64_t address, bool write, struct wm_hw_memory_use *use)
{
	const struct wm_hw_energy *energy = &memory->config.energy;
	struct wm_hw_cache_result result = wm_hw_cache_access(&memory->l2, address, write);
	use->lower_energy += energy->l2;
	if (result.miss)
		use->lower_energy += energy->memory + energy->l2;
	if (result.writeback)
		use->lower_energy += energy->memory;
	return result;
}

/* The time until a block is there that is accessed in cycle `now` at a cost of `latency`. */
static uint64_t wait_for(const struct wm_hw_cache_line *line, uint64_t now, uint64_t latency)
{
	return line->value > now + latency ? line->value - now : latency;
}

/* Fills a block of level 1 and returns the cycle at which it arrives. */
static uint64_t fill_l1(struct wm_hw_memory *memory, uint64_t address, uint64_t now, struct wm_hw_memory_use *use)
{
	const struct wm_hw_memory_config *config = &memory->config;
	struct wm_hw_cache_result l2 = access_l2(memory, address, false, use);
	uint64_t latency = (uint64_t)config->l1_latency + config->l2_latency;
	if (l2.miss) {
		use->l2_misses++;
		latency += config->memory_latency;
		l2.line->value = now + latency;
	}
	return now + wait_for(l2.line, now, latency);
}

static void access_block(struct wm_hw_memory *memory, struct wm_hw_cache *l1, const struct wm_hw_access *access,
	uint64_t now, struct wm_hw_memory_use *use)
{
	uint32_t cost = l1 == &memory->l1i ? memory->config.energy.l1i : memory->config.energy.l1d;
	struct wm_hw_cache_result result = wm_hw_cache_access(l1, access->address, access->store);
	use->blocks++;
	use->l1_energy += cost;
	if (result.miss) {
		use->l1_misses++;
		use->lower_energy += cost;
		if (result.writeback)
			access_l2(memory, result.victim, true, use);
		result.line->value = fill_l1(memory, access->address, now, use);
	}
	uint64_t latency = wait_for(result.line, now, memory->config.l1_latency);
	if (latency > use->latency)
		use->latency = (uint32_t)latency;
}

/* Accesses every block of level 1 that the bytes of `access` lie in. */
static struct wm_hw_memory_use access_all(
	struct wm_hw_memory *memory, struct wm_hw_cache *l1, struct wm_hw_access access, uint64_t now)
{
	struct wm_hw_memory_use use = {0};
	uint64_t last = (access.address + access.size - 1) >> l1->block_bits;
	uint64_t count = last - (access.address >> l1->block_bits) + 1;
	for (uint64_t i = 0; i < count; i++) {
		access_block(memory, l1, &access, now, &use);
		access.address = (access.address | (((uint64_t)1 << l1->block_bits) - 1)) + 1;
	}
	return use;
}

struct wm_hw_memory_use wm_hw_memory_data(struct wm_hw_memory *memory, const struct wm_hw_access *access, uint64_t now)
{
	return access_all(memory, &memory->l1d, *access, now);
}

/* Code is mostly read from the block that was read last, which only a fetch can replace: it
 * is the most recently used of its set, and looking it up would change nothing. */
struct wm_hw_memory_use wm_hw_memory_fetch(struct wm_hw_memory *memory, uint64_t address, uint32_t size, uint64_t now)
{
	uint64_t first = address >> memory->l1i.block_bits, last = (address + size - 1) >> memory->l1i.block_bits;
	if (first == memory->fetched && last == first) {
		memory->l1i.accesses++;
		struct wm_hw_cache_line *line = &memory->l1i.line[(first & memory->l1i.set_mask) * memory->l1i.ways];
		return (struct wm_hw_memory_use){.latency = (uint32_t)wait_for(line, now, memory->config.l1_latency),
			.blocks = 1,
			.l1_energy = memory->config.energy.l1i};
	}
	memory->fetched = last;
	const struct wm_hw_access access = {.address = address, .size = (uint8_t)size};
	return access_all(memory, &memory->l1i, access, now);
}

static void add_use(struct wm_hw_events *events, struct wm_hw_memory_use use)
{
	events->count[WM_HW_L1_MISSES] += use.l1_misses;
	events->count[WM_HW_L2_MISSES] += use.l2_misses;
	events->count[WM_HW_ENERGY] += use.l1_energy + use.lower_energy;
}

void wm_hw_memory_step(struct wm_hw_memory *memory, const struct wm_hw_step *step, struct wm_hw_events *events)
{
	uint32_t end = wm_hw_step_end(step);
	size_t next = 0; /* access */
	for (uint32_t i = step->first; i < end; i++) {
		const struct wm_hw_insn *insn = &step->block->insn[i];
		add_use(events, wm_hw_memory_fetch(memory, insn->address, insn->size, 0));
		for (; next < step->access_count && step->access[next].insn <= i; next++)
			if (step->access[next].insn == i)
				add_use(events, wm_hw_memory_data(memory, &step->access[next], 0));
	}
	events->count[WM_HW_INSTRUCTIONS] += end - step->first;
}
