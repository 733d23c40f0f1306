/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Caches and the memory hierarchy: cases by hand, and random streams against naive models. */
#include "hardware/model/memory.h"
#include "test/core/random_graph.h"
#include "test/core/support.h"
#include <string.h>

/* A cache as its definition reads: blocks with the time of their last use. */
struct naive {
	struct wm_hw_cache_config config;
	struct {
		bool present, dirty;
		uint64_t block, used;
	} entry[256];
	uint64_t time;
};

struct naive_result {
	bool miss, writeback;
	uint64_t victim;
};

static struct naive_result naive_access(struct naive *cache, uint64_t address, bool write)
{
	uint32_t count = cache->config.size / cache->config.block, sets = count / cache->config.ways;
	uint64_t block = address / cache->config.block;
	uint32_t replaced = UINT32_MAX;
	cache->time++;
	for (uint32_t i = 0; i < count; i++) {
		if (i % sets != block % sets)
			continue;
		if (cache->entry[i].present && cache->entry[i].block == block) {
			cache->entry[i].used = cache->time;
			cache->entry[i].dirty |= write;
			return (struct naive_result){0};
		}
		if (replaced == UINT32_MAX || cache->entry[i].used < cache->entry[replaced].used)
			replaced = i;
	}
	struct naive_result result = {.miss = true};
	if (cache->entry[replaced].dirty) {
		result.writeback = true;
		result.victim = cache->entry[replaced].block * cache->config.block;
	}
	cache->entry[replaced].present = true;
	cache->entry[replaced].dirty = write;
	cache->entry[replaced].block = block;
	cache->entry[replaced].used = cache->time;
	return result;
}

static void check_against_naive(const struct wm_hw_cache_config *config, struct random seed)
{
	struct wm_arena arena;
	struct wm_hw_cache cache;
	struct naive naive = {.config = *config};
	uint64_t misses = 0, writebacks = 0;
	wm_arena_init(&arena);
	assert_int_equal(wm_hw_cache_init(&cache, config, &arena), WM_HW_OK);
	for (uint32_t i = 0; i < 20000; i++) {
		uint64_t address = UINT64_C(0xffff800000000000) + random_below(&seed, 3 * config->size);
		bool write = random_below(&seed, 3) == 0;
		struct wm_hw_cache_result result = wm_hw_cache_access(&cache, address, write);
		struct naive_result want = naive_access(&naive, address, write);
		assert_int_equal(result.miss, want.miss);
		assert_int_equal(result.writeback, want.writeback);
		assert_int_equal(result.victim, want.victim);
		/* The owner's word stays with its block. */
		uint64_t block = address / config->block;
		assert_int_equal(result.line->value, want.miss ? 0 : block);
		result.line->value = block;
		misses += want.miss;
		writebacks += want.writeback;
	}
	assert_int_equal(cache.accesses, 20000);
	assert_int_equal(cache.misses, misses);
	assert_int_equal(cache.writebacks, writebacks);
	wm_arena_release(&arena);
}

static void test_random_streams(void **state)
{
	static const struct wm_hw_cache_config configs[] = {
		{.size = 1024, .ways = 1, .block = 32},
		{.size = 2048, .ways = 4, .block = 64},
		{.size = 768, .ways = 3, .block = 8},
		{.size = 512, .ways = 16, .block = 32}, /* fully associative */
		{.size = 32, .ways = 1, .block = 32},
		{.size = 64, .ways = 8, .block = 2},
	};
	(void)state;
	for (size_t i = 0; i < COUNT(configs); i++)
		check_against_naive(&configs[i], (struct random){i + 1});
}

static void test_bad_caches(void **state)
{
	static const struct wm_hw_cache_config configs[] = {
		{.size = 1024, .ways = 1, .block = 24},
		{.size = 1024, .ways = 1, .block = 0},
		{.size = 1024, .ways = 0, .block = 32},
		{.size = 1000, .ways = 1, .block = 32},
		{.size = 1024, .ways = 3, .block = 32},
		{.size = 0, .ways = 1, .block = 32},
		{.size = 32, .ways = 2, .block = 32},
		{.size = 1u << 31, .ways = 1, .block = 8},
	};
	struct wm_arena arena;
	struct wm_hw_cache cache;
	(void)state;
	wm_arena_init(&arena);
	for (size_t i = 0; i < COUNT(configs); i++)
		assert_int_equal(wm_hw_cache_init(&cache, &configs[i], &arena), WM_HW_BAD_CONFIG);
	wm_arena_set_limit(&arena, 64);
	const struct wm_hw_cache_config good = {.size = 1024, .ways = 1, .block = 32};
	assert_int_equal(wm_hw_cache_init(&cache, &good, &arena), WM_HW_NO_MEMORY);
	wm_arena_release(&arena);
}

/* Table 5.3, accessed by hand: each line is one access. */
static void test_latencies(void **state)
{
	static const struct {
		const char *what;
		bool fetch;
		uint64_t address;
		uint8_t size;
		bool store;
		uint64_t now;
		struct wm_hw_memory_use want;
	} cases[] = {
		{"a miss everywhere", false, 0x10000, 8, false, 0,
			{.latency = 111, .blocks = 1, .l1_misses = 1, .l2_misses = 1}},
		{"still on its way", false, 0x10008, 8, false, 50, {.latency = 61, .blocks = 1}},
		{"the other half of the level 2 block waits too", false, 0x10020, 8, false, 50,
			{.latency = 61, .blocks = 1, .l1_misses = 1}},
		{"a hit", false, 0x10010, 8, false, 200, {.latency = 1, .blocks = 1}},
		{"a store hits", false, 0x10018, 8, true, 201, {.latency = 1, .blocks = 1}},
		{"the same set of level 1: writes back", false, 0x18000, 8, false, 300,
			{.latency = 111, .blocks = 1, .l1_misses = 1, .l2_misses = 1}},
		{"level 2 has the first block", false, 0x10000, 8, false, 500,
			{.latency = 11, .blocks = 1, .l1_misses = 1}},
		{"crosses into a block that misses", false, 0x1003c, 8, false, 600,
			{.latency = 111, .blocks = 2, .l1_misses = 1, .l2_misses = 1}},
		{"code is in a cache of its own", true, 0x10000, 4, false, 800,
			{.latency = 11, .blocks = 1, .l1_misses = 1}},
		{"the same block again, on its way", true, 0x10004, 4, false, 805, {.latency = 6, .blocks = 1}},
		{"the same block again", true, 0x10008, 4, false, 900, {.latency = 1, .blocks = 1}},
	};
	struct wm_arena arena;
	struct wm_hw_memory memory;
	const struct wm_hw_memory_config config = wm_hw_memory_table_5_3();
	(void)state;
	wm_arena_init(&arena);
	assert_int_equal(wm_hw_memory_init(&memory, &config, &arena), WM_HW_OK);
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct wm_hw_access access = {
			.address = cases[i].address, .size = cases[i].size, .store = cases[i].store};
		struct wm_hw_memory_use use =
			cases[i].fetch ? wm_hw_memory_fetch(&memory, access.address, access.size, cases[i].now)
				       : wm_hw_memory_data(&memory, &access, cases[i].now);
		use.l1_energy = use.lower_energy = 0;
		if (memcmp(&use, &cases[i].want, sizeof use))
			fail_msg("%s: latency %u, %u blocks, misses %u and %u", cases[i].what, use.latency, use.blocks,
				use.l1_misses, use.l2_misses);
	}
	assert_int_equal(memory.l1d.writebacks, 1);
	wm_arena_release(&arena);
}

/* What a step causes equals what naive caches say, access by access. */
struct naive_memory {
	struct naive l1i, l1d, l2;
	struct wm_hw_energy energy;
	struct wm_hw_events events;
};

static void naive_l2(struct naive_memory *memory, uint64_t address, bool write)
{
	struct naive_result result = naive_access(&memory->l2, address, write);
	memory->events.count[WM_HW_ENERGY] += memory->energy.l2;
	memory->events.count[WM_HW_ENERGY] += result.miss ? memory->energy.memory + memory->energy.l2 : 0;
	memory->events.count[WM_HW_ENERGY] += result.writeback ? memory->energy.memory : 0;
	memory->events.count[WM_HW_L2_MISSES] += result.miss && !write;
}

static void naive_block(struct naive_memory *memory, struct naive *l1, uint64_t address, bool write)
{
	uint32_t cost = l1 == &memory->l1i ? memory->energy.l1i : memory->energy.l1d;
	struct naive_result result = naive_access(l1, address, write);
	memory->events.count[WM_HW_ENERGY] += cost;
	if (!result.miss)
		return;
	memory->events.count[WM_HW_ENERGY] += cost;
	memory->events.count[WM_HW_L1_MISSES]++;
	if (result.writeback)
		naive_l2(memory, result.victim, true);
	naive_l2(memory, address, false);
}

static void naive_bytes(struct naive_memory *memory, struct naive *l1, const struct wm_hw_access *access)
{
	for (uint64_t i = 0; i < access->size; i++)
		if (i == 0 || (access->address + i) % l1->config.block == 0)
			naive_block(memory, l1, access->address + i, access->store);
}

static void naive_step(struct naive_memory *memory, const struct wm_hw_step *step)
{
	for (uint32_t i = step->first; i < step->end; i++) {
		const struct wm_hw_insn *insn = &step->block->insn[i];
		if (insn->branch && step->diverted)
			continue;
		naive_bytes(memory, &memory->l1i, &(struct wm_hw_access){.address = insn->address, .size = insn->size});
		for (size_t k = 0; k < step->access_count; k++)
			if (step->access[k].insn == i)
				naive_bytes(memory, &memory->l1d, &step->access[k]);
		memory->events.count[WM_HW_INSTRUCTIONS]++;
	}
}

enum { INSNS = 12, ACCESSES = 6 };

static void random_step(
	struct random *seed, struct wm_hw_insn *insn, struct wm_hw_access *access, struct wm_hw_step *step)
{
	uint64_t address = 0x4000 + random_below(seed, 5000);
	uint32_t count = 1 + random_below(seed, INSNS);
	for (uint32_t i = 0; i < count; i++) {
		insn[i] = (struct wm_hw_insn){.address = address, .size = (uint8_t)(1 + random_below(seed, 15))};
		address += insn[i].size;
	}
	insn[count - 1].branch = random_below(seed, 2) ? WM_HW_JUMP : WM_HW_NO_BRANCH;
	step->access_count = random_below(seed, ACCESSES + 1);
	uint16_t at = 0;
	for (size_t i = 0; i < step->access_count; i++) {
		at = (uint16_t)(at + random_below(seed, count - at));
		access[i] = (struct wm_hw_access){.address = 0x4000 + random_below(seed, 9000),
			.insn = at,
			.size = (uint8_t)(1 + random_below(seed, 64)),
			.store = random_below(seed, 2)};
	}
	step->diverted = random_below(seed, 4) == 0;
	step->end = step->diverted ? random_below(seed, count + 1) : count;
	step->first = random_below(seed, 4) ? 0 : random_below(seed, step->end + 1);
	*(struct wm_hw_block *)(uintptr_t)step->block = (struct wm_hw_block){.insn_count = count, .insn = insn};
}

static void test_random_steps(void **state)
{
	struct wm_hw_memory_config config = {
		.l1i = {.size = 1024, .ways = 2, .block = 16},
		.l1d = {.size = 512, .ways = 1, .block = 32},
		.l2 = {.size = 4096, .ways = 4, .block = 64},
		.energy = {.l1i = 1, .l1d = 2, .l2 = 100, .memory = 10000},
	};
	static struct naive_memory naive;
	struct wm_arena arena;
	struct wm_hw_memory memory;
	struct wm_hw_insn insn[INSNS];
	struct wm_hw_access access[ACCESSES];
	struct wm_hw_block block;
	struct wm_hw_step step = {.block = &block, .access = access};
	struct wm_hw_events events = {0};
	struct random seed = {7};
	(void)state;
	naive.l1i.config = config.l1i, naive.l1d.config = config.l1d, naive.l2.config = config.l2;
	naive.energy = config.energy;
	wm_arena_init(&arena);
	assert_int_equal(wm_hw_memory_init(&memory, &config, &arena), WM_HW_OK);
	for (int i = 0; i < 20000; i++) {
		random_step(&seed, insn, access, &step);
		step.access = step.access_count ? access : NULL; /* as in a trace without accesses */
		wm_hw_memory_step(&memory, &step, &events);
		naive_step(&naive, &step);
		assert_memory_equal(&events, &naive.events, sizeof events);
	}
	assert_true(
		events.count[WM_HW_L2_MISSES] > 1000 && events.count[WM_HW_L1_MISSES] > events.count[WM_HW_L2_MISSES]);
	wm_arena_release(&arena);
}

static void test_bad_memories(void **state)
{
	struct wm_hw_memory_config config = wm_hw_memory_table_5_3();
	struct wm_hw_memory memory;
	struct wm_arena arena;
	(void)state;
	wm_arena_init(&arena);
	config.l1d.block = 128; /* larger than a block of level 2 */
	assert_int_equal(wm_hw_memory_init(&memory, &config, &arena), WM_HW_BAD_CONFIG);
	config.l1d.block = 4;
	assert_int_equal(wm_hw_memory_init(&memory, &config, &arena), WM_HW_BAD_CONFIG);
	config = wm_hw_memory_table_5_3();
	wm_arena_set_limit(&arena, 64 << 10); /* enough for level 1 */
	assert_int_equal(wm_hw_memory_init(&memory, &config, &arena), WM_HW_NO_MEMORY);
	wm_arena_release(&arena);
}

/* The formula of energy.h, worked out by hand for table 5.3: 1024 sets of 256 + 33 + 2 bits and
 * 2048 sets of 4 · (512 + 31 + 2) bits. */
/* Table 5.4: level 2 of 256 KB or 2 MB, direct-mapped or with 8 ways; the rest as in table 5.3. */
static struct wm_hw_memory_config table_5_4(bool high_size, bool high_ways)
{
	struct wm_hw_memory_config config = wm_hw_memory_table_5_3();
	config.l2.size = high_size ? 2048 << 10 : 256 << 10;
	config.l2.ways = high_ways ? 8 : 1;
	config.energy = wm_hw_memory_energy(&config, 1);
	return config;
}

static void test_energy(void **state)
{
	const struct wm_hw_memory_config table = wm_hw_memory_table_5_3();
	struct wm_hw_energy_config config = {
		.l1i = table.l1i, .l1d = table.l1d, .l2 = table.l2, .l1d_ports = 2, .scale = 1000};
	struct wm_hw_technology technology = WM_HW_TECHNOLOGY;
	struct wm_hw_energy energy = wm_hw_energy_relative(&config, &technology);
	(void)state;
	/* In fJ: l1i 5833968 + 53602 + 1375615, l1d 9931248 + 66697 + 1375615, l2 43704640 + 401556 + 14452711,
	 * memory 140000000. */
	assert_int_equal(energy.l1i, 1000);
	assert_int_equal(energy.l1d, 1566);
	assert_int_equal(energy.l2, 8062);
	assert_int_equal(energy.memory, 19275);
	config.scale = 1;
	energy = wm_hw_energy_relative(&config, &technology);
	assert_memory_equal(&energy, &table.energy, sizeof energy);
	assert_int_equal(energy.l1i, 1);
	assert_int_equal(energy.l1d, 2);
	assert_int_equal(energy.l2, 8);
	assert_int_equal(energy.memory, 19);
	/* Table 5.4: a larger level 2 costs more, in size and in ways. */
	const struct wm_hw_memory_config low = table_5_4(false, false), ways = table_5_4(false, true),
					 high = table_5_4(true, true);
	assert_int_equal(low.l2.size / low.l2.ways, 256 << 10);
	assert_int_equal(high.l2.size / high.l2.ways, 256 << 10);
	assert_true(low.energy.l2 < ways.energy.l2 && ways.energy.l2 < high.energy.l2);
	technology.pad = 0;
	assert_int_equal(wm_hw_energy_relative(&config, &technology).memory, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_streams),
		cmocka_unit_test(test_bad_caches),
		cmocka_unit_test(test_latencies),
		cmocka_unit_test(test_random_steps),
		cmocka_unit_test(test_bad_memories),
		cmocka_unit_test(test_energy),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
