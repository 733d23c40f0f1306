/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Random programs on random cores, against the naive pipeline. */
#include "test/core/random_graph.h"
#include "test/core/support.h"
#include "test/hardware/naive_core.h"
#include <stdlib.h>

enum { RUNS = 400, LINES = 300 };

static uint8_t some_register(struct random *seed)
{
	return (uint8_t)(1 + random_below(seed, 8));
}

static void random_accesses(struct line *line, struct random *seed, uint32_t region)
{
	uint32_t count = 1 + (random_below(seed, 4) == 0 ? random_below(seed, PROGRAM_ACCESSES) : 0);
	bool only = line->insn.class == WM_HW_LOAD || line->insn.class == WM_HW_STORE;
	for (uint32_t i = 0; i < count; i++) {
		bool store = only && random_below(seed, 8) ? line->insn.class == WM_HW_STORE : random_below(seed, 2);
		uint8_t base = i == 0 && random_below(seed, 3) ? some_register(seed) : 0;
		program_access(line, store, 0x100000 + random_below(seed, region),
			(uint8_t)(1 + random_below(seed, 16)), base);
	}
	if (line->insn.address_count && random_below(seed, 2)) {
		line->insn.destination[line->insn.destination_count++] = line->insn.source[0];
		line->insn.updated_count = 1;
	}
}

static void random_line(struct program *program, struct random *seed, uint32_t region)
{
	enum wm_hw_class class = (enum wm_hw_class)random_below(seed, WM_HW_CLASS_COUNT + (region < 4096 ? 30 : 6));
	struct line *line;
	if (class == WM_HW_BRANCH) {
		enum wm_hw_branch branch = (enum wm_hw_branch)(1 + random_below(seed, WM_HW_BRANCH_COUNT - 1));
		line = program_branch(program, branch, branch != WM_HW_CONDITIONAL || random_below(seed, 2));
		if (line->step.taken) /* code that has run before is in the cache */
			line->step.next = program->address = 0x1000 + 4 * (uint64_t)random_below(seed, 100);
	} else {
		if (class >= WM_HW_CLASS_COUNT || (class == WM_HW_SERIAL && random_below(seed, 8)))
			class = random_below(seed, 2) ? WM_HW_LOAD : WM_HW_STORE;
		line = program_add(program, class, random_below(seed, 3) ? some_register(seed) : 0, 0);
		line->step.diverted = random_below(seed, 100) == 0;
	}
	for (uint32_t i = random_below(seed, 3); i > 0; i--)
		line->insn.source[line->insn.source_count++] = some_register(seed);
	if (class == WM_HW_LOAD || class == WM_HW_STORE || random_below(seed, 6) == 0)
		random_accesses(line, seed, region);
}

static struct program *random_program(struct random *seed)
{
	struct program *program = program_new();
	uint32_t region = random_below(seed, 2) ? 32 : 4096; /* a small one: much forwarding */
	while (program->count < LINES)
		random_line(program, seed, region);
	return program;
}

static struct wm_hw_core_config random_config(struct random *seed)
{
	struct wm_hw_core_config config = wm_hw_core_table_5_3();
	config.fetch_width = 1 + random_below(seed, 5);
	config.dispatch_width = 1 + random_below(seed, 5);
	config.issue_width = 1 + random_below(seed, 5);
	config.commit_width = 1 + random_below(seed, 5);
	config.fetch_queue = 1 + random_below(seed, 20);
	config.reorder_buffer = 1 + random_below(seed, 2) * random_below(seed, 10) + random_below(seed, 150);
	config.load_store_queue = 1 + random_below(seed, 2) * random_below(seed, 60) + random_below(seed, 5);
	config.mispredict_penalty = random_below(seed, 8);
	config.forward_latency = 1 + random_below(seed, 3);
	for (uint32_t i = 0; i < WM_HW_UNIT_COUNT; i++)
		config.units[i] = 1 + random_below(seed, 4);
	for (uint32_t i = 0; i < WM_HW_CLASS_COUNT; i++) {
		config.operation[i].latency = 1 + random_below(seed, 6) * random_below(seed, 6);
		config.operation[i].interval = 1 + random_below(seed, 2) * random_below(seed, 20);
	}
	return config;
}

static struct wm_hw_memory_config random_memory(struct random *seed)
{
	return (struct wm_hw_memory_config){
		.l1i = {.size = 512, .ways = 2, .block = 16},
		.l1d = {.size = 256, .ways = 1, .block = 8},
		.l2 = {.size = 2048, .ways = 2, .block = 32},
		.l1_latency = 1 + random_below(seed, 3),
		.l2_latency = random_below(seed, 12),
		.memory_latency = random_below(seed, 90),
		.energy = {.l1i = 60, .l1d = 120, .l2 = 1000, .memory = 100000},
	};
}

static uint32_t cost(uint32_t index)
{
	return 1 + index * 2654435761u % 7;
}

struct record {
	const struct naive_run *want;
	uint32_t count;
};

static uint32_t retire(void *closure, const struct wm_hw_retired *branch)
{
	struct record *record = closure;
	const struct naive_branch *want = &record->want->branch[record->count];
	assert_true(record->count < record->want->branch_count);
	assert_int_equal(branch->cycle, want->cycle);
	assert_memory_equal(&branch->events, &want->events, sizeof branch->events);
	return cost(record->count++);
}

static void make_parts(struct wm_hw_core_parts *parts, const struct wm_hw_memory_config *config, struct wm_arena *arena)
{
	struct wm_hw_predictor_config predictor = wm_hw_predictor_table_5_3();
	predictor.history_bits = 2;
	parts->memory = WM_NEW(arena, struct wm_hw_memory, 1);
	parts->predictor = WM_NEW(arena, struct wm_hw_predictor, 1);
	assert_int_equal(wm_hw_memory_init(parts->memory, config, arena), WM_HW_OK);
	assert_int_equal(wm_hw_predictor_init(parts->predictor, &predictor, arena), WM_HW_OK);
}

static struct wm_hw_core_stats run_core(const struct program *program, const struct wm_hw_core_config *config,
	const struct wm_hw_core_parts *parts, struct wm_arena *arena)
{
	struct wm_hw_core *core;
	assert_int_equal(wm_hw_core_new(&core, config, parts, arena), WM_HW_OK);
	for (uint32_t i = 0; i < program->count; i++)
		wm_hw_core_run(core, &program->line[i].step);
	wm_hw_core_finish(core);
	return wm_hw_core_stats(core);
}

static void check_program(struct random *seed, struct naive_run *want, struct naive_run *total)
{
	static const uint32_t queues[] = {0, 1, 2, 4, 8, WM_HW_QUEUE_UNBOUNDED};
	uint32_t queue = queues[random_below(seed, COUNT(queues))];
	struct program *program = random_program(seed);
	const struct wm_hw_core_config config = random_config(seed);
	const struct wm_hw_memory_config memory = random_memory(seed);
	struct record record = {.want = want};
	struct wm_hw_core_parts parts = {.profiler = {retire, &record, queue}};
	struct wm_arena arena;
	wm_arena_init(&arena);
	make_parts(&parts, &memory, &arena);
	naive_core_run(want, program, &config, &parts, queue, cost);
	make_parts(&parts, &memory, &arena);
	struct wm_hw_core_stats stats = run_core(program, &config, &parts, &arena);
	assert_int_equal(stats.cycles, want->cycles);
	assert_int_equal(stats.instructions, LINES);
	assert_int_equal(stats.operations, want->operations);
	assert_int_equal(stats.forwarded, want->forwarded);
	assert_int_equal(record.count, want->branch_count);
	total->forwarded += want->forwarded;
	total->branch_count += want->branch_count;
	wm_arena_release(&arena);
	free(program);
}

static void test_random_programs(void **state)
{
	struct random seed = {1};
	struct naive_run *want = calloc(2, sizeof *want);
	(void)state;
	assert_non_null(want);
	for (int i = 0; i < RUNS; i++)
		check_program(&seed, &want[0], &want[1]);
	assert_true(want[1].forwarded > RUNS && want[1].branch_count > 10 * RUNS);
	free(want);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_programs)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
