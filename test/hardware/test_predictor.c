/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Branch prediction: cases by hand, and random streams against models written from the definitions. */
#include "hardware/model/predictor.h"
#include "test/core/random_graph.h"
#include "test/core/support.h"
#include <stdlib.h>
#include <string.h>

enum { BRANCHES = 40, ROUNDS = 60000, CALLS = 1000 };

/* Everything a predictor could remember: unbounded lists that are searched from the end. */
struct naive {
	struct wm_hw_predictor_config config;
	bool history[64][32]; /* [register][0] is the latest outcome */
	int bimodal[64], two_level[256], meta[64];
	struct {
		uint64_t address, target;
	} taken[ROUNDS]; /* every use of the target buffer */
	uint32_t taken_count;
	uint64_t calls[CALLS];
	uint32_t call_count, call_base; /* the stack has forgotten what lies below the base */
};

static int saturate(int counter, bool up)
{
	int next = counter + (up ? 1 : -1);
	return next < 0 ? 0 : next > 3 ? 3 : next;
}

static uint32_t naive_entry(struct naive *naive, uint64_t index, bool *history)
{
	const struct wm_hw_predictor_config *config = &naive->config;
	uint64_t bits = 0;
	for (uint32_t i = 0; i < config->history_bits; i++)
		bits += (uint64_t)history[i] << i;
	uint64_t entry = config->xor_address ? bits ^ index : bits + (index << config->history_bits);
	return (uint32_t)(entry % config->two_level_entries);
}

static bool naive_direction(struct naive *naive, uint64_t address, bool taken)
{
	const struct wm_hw_predictor_config *config = &naive->config;
	uint64_t index = address >> config->address_shift;
	bool *history = naive->history[index % config->history_registers];
	int *two = &naive->two_level[naive_entry(naive, index, history)];
	int *one = &naive->bimodal[index % config->bimodal_entries], *meta = &naive->meta[index % config->meta_entries];
	bool first = *one >= 2, second = *two >= 2, use_second = *meta >= 2;
	*one = saturate(*one, taken);
	*two = saturate(*two, taken);
	if (first != second)
		*meta = saturate(*meta, second == taken);
	memmove(history + 1, history, 31 * sizeof *history);
	history[0] = taken;
	switch (config->direction) {
	case WM_HW_PERFECT:
		return taken;
	case WM_HW_BIMODAL:
		return first;
	case WM_HW_TWO_LEVEL:
		return second;
	case WM_HW_HYBRID:
		return use_second ? second : first;
	}
	return taken;
}

/* The last target of `address`, unless `ways` other branches of its set were taken since; 0: unknown. */
static uint64_t naive_target(const struct naive *naive, uint64_t address)
{
	uint32_t sets = naive->config.btb_entries / naive->config.btb_ways, shift = naive->config.address_shift;
	uint64_t other[64];
	uint32_t others = 0;
	for (uint32_t i = naive->taken_count; i-- && others < naive->config.btb_ways;) {
		uint64_t there = naive->taken[i].address;
		if (there == address)
			return naive->taken[i].target;
		if ((there >> shift) % sets != (address >> shift) % sets)
			continue;
		uint32_t k = 0;
		while (k < others && other[k] != there)
			k++;
		other[k] = there;
		others += k == others;
	}
	return 0;
}

static bool naive_known(struct naive *naive, uint64_t address, uint64_t next)
{
	bool known = naive_target(naive, address) == next;
	naive->taken[naive->taken_count].address = address;
	naive->taken[naive->taken_count++].target = next;
	return known;
}

static void naive_call(struct naive *naive, uint64_t address)
{
	assert_true(naive->call_count < CALLS);
	naive->calls[naive->call_count++] = address;
	if (naive->call_count - naive->call_base > naive->config.return_entries)
		naive->call_base++;
}

static enum wm_hw_prediction naive_predict(
	struct naive *naive, const struct wm_hw_insn *branch, uint64_t next, bool taken)
{
	switch ((enum wm_hw_branch)branch->branch) {
	case WM_HW_CONDITIONAL: {
		bool right = naive_direction(naive, branch->address, taken) == taken;
		bool known = taken ? naive_known(naive, branch->address, next) : true;
		return !right ? WM_HW_MISPREDICTED : known ? WM_HW_PREDICTED : WM_HW_MISFETCHED;
	}
	case WM_HW_CALL:
		naive_call(naive, branch->address + branch->size);
		return naive_known(naive, branch->address, next) ? WM_HW_PREDICTED : WM_HW_MISFETCHED;
	case WM_HW_CALL_INDIRECT:
		naive_call(naive, branch->address + branch->size);
		return naive_known(naive, branch->address, next) ? WM_HW_PREDICTED : WM_HW_MISPREDICTED;
	case WM_HW_JUMP:
		return naive_known(naive, branch->address, next) ? WM_HW_PREDICTED : WM_HW_MISFETCHED;
	case WM_HW_JUMP_INDIRECT:
		return naive_known(naive, branch->address, next) ? WM_HW_PREDICTED : WM_HW_MISPREDICTED;
	case WM_HW_RETURN:
		if (naive->call_count == naive->call_base)
			return WM_HW_MISPREDICTED;
		return naive->calls[--naive->call_count] == next ? WM_HW_PREDICTED : WM_HW_MISPREDICTED;
	case WM_HW_NO_BRANCH:
	case WM_HW_BRANCH_COUNT:
		break;
	}
	return WM_HW_PREDICTED;
}

static struct naive *naive_new(const struct wm_hw_predictor_config *config)
{
	struct naive *naive = calloc(1, sizeof *naive);
	assert_non_null(naive);
	naive->config = *config;
	for (uint32_t i = 0; i < COUNT(naive->two_level); i++)
		naive->two_level[i] = 2;
	for (uint32_t i = 0; i < COUNT(naive->bimodal); i++)
		naive->bimodal[i] = naive->meta[i] = 2;
	return naive;
}

static void random_branches(struct wm_hw_insn *branch, struct random *seed, uint32_t shift)
{
	for (uint32_t i = 0; i < BRANCHES; i++)
		branch[i] = (struct wm_hw_insn){
			.address = (uint64_t)(0x4000 + random_below(seed, 500)) << shift,
			.size = 4,
			.class = WM_HW_BRANCH,
			.branch = (uint8_t)(1 + random_below(seed, WM_HW_BRANCH_COUNT - 1)),
		};
}

/* Outcomes with some regularity, so that the tables hold every value. */
static bool outcome(uint32_t branch, uint32_t round, struct random *seed)
{
	switch (branch % 4) {
	case 0:
		return random_below(seed, 8) != 0;
	case 1:
		return round % 3 == 0;
	case 2:
		return random_below(seed, 2);
	}
	return round & 2;
}

static void check_against_naive(const struct wm_hw_predictor_config *config, struct random seed)
{
	struct wm_arena arena;
	struct wm_hw_predictor predictor;
	struct wm_hw_insn branch[BRANCHES];
	struct naive *naive = naive_new(config);
	uint32_t seen[3] = {0};
	wm_arena_init(&arena);
	assert_int_equal(wm_hw_predictor_init(&predictor, config, &arena), WM_HW_OK);
	random_branches(branch, &seed, config->address_shift);
	for (uint32_t i = 0; i < ROUNDS; i++) {
		uint32_t k = random_below(&seed, BRANCHES);
		bool taken = branch[k].branch != WM_HW_CONDITIONAL || outcome(k, i, &seed);
		uint64_t next = !taken ? branch[k].address + 4 : 0x9000 + 16 * (uint64_t)random_below(&seed, 2);
		if (branch[k].branch == WM_HW_RETURN && naive->call_count && random_below(&seed, 4))
			next = naive->calls[naive->call_count - 1];
		enum wm_hw_prediction want = naive_predict(naive, &branch[k], next, taken);
		assert_int_equal(wm_hw_predictor_branch(&predictor, &branch[k], next, taken), want);
		seen[want]++;
		if (naive->call_count == CALLS)
			naive->call_count = naive->call_base = 0, predictor.return_count = 0;
	}
	assert_true(seen[WM_HW_PREDICTED] > 1000 && seen[WM_HW_MISFETCHED] > 100 && seen[WM_HW_MISPREDICTED] > 1000);
	assert_int_equal(predictor.branches, ROUNDS);
	assert_int_equal(predictor.mispredictions, seen[WM_HW_MISPREDICTED]);
	assert_int_equal(predictor.misfetches, seen[WM_HW_MISFETCHED]);
	wm_arena_release(&arena);
	free(naive);
}

static void test_random_streams(void **state)
{
	struct wm_hw_predictor_config config = {.bimodal_entries = 32,
		.two_level_entries = 256,
		.history_registers = 1,
		.history_bits = 6,
		.xor_address = true,
		.meta_entries = 16,
		.btb_entries = 16,
		.btb_ways = 2,
		.return_entries = 5};
	(void)state;
	for (int i = WM_HW_BIMODAL; i <= WM_HW_HYBRID; i++) {
		config.direction = (enum wm_hw_direction)i;
		check_against_naive(&config, (struct random){(uint64_t)i});
	}
	config.history_registers = 8;
	config.xor_address = false;
	config.history_bits = 3;
	config.address_shift = 2;
	config.btb_ways = 16; /* fully associative */
	check_against_naive(&config, (struct random){9});
}

static uint32_t mispredictions(const struct wm_hw_predictor_config *config, const char *pattern, uint32_t rounds)
{
	struct wm_arena arena;
	struct wm_hw_predictor predictor;
	const struct wm_hw_insn branch = {.address = 0x4000, .size = 2, .branch = WM_HW_CONDITIONAL};
	wm_arena_init(&arena);
	assert_int_equal(wm_hw_predictor_init(&predictor, config, &arena), WM_HW_OK);
	for (uint32_t i = 0; i < rounds; i++) {
		bool taken = pattern[i % strlen(pattern)] == '1';
		wm_hw_predictor_branch(&predictor, &branch, taken ? 0x5000 : 0x4002, taken);
	}
	wm_arena_release(&arena);
	return (uint32_t)predictor.mispredictions;
}

static void test_patterns(void **state)
{
	struct wm_hw_predictor_config hybrid = wm_hw_predictor_table_5_3(), bimodal = hybrid, perfect = hybrid;
	bimodal.direction = WM_HW_BIMODAL;
	perfect.direction = WM_HW_PERFECT;
	(void)state;
	assert_int_equal(mispredictions(&bimodal, "1", 1000), 0);
	assert_int_equal(mispredictions(&bimodal, "0", 1000), 1);
	assert_int_equal(mispredictions(&bimodal, "10", 1000), 500); /* 2 3 2 3 … */
	assert_int_equal(mispredictions(&bimodal, "1110", 1000), 250);
	/* A history of 12 tells the positions of these patterns apart once it is full. */
	assert_true(mispredictions(&hybrid, "10", 1000) < 20);
	assert_true(mispredictions(&hybrid, "1110", 1000) < 20);
	assert_int_equal(mispredictions(&perfect, "10110", 1000), 0);
}

static void test_presets(void **state)
{
	const struct wm_hw_predictor_config preset[] = {
		wm_hw_predictor_table_5_3(), wm_hw_predictor_table_5_4_low(), wm_hw_predictor_table_5_4_high()};
	struct wm_arena arena;
	struct wm_hw_predictor predictor;
	(void)state;
	wm_arena_init(&arena);
	for (size_t i = 0; i < COUNT(preset); i++)
		assert_int_equal(wm_hw_predictor_init(&predictor, &preset[i], &arena), WM_HW_OK);
	assert_int_equal(preset[1].direction, WM_HW_TWO_LEVEL);
	assert_int_equal(preset[1].two_level_entries, 2048);
	assert_int_equal(preset[2].direction, WM_HW_HYBRID);
	assert_int_equal(preset[2].meta_entries, 8192);
	wm_arena_release(&arena);
}

static void test_bad_predictors(void **state)
{
	const struct wm_hw_predictor_config good = wm_hw_predictor_table_5_3();
	struct wm_hw_predictor_config bad[8];
	struct wm_arena arena;
	struct wm_hw_predictor predictor;
	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++)
		bad[i] = good;
	bad[0].bimodal_entries = 1000;
	bad[1].two_level_entries = 0;
	bad[2].history_registers = 3;
	bad[3].history_bits = 33;
	bad[4].meta_entries = 5;
	bad[5].btb_ways = 3;
	bad[6].return_entries = 0;
	bad[7].address_shift = 30;
	wm_arena_init(&arena);
	for (size_t i = 0; i < COUNT(bad); i++)
		assert_int_equal(wm_hw_predictor_init(&predictor, &bad[i], &arena), WM_HW_BAD_CONFIG);
	wm_arena_set_limit(&arena, 40000); /* the target buffer fits, the counters do not */
	assert_int_equal(wm_hw_predictor_init(&predictor, &good, &arena), WM_HW_NO_MEMORY);
	wm_arena_release(&arena);
}

static void test_step(void **state)
{
	const struct wm_hw_insn insn[] = {
		{.address = 0x10, .size = 4}, {.address = 0x14, .size = 2, .branch = WM_HW_RETURN}};
	const struct wm_hw_block plain = {.insn_count = 1, .insn = insn}, with = {.insn_count = 2, .insn = insn};
	const struct wm_hw_predictor_config config = wm_hw_predictor_table_5_3();
	struct wm_hw_events events = {0};
	struct wm_arena arena;
	struct wm_hw_predictor predictor;
	(void)state;
	wm_arena_init(&arena);
	assert_int_equal(wm_hw_predictor_init(&predictor, &config, &arena), WM_HW_OK);
	wm_hw_predictor_step(&predictor, &(struct wm_hw_step){.block = &plain, .next = 0x14}, &events);
	wm_hw_predictor_step(&predictor, &(struct wm_hw_step){.block = &with, .next = 9, .diverted = true}, &events);
	assert_int_equal(events.count[WM_HW_MISPREDICTIONS], 0);
	wm_hw_predictor_step(&predictor, &(struct wm_hw_step){.block = &with, .next = 9, .taken = true}, &events);
	assert_int_equal(events.count[WM_HW_MISPREDICTIONS], 1);
	assert_int_equal(predictor.branches, 1);
	wm_arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_streams),
		cmocka_unit_test(test_patterns),
		cmocka_unit_test(test_presets),
		cmocka_unit_test(test_bad_predictors),
		cmocka_unit_test(test_step),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
