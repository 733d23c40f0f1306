/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "hardware/model/predictor.h"
#include "hardware/model/bits.h"
#include <string.h>

#define WEAKLY_TAKEN 2
#define STRONGLY_TAKEN 3

struct wm_hw_predictor_config wm_hw_predictor_table_5_3(void)
{
	return (struct wm_hw_predictor_config){
		.direction = WM_HW_HYBRID,
		.bimodal_entries = 8 << 10,
		.two_level_entries = 8 << 10,
		.history_registers = 1,
		.history_bits = 12,
		.xor_address = true,
		.meta_entries = 1 << 10,
		.btb_entries = 2 << 10,
		.btb_ways = 4,
		.return_entries = 32,
	};
}

struct wm_hw_predictor_config wm_hw_predictor_table_5_4_high(void)
{
	struct wm_hw_predictor_config config = wm_hw_predictor_table_5_3();
	config.two_level_entries = 2 << 10;
	config.history_bits = 8;
	config.xor_address = false;
	config.meta_entries = 8 << 10;
	return config;
}

struct wm_hw_predictor_config wm_hw_predictor_table_5_4_low(void)
{
	struct wm_hw_predictor_config config = wm_hw_predictor_table_5_4_high();
	config.direction = WM_HW_TWO_LEVEL;
	return config;
}

static bool has_bimodal(const struct wm_hw_predictor_config *config)
{
	return config->direction == WM_HW_BIMODAL || config->direction == WM_HW_HYBRID;
}

static bool has_two_level(const struct wm_hw_predictor_config *config)
{
	return config->direction == WM_HW_TWO_LEVEL || config->direction == WM_HW_HYBRID;
}

static bool config_valid(const struct wm_hw_predictor_config *config)
{
	if (has_bimodal(config) && !wm_hw_is_power(config->bimodal_entries))
		return false;
	if (has_two_level(config) && (!wm_hw_is_power(config->two_level_entries) ||
					     !wm_hw_is_power(config->history_registers) || config->history_bits > 32))
		return false;
	if (config->direction == WM_HW_HYBRID && !wm_hw_is_power(config->meta_entries))
		return false;
	return config->return_entries && config->address_shift < 32 &&
	       config->btb_entries <= UINT32_MAX >> config->address_shift;
}

/* A table of counters, none of which is used when `used` is false. */
static uint8_t *counters(bool used, uint32_t entries, struct wm_arena *arena)
{
	uint8_t *table = WM_NEW(arena, uint8_t, used ? entries : 0);
	if (table && used)
		memset(table, WEAKLY_TAKEN, entries);
	return table;
}

enum wm_hw_status wm_hw_predictor_init(
	struct wm_hw_predictor *predictor, const struct wm_hw_predictor_config *config, struct wm_arena *arena)
{
	if (!config_valid(config))
		return WM_HW_BAD_CONFIG;
	struct wm_hw_predictor made = {
		.config = *config,
		.bimodal = counters(has_bimodal(config), config->bimodal_entries, arena),
		.two_level = counters(has_two_level(config), config->two_level_entries, arena),
		.meta = counters(config->direction == WM_HW_HYBRID, config->meta_entries, arena),
		.history = WM_NEW(arena, uint32_t, has_two_level(config) ? config->history_registers : 0),
		.returns = WM_NEW(arena, uint64_t, config->return_entries),
	};
	const struct wm_hw_cache_config btb = {
		.size = config->btb_entries << config->address_shift,
		.ways = config->btb_ways,
		.block = UINT32_C(1) << config->address_shift,
	};
	enum wm_hw_status status = wm_hw_cache_init(&made.btb, &btb, arena);
	if (status == WM_HW_OK && !(made.bimodal && made.two_level && made.meta && made.history && made.returns))
		status = WM_HW_NO_MEMORY;
	if (status == WM_HW_OK)
		*predictor = made;
	return status;
}

static void train(uint8_t *counter, bool up)
{
	if (up)
		*counter += *counter < STRONGLY_TAKEN;
	else
		*counter -= *counter > 0;
}

static uint8_t *two_level_counter(struct wm_hw_predictor *predictor, uint64_t index, uint32_t **history)
{
	const struct wm_hw_predictor_config *config = &predictor->config;
	*history = &predictor->history[index & (config->history_registers - 1)];
	uint64_t entry = config->xor_address ? index ^ **history : index << config->history_bits | **history;
	return &predictor->two_level[entry & (config->two_level_entries - 1)];
}

static bool two_level(struct wm_hw_predictor *predictor, uint64_t index, bool taken)
{
	uint32_t *history;
	uint8_t *counter = two_level_counter(predictor, index, &history);
	bool prediction = *counter >= WEAKLY_TAKEN;
	train(counter, taken);
	*history =
		(uint32_t)(((uint64_t)*history << 1 | taken) & ((UINT64_C(1) << predictor->config.history_bits) - 1));
	return prediction;
}

static bool bimodal(struct wm_hw_predictor *predictor, uint64_t index, bool taken)
{
	uint8_t *counter = &predictor->bimodal[index & (predictor->config.bimodal_entries - 1)];
	bool prediction = *counter >= WEAKLY_TAKEN;
	train(counter, taken);
	return prediction;
}

/* The choice learns only from branches on which the two disagree. */
static bool hybrid(struct wm_hw_predictor *predictor, uint64_t index, bool taken)
{
	uint8_t *counter = &predictor->meta[index & (predictor->config.meta_entries - 1)];
	bool second = two_level(predictor, index, taken), first = bimodal(predictor, index, taken);
	bool prediction = *counter >= WEAKLY_TAKEN ? second : first;
	if (first != second)
		train(counter, second == taken);
	return prediction;
}

static bool direction(struct wm_hw_predictor *predictor, uint64_t address, bool taken)
{
	uint64_t index = address >> predictor->config.address_shift;
	switch (predictor->config.direction) {
	case WM_HW_PERFECT:
		return taken;
	case WM_HW_BIMODAL:
		return bimodal(predictor, index, taken);
	case WM_HW_TWO_LEVEL:
		return two_level(predictor, index, taken);
	case WM_HW_HYBRID:
		return hybrid(predictor, index, taken);
	}
	return taken;
}

/* Whether the target buffer knew that the taken branch at `address` goes to `next`. */
static bool target_known(struct wm_hw_predictor *predictor, uint64_t address, uint64_t next)
{
	struct wm_hw_cache_result result = wm_hw_cache_access(&predictor->btb, address, false);
	bool known = !result.miss && result.line->value == next;
	result.line->value = next;
	return known;
}

static void push_return(struct wm_hw_predictor *predictor, uint64_t address)
{
	predictor->return_top = (predictor->return_top + 1) % predictor->config.return_entries;
	predictor->return_count += predictor->return_count < predictor->config.return_entries;
	predictor->returns[predictor->return_top] = address;
}

static bool pop_return(struct wm_hw_predictor *predictor, uint64_t next)
{
	if (!predictor->return_count)
		return false;
	uint64_t address = predictor->returns[predictor->return_top];
	predictor->return_top =
		(predictor->return_top + predictor->config.return_entries - 1) % predictor->config.return_entries;
	predictor->return_count--;
	return address == next;
}

static enum wm_hw_prediction predict(
	struct wm_hw_predictor *predictor, const struct wm_hw_insn *branch, uint64_t next, bool taken)
{
	if (branch->branch == WM_HW_RETURN)
		return pop_return(predictor, next) ? WM_HW_PREDICTED : WM_HW_MISPREDICTED;
	if (branch->branch == WM_HW_CALL || branch->branch == WM_HW_CALL_INDIRECT)
		push_return(predictor, branch->address + branch->size);
	bool right = branch->branch != WM_HW_CONDITIONAL || direction(predictor, branch->address, taken) == taken;
	bool known = !taken || target_known(predictor, branch->address, next);
	bool indirect = branch->branch == WM_HW_CALL_INDIRECT || branch->branch == WM_HW_JUMP_INDIRECT;
	if (!right || (!known && indirect))
		return WM_HW_MISPREDICTED;
	return known ? WM_HW_PREDICTED : WM_HW_MISFETCHED;
}

enum wm_hw_prediction wm_hw_predictor_branch(
	struct wm_hw_predictor *predictor, const struct wm_hw_insn *branch, uint64_t next, bool taken)
{
	predictor->branches++;
	if (predictor->config.direction == WM_HW_PERFECT)
		return WM_HW_PREDICTED;
	enum wm_hw_prediction prediction = predict(predictor, branch, next, taken);
	predictor->mispredictions += prediction == WM_HW_MISPREDICTED;
	predictor->misfetches += prediction == WM_HW_MISFETCHED;
	return prediction;
}

void wm_hw_predictor_step(struct wm_hw_predictor *predictor, const struct wm_hw_step *step, struct wm_hw_events *events)
{
	const struct wm_hw_insn *last = wm_hw_block_last(step->block);
	if (step->diverted || last->branch == WM_HW_NO_BRANCH)
		return;
	events->count[WM_HW_MISPREDICTIONS] +=
		wm_hw_predictor_branch(predictor, last, step->next, step->taken) == WM_HW_MISPREDICTED;
}
