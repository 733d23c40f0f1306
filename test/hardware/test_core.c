/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Programs whose cycles are counted by hand.  The first instruction is fetched in cycle 0,
 * dispatched in 1 and issued in 2; an addition completes in 3 and commits in 4, so that a
 * program of one addition takes 5 cycles.
 */
#include "test/core/support.h"
#include "test/hardware/program.h"
#include <stdlib.h>

enum { FAST_CODE = 1, FAST_DATA = 2, FAST = FAST_CODE | FAST_DATA };

/* A core of table 5.3 that can be changed before the program runs. */
struct bench {
	struct wm_arena arena;
	struct wm_hw_memory memory;
	struct wm_hw_predictor predictor;
	struct wm_hw_core_config config;
	struct wm_hw_profiler profiler;
	struct program *program;
};

static void bench_init(struct bench *bench)
{
	const struct wm_hw_memory_config memory = wm_hw_memory_table_5_3();
	struct wm_hw_predictor_config predictor = wm_hw_predictor_table_5_3();
	*bench = (struct bench){.config = wm_hw_core_table_5_3(), .program = program_new()};
	wm_arena_init(&bench->arena);
	assert_int_equal(wm_hw_memory_init(&bench->memory, &memory, &bench->arena), WM_HW_OK);
	assert_int_equal(wm_hw_predictor_init(&bench->predictor, &predictor, &bench->arena), WM_HW_OK);
}

/* Brings what the program uses into level 1 before it starts. */
static void warm(struct bench *bench, int what)
{
	struct wm_hw_memory_config config = bench->memory.config;
	bench->memory.config.l2_latency = bench->memory.config.memory_latency = 0;
	for (uint32_t i = 0; i < bench->program->count; i++) {
		struct line *line = &bench->program->line[i];
		if (what & FAST_CODE)
			wm_hw_memory_fetch(&bench->memory, line->insn.address, line->insn.size, 0);
		for (size_t k = 0; what & FAST_DATA && k < line->step.access_count; k++)
			wm_hw_memory_data(&bench->memory, &line->access[k], 0);
	}
	bench->memory.config = config;
}

static struct wm_hw_core_stats run(struct bench *bench, int warm_what)
{
	const struct wm_hw_core_parts parts = {
		.memory = &bench->memory, .predictor = &bench->predictor, .profiler = bench->profiler};
	struct wm_hw_core *core;
	warm(bench, warm_what);
	assert_int_equal(wm_hw_core_new(&core, &bench->config, &parts, &bench->arena), WM_HW_OK);
	for (uint32_t i = 0; i < bench->program->count; i++)
		wm_hw_core_run(core, &bench->program->line[i].step);
	wm_hw_core_finish(core);
	struct wm_hw_core_stats stats = wm_hw_core_stats(core);
	assert_int_equal(stats.instructions, bench->program->count);
	wm_arena_release(&bench->arena);
	free(bench->program);
	return stats;
}

#define CHECK_CYCLES(bench, what, want) assert_int_equal(run((bench), (what)).cycles, (want))

static void test_additions(void **state)
{
	struct bench bench;
	(void)state;
	for (uint32_t count = 1; count < 1000; count += 111) {
		bench_init(&bench); /* each needs the one before it */
		for (uint32_t i = 0; i < count; i++)
			program_add(bench.program, WM_HW_INT_ALU, 1, 1);
		CHECK_CYCLES(&bench, FAST, count + 4);
		bench_init(&bench); /* four independent chains */
		for (uint32_t i = 0; i < count; i++)
			program_add(bench.program, WM_HW_INT_ALU, (uint8_t)(1 + i % 4), (uint8_t)(1 + i % 4));
		CHECK_CYCLES(&bench, FAST, (count + 3) / 4 + 4);
		bench_init(&bench); /* nothing to execute */
		for (uint32_t i = 0; i < count; i++)
			program_add(bench.program, WM_HW_NOP, 0, 1);
		CHECK_CYCLES(&bench, FAST, (count + 3) / 4 + 2);
	}
}

static void test_widths(void **state)
{
	struct bench bench;
	(void)state;
	for (int i = 0; i < 4; i++) {
		bench_init(&bench);
		uint32_t *width[] = {&bench.config.fetch_width, &bench.config.dispatch_width, &bench.config.issue_width,
			&bench.config.commit_width};
		*width[i] = 2;
		for (uint8_t k = 0; k < 80; k++)
			program_add(bench.program, WM_HW_INT_ALU, (uint8_t)(k + 1), 0);
		CHECK_CYCLES(&bench, FAST, 40 + 4);
	}
}

static void test_pointer_chase(void **state)
{
	struct bench bench;
	(void)state;
	bench_init(&bench); /* an address takes 1 cycle, a hit 1 */
	for (uint64_t i = 0; i < 100; i++)
		program_load(bench.program, 1, 1, 0x100000 + 64 * i);
	CHECK_CYCLES(&bench, FAST, 2 * 100 + 4);
	bench_init(&bench); /* a miss in both levels 111 */
	for (uint64_t i = 0; i < 100; i++)
		program_load(bench.program, 1, 1, 0x100000 + 64 * i);
	CHECK_CYCLES(&bench, FAST_CODE, 112 * 100 + 4);
	bench_init(&bench); /* every second one hits level 2: blocks of 32 in blocks of 64 */
	for (uint64_t i = 0; i < 100; i++)
		program_load(bench.program, 1, 1, 0x100000 + 32 * i);
	CHECK_CYCLES(&bench, FAST_CODE, (112 + 12) * 50 + 4);
	bench_init(&bench); /* independent misses overlap: two a cycle through the ports */
	for (uint64_t i = 0; i < 16; i++)
		program_load(bench.program, 1, 2, 0x100000 + 64 * i);
	CHECK_CYCLES(&bench, FAST_CODE, 3 + 7 + 111 + 2);
}

/* A branch that is fetched in cycle 0 completes in 3. */
static void test_branches(void **state)
{
	struct bench bench;
	(void)state;
	bench_init(&bench); /* predicted, since counters start as taken and the target is known */
	program_branch(bench.program, WM_HW_CONDITIONAL, true);
	program_add(bench.program, WM_HW_INT_ALU, 1, 0);
	wm_hw_predictor_branch(&bench.predictor, &bench.program->line[0].insn, bench.program->line[0].step.next, true);
	CHECK_CYCLES(&bench, FAST, 1 + 5);
	bench_init(&bench); /* the target is not known before dispatch in 1: fetch resumes in 2 */
	program_branch(bench.program, WM_HW_CONDITIONAL, true);
	program_add(bench.program, WM_HW_INT_ALU, 1, 0);
	CHECK_CYCLES(&bench, FAST, 2 + 5);
	bench_init(&bench); /* mispredicted: 3 cycles after 3 */
	program_branch(bench.program, WM_HW_CONDITIONAL, false);
	program_add(bench.program, WM_HW_INT_ALU, 1, 0);
	CHECK_CYCLES(&bench, FAST, 6 + 5);
	bench_init(&bench); /* mispredicted after a division, which completes in 22 */
	program_add(bench.program, WM_HW_INT_DIV, 1, 0);
	struct line *branch = program_branch(bench.program, WM_HW_CONDITIONAL, false);
	branch->insn.source[branch->insn.source_count++] = 1;
	program_add(bench.program, WM_HW_INT_ALU, 1, 0);
	CHECK_CYCLES(&bench, FAST, 22 + 1 + 3 + 5);
	bench_init(&bench); /* decided in 3, while the last of its three stores is fetched */
	bench.config.fetch_width = 1;
	bench.config.mispredict_penalty = 20;
	branch = program_branch(bench.program, WM_HW_CONDITIONAL, false);
	for (uint64_t i = 0; i < 3; i++)
		program_access(branch, true, 0x100000 + 8 * i, 8, 0);
	program_add(bench.program, WM_HW_INT_ALU, 1, 0);
	CHECK_CYCLES(&bench, FAST, 23 + 5);
	bench_init(&bench);
	bench.config.mispredict_penalty = 20;
	program_branch(bench.program, WM_HW_CONDITIONAL, false);
	program_add(bench.program, WM_HW_INT_ALU, 1, 0);
	CHECK_CYCLES(&bench, FAST, 23 + 5);
}

/* Misses that are accessed in cycles 3, 3, 4 and 4 commit in 115, 115, 116 and 116; with a
 * queue of 4, the next four enter it only then. */
static void test_load_store_queue(void **state)
{
	struct bench bench;
	(void)state;
	for (int full = 0; full < 2; full++) {
		bench_init(&bench);
		bench.config.load_store_queue = full ? 4 : 64;
		for (uint64_t i = 0; i < 8; i++)
			program_load(bench.program, (uint8_t)(i + 1), 0, 0x100000 + 64 * i);
		CHECK_CYCLES(&bench, FAST_CODE, full ? 231 : 119);
	}
	/* Additions need no place in the queue, but dispatch is in order. */
	bench_init(&bench);
	bench.config.load_store_queue = 1;
	program_load(bench.program, 1, 0, 0x100000);
	program_store(bench.program, 2, 0, 0x200000);
	program_add(bench.program, WM_HW_INT_ALU, 3, 0);
	CHECK_CYCLES(&bench, FAST_CODE, 115 + 3 + 1);
}

/* Two misses with additions between them: the second is dispatched early if it is among the
 * first 128, and when the first commits, in cycle 115, otherwise. */
static void test_reorder_buffer(void **state)
{
	struct bench bench;
	(void)state;
	for (uint32_t between = 126; between < 128; between++) {
		bench_init(&bench);
		program_load(bench.program, 1, 0, 0x100000);
		for (uint32_t i = 0; i < between; i++)
			program_add(bench.program, WM_HW_INT_ALU, (uint8_t)(2 + i % 8), 0);
		program_load(bench.program, 1, 0, 0x200000);
		CHECK_CYCLES(&bench, FAST_CODE, between == 126 ? 147 : 230);
	}
}

/* A store completes in 3, when the load after it has its address too. */
static void test_forwarding(void **state)
{
	struct bench bench;
	(void)state;
	bench_init(&bench);
	program_store(bench.program, 1, 0, 0x100000);
	program_load(bench.program, 2, 0, 0x100000);
	struct wm_hw_core_stats stats = run(&bench, FAST_CODE);
	assert_int_equal(stats.cycles, 6);
	assert_int_equal(stats.forwarded, 1);
	assert_int_equal(bench.memory.l1d.accesses, 1); /* the store's */
	bench_init(&bench); /* another address: a miss */
	program_store(bench.program, 1, 0, 0x100000);
	program_load(bench.program, 2, 0, 0x200000);
	CHECK_CYCLES(&bench, FAST_CODE, 116);
	bench_init(&bench); /* the youngest store counts, and the load lies inside it */
	program_store(bench.program, 1, 0, 0x100000);
	program_store(bench.program, 1, 0, 0x100000);
	program_load(bench.program, 2, 0, 0x100004)->access[0].size = 4;
	assert_int_equal(run(&bench, FAST_CODE).forwarded, 1);
	bench_init(&bench); /* the data come from a division, in 22 */
	program_add(bench.program, WM_HW_INT_DIV, 1, 0);
	program_store(bench.program, 1, 0, 0x100000);
	program_load(bench.program, 2, 0, 0x100000);
	CHECK_CYCLES(&bench, FAST, 25);
	bench_init(&bench); /* its address does: no younger load may pass */
	program_add(bench.program, WM_HW_INT_DIV, 1, 0);
	program_store(bench.program, 2, 1, 0x100000);
	program_load(bench.program, 3, 0, 0x200000);
	CHECK_CYCLES(&bench, FAST, 26);
	bench_init(&bench); /* an overlap in part waits for the commit of the store, in 4 */
	program_store(bench.program, 1, 0, 0x100000)->access[0].size = 4;
	program_load(bench.program, 2, 0, 0x100000);
	stats = run(&bench, FAST);
	assert_int_equal(stats.cycles, 7);
	assert_int_equal(stats.forwarded, 0);
}

static void test_units(void **state)
{
	static const struct {
		enum wm_hw_class class;
		uint32_t count, cycles;
	} cases[] = {
		{WM_HW_INT_DIV, 2, 2 + 20 + 2},
		{WM_HW_INT_DIV, 4, 2 + 19 + 20 + 2}, /* two dividers, each busy for 19 cycles */
		{WM_HW_INT_DIV, 6, 2 + 2 * 19 + 20 + 2},
		{WM_HW_INT_MUL, 8, 2 + 3 + 3 + 2}, /* two a cycle */
		{WM_HW_FP_ADD, 8, 2 + 1 + 2 + 2}, /* four a cycle */
		{WM_HW_FP_MUL, 8, 2 + 3 + 4 + 2},
		{WM_HW_FP_DIV, 4, 2 + 12 + 12 + 2},
	};
	struct bench bench;
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		bench_init(&bench);
		for (uint32_t k = 0; k < cases[i].count; k++)
			program_add(bench.program, cases[i].class, (uint8_t)(k + 1), 0);
		CHECK_CYCLES(&bench, FAST, cases[i].cycles);
	}
	/* A multiplication after two divisions waits for a unit; one after an addition does not. */
	bench_init(&bench);
	program_add(bench.program, WM_HW_INT_DIV, 1, 0);
	program_add(bench.program, WM_HW_INT_DIV, 2, 0);
	program_add(bench.program, WM_HW_INT_MUL, 3, 0);
	CHECK_CYCLES(&bench, FAST, 2 + 19 + 3 + 2);
	/* Ports: two accesses a cycle. */
	bench_init(&bench);
	for (uint64_t i = 0; i < 8; i++)
		program_load(bench.program, (uint8_t)(i + 1), 0, 0x100000 + 8 * i);
	CHECK_CYCLES(&bench, FAST, 9);
	bench_init(&bench);
	for (uint64_t i = 0; i < 8; i++)
		program_store(bench.program, (uint8_t)(i + 1), 0, 0x100000 + 8 * i);
	CHECK_CYCLES(&bench, FAST, 4 + 8 / 2);
}

/* Blocks of 8 instructions; the second half of a level 2 block hits level 2. */
static void test_code_misses(void **state)
{
	struct bench bench;
	(void)state;
	bench_init(&bench);
	for (uint8_t i = 0; i < 16; i++)
		program_add(bench.program, WM_HW_INT_ALU, (uint8_t)(i + 1), 0);
	CHECK_CYCLES(&bench, FAST_DATA, 110 + 2 + 10 + 1 + 5);
}

static void test_serial(void **state)
{
	struct bench bench;
	(void)state;
	bench_init(&bench); /* commits in 4, 7 and 10 */
	program_add(bench.program, WM_HW_INT_ALU, 1, 0);
	program_add(bench.program, WM_HW_SERIAL, 0, 0);
	program_add(bench.program, WM_HW_INT_ALU, 2, 0);
	CHECK_CYCLES(&bench, FAST, 11);
	bench_init(&bench); /* a signal empties the pipeline in 4, and the rest is fetched then */
	program_add(bench.program, WM_HW_INT_ALU, 1, 0)->step.diverted = true;
	program_add(bench.program, WM_HW_INT_ALU, 2, 0);
	program_add(bench.program, WM_HW_INT_ALU, 3, 0);
	CHECK_CYCLES(&bench, FAST, 4 + 5);
}

/* add [p], r: load, addition and store; the store computes its address beside the load. */
static void test_cracking(void **state)
{
	struct bench bench;
	(void)state;
	bench_init(&bench);
	struct line *line = program_add(bench.program, WM_HW_INT_ALU, 0, 2);
	program_access(line, false, 0x100000, 8, 1);
	program_access(line, true, 0x100000, 8, 0);
	struct wm_hw_core_stats stats = run(&bench, FAST);
	assert_int_equal(stats.operations, 3);
	assert_int_equal(stats.cycles, 7);
	bench_init(&bench); /* a second one takes its data from the first, in 5 */
	for (int i = 0; i < 2; i++) {
		line = program_add(bench.program, WM_HW_INT_ALU, 0, 2);
		program_access(line, false, 0x100000, 8, 1);
		program_access(line, true, 0x100000, 8, 0);
	}
	stats = run(&bench, FAST);
	assert_int_equal(stats.forwarded, 1);
	assert_int_equal(stats.cycles, 9);
	bench_init(&bench); /* a loaded register and an updated one: the chain runs through the latter */
	for (uint64_t i = 0; i < 50; i++) {
		line = program_load(bench.program, 2, 1, 0x100000 + 8 * i);
		line->insn.destination[line->insn.destination_count++] = 1;
		line->insn.updated_count = 1;
	}
	CHECK_CYCLES(&bench, FAST, 50 + 5);
	bench_init(&bench); /* every access uses the address register as it was before the update */
	line = program_load(bench.program, 2, 1, 0x100000);
	program_access(line, false, 0x100008, 8, 0);
	line->insn.destination[line->insn.destination_count++] = 1;
	line->insn.updated_count = 1;
	CHECK_CYCLES(&bench, FAST, 6);
	bench_init(&bench); /* what does nothing waits for nothing: commits after the division, in 23 */
	program_add(bench.program, WM_HW_INT_DIV, 1, 0);
	program_add(bench.program, WM_HW_NOP, 2, 1);
	program_add(bench.program, WM_HW_INT_ALU, 3, 2);
	CHECK_CYCLES(&bench, FAST, 24);
	bench_init(&bench); /* without memory accesses in the trace, they are additions */
	for (uint64_t i = 0; i < 50; i++)
		program_load(bench.program, 1, 1, 0x100000)->step.access_count = 0;
	CHECK_CYCLES(&bench, FAST, 50 + 4);
}

struct record {
	uint32_t cost, count;
	uint64_t cycle[32];
	struct wm_hw_events events[32];
};

static uint32_t retire(void *closure, const struct wm_hw_retired *branch)
{
	struct record *record = closure;
	record->cycle[record->count] = branch->cycle;
	record->events[record->count++] = branch->events;
	assert_int_equal(branch->insn->branch, WM_HW_CONDITIONAL);
	assert_int_equal(branch->next, branch->insn->address + (branch->taken ? 68 : 4));
	return record->cost;
}

/* Eight branches that would commit four a cycle, in 4 and 5. */
static void test_branch_queue(void **state)
{
	static const struct {
		uint32_t queue, cost;
		uint64_t cycle[8];
	} cases[] = {
		{0, 1, {4, 5, 6, 7, 8, 9, 10, 11}},
		{0, 3, {4, 7, 10, 13, 16, 19, 22, 25}},
		{1, 3, {4, 4, 7, 10, 13, 16, 19, 22}},
		{4, 3, {4, 4, 4, 4, 5, 7, 10, 13}},
		{8, 3, {4, 4, 4, 4, 5, 5, 5, 5}},
		{2, 0, {4, 4, 4, 5, 6, 7, 8, 9}}, /* counts as 1 */
		{WM_HW_QUEUE_UNBOUNDED, 100, {4, 4, 4, 4, 5, 5, 5, 5}},
	};
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct bench bench;
		struct record record = {.cost = cases[i].cost};
		bench_init(&bench);
		bench.predictor.config.direction = WM_HW_PERFECT;
		bench.profiler = (struct wm_hw_profiler){retire, &record, cases[i].queue};
		for (int k = 0; k < 8; k++)
			program_branch(bench.program, WM_HW_CONDITIONAL, false);
		struct wm_hw_core_stats stats = run(&bench, FAST);
		assert_memory_equal(record.cycle, cases[i].cycle, sizeof cases[i].cycle);
		assert_int_equal(stats.cycles, record.cycle[7] + 1);
		assert_int_equal(stats.queue_stall_cycles > 0, stats.cycles > 6);
	}
}

/* Three blocks: what each caused is reported with its branch. */
static void test_events(void **state)
{
	struct bench bench;
	struct record record = {0};
	(void)state;
	bench_init(&bench);
	bench.memory.config.energy = (struct wm_hw_energy){.l1i = 64, .l1d = 100, .l2 = 1000, .memory = 10000};
	bench.profiler = (struct wm_hw_profiler){retire, &record, WM_HW_QUEUE_UNBOUNDED};
	program_load(bench.program, 1, 0, 0x100000);
	program_load(bench.program, 2, 0, 0x100100);
	program_add(bench.program, WM_HW_INT_ALU, 3, 0);
	program_branch(bench.program, WM_HW_CONDITIONAL, true); /* misfetched */
	program_store(bench.program, 3, 0, 0x100000);
	program_branch(bench.program, WM_HW_CONDITIONAL, false); /* mispredicted */
	program_branch(bench.program, WM_HW_CONDITIONAL, true);
	run(&bench, FAST_CODE);
	/* Both loads access in the same cycle: 100 for two, and 64 for the four fetched together.  The
	 * first branch commits in 115, the others in 116. */
	const struct wm_hw_events want[] = {
		{{[WM_HW_INSTRUCTIONS] = 4,
			[WM_HW_L1_MISSES] = 2,
			[WM_HW_L2_MISSES] = 2,
			[WM_HW_ENERGY] = 4 * 64 + 2 * (100 + 100 + 2000 + 10000),
			[WM_HW_CYCLE_ENERGY] = 64 + 100 + 2 * (100 + 2000 + 10000),
			[WM_HW_CYCLES] = 116}},
		{{[WM_HW_INSTRUCTIONS] = 2,
			[WM_HW_MISPREDICTIONS] = 1,
			[WM_HW_ENERGY] = 2 * 64 + 100,
			[WM_HW_CYCLE_ENERGY] = 64 + 100,
			[WM_HW_CYCLES] = 1}},
		{{[WM_HW_INSTRUCTIONS] = 1, [WM_HW_ENERGY] = 64, [WM_HW_CYCLE_ENERGY] = 64}},
	};
	assert_int_equal(record.count, COUNT(want));
	for (size_t i = 0; i < COUNT(want); i++)
		assert_memory_equal(&record.events[i], &want[i], sizeof want[i]);
}

/* A signal after a load: what the interrupted path caused so far is taken, once. */
static void test_take_events(void **state)
{
	struct bench bench;
	struct wm_hw_core *core;
	(void)state;
	bench_init(&bench);
	const struct wm_hw_core_parts parts = {.memory = &bench.memory, .predictor = &bench.predictor};
	program_load(bench.program, 1, 0, 0x100000)->step.diverted = true;
	warm(&bench, FAST_CODE);
	assert_int_equal(wm_hw_core_new(&core, &bench.config, &parts, &bench.arena), WM_HW_OK);
	wm_hw_core_run(core, &bench.program->line[0].step);
	struct wm_hw_events events = wm_hw_core_take_events(core);
	assert_int_equal(events.count[WM_HW_INSTRUCTIONS], 1);
	assert_int_equal(events.count[WM_HW_L2_MISSES], 1);
	assert_int_equal(events.count[WM_HW_CYCLES], 116);
	const struct wm_hw_events none = {{0}};
	events = wm_hw_core_take_events(core);
	assert_memory_equal(&events, &none, sizeof none);
	wm_arena_release(&bench.arena);
	free(bench.program);
}

static void test_costs(void **state)
{
	static const struct {
		struct wm_hw_profiler_work work;
		uint32_t ways, cycles;
	} cases[] = {
		{{.updates = 1}, 4, 1},
		{{.updates = 1, .pushes = 1}, 4, 2},
		{{.update_counts = 1, .pops = 1, .pushes = 1}, 4, 4},
		{{.update_counts = 1, .pops = 1, .table_misses = 1}, 4, 5},
		{{.pops = 1, .table_misses = 1}, 32, 7},
		{{.pops = 1, .table_misses = 1}, 1, 2},
	};
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_int_equal(
			wm_hw_profiler_cycles(&WM_HW_PROFILER_COSTS, &cases[i].work, cases[i].ways), cases[i].cycles);
}

static void test_bad_cores(void **state)
{
	struct bench bench;
	struct wm_hw_core *core = NULL;
	(void)state;
	bench_init(&bench);
	struct wm_hw_core_parts parts = {.memory = &bench.memory, .predictor = &bench.predictor};
	struct wm_hw_core_config bad[7];
	for (size_t i = 0; i < COUNT(bad); i++)
		bad[i] = bench.config;
	bad[0].fetch_width = 0;
	bad[1].reorder_buffer = 5000;
	bad[2].load_store_queue = 0;
	bad[3].units[WM_HW_UNIT_PORT] = 0;
	bad[4].units[WM_HW_UNIT_INT] = WM_HW_UNITS_MAX + 1;
	bad[5].operation[WM_HW_FP_DIV].latency = 0;
	bad[6].operation[WM_HW_FP_DIV].interval = 70000;
	for (size_t i = 0; i < COUNT(bad); i++)
		assert_int_equal(wm_hw_core_new(&core, &bad[i], &parts, &bench.arena), WM_HW_BAD_CONFIG);
	parts.profiler = (struct wm_hw_profiler){.retire = retire, .queue = 1u << 30};
	assert_int_equal(wm_hw_core_new(&core, &bench.config, &parts, &bench.arena), WM_HW_BAD_CONFIG);
	parts.profiler.retire = NULL;
	bench.memory.config.l1_latency = 0;
	assert_int_equal(wm_hw_core_new(&core, &bench.config, &parts, &bench.arena), WM_HW_BAD_CONFIG);
	bench.memory.config.l1_latency = 1;
	for (size_t limit = 64; limit < 64 << 10; limit *= 2) {
		wm_arena_set_limit(&bench.arena, bench.arena.used + limit);
		enum wm_hw_status status = wm_hw_core_new(&core, &bench.config, &parts, &bench.arena);
		assert_true(status == WM_HW_NO_MEMORY || (status == WM_HW_OK && limit > 1024));
	}
	assert_non_null(core);
	wm_arena_release(&bench.arena);
	free(bench.program);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_additions),
		cmocka_unit_test(test_widths),
		cmocka_unit_test(test_pointer_chase),
		cmocka_unit_test(test_branches),
		cmocka_unit_test(test_load_store_queue),
		cmocka_unit_test(test_reorder_buffer),
		cmocka_unit_test(test_forwarding),
		cmocka_unit_test(test_units),
		cmocka_unit_test(test_code_misses),
		cmocka_unit_test(test_serial),
		cmocka_unit_test(test_cracking),
		cmocka_unit_test(test_branch_queue),
		cmocka_unit_test(test_events),
		cmocka_unit_test(test_take_events),
		cmocka_unit_test(test_costs),
		cmocka_unit_test(test_bad_cores),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
