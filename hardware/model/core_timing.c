/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Making a core, and its first stage: fetch, and cracking into operations. */
#include "hardware/model/core_timing.h"
#include "hardware/model/bits.h"
#include "hardware/model/pipeline.h"

#define MAX_QUEUE 4096
#define MAX_WIDTH 64
#define MAX_LATENCY 65535
#define MAX_MEMORY_LATENCY (UINT64_C(1) << 20)
#define WORD 64

struct wm_hw_core_config wm_hw_core_table_5_3(void)
{
	return (struct wm_hw_core_config){
		.fetch_width = 4,
		.dispatch_width = 4,
		.issue_width = 4,
		.commit_width = 4,
		.fetch_queue = 16,
		.reorder_buffer = 128,
		.load_store_queue = 64,
		.mispredict_penalty = 3,
		.forward_latency = 1,
		.units = {[WM_HW_UNIT_INT] = 4,
			[WM_HW_UNIT_INT_MUL] = 2,
			[WM_HW_UNIT_FP] = 4,
			[WM_HW_UNIT_FP_MUL] = 2,
			[WM_HW_UNIT_PORT] = 2},
		.operation =
			{
				[WM_HW_NOP] = {WM_HW_UNIT_INT, 1, 1},
				[WM_HW_INT_ALU] = {WM_HW_UNIT_INT, 1, 1},
				[WM_HW_INT_MUL] = {WM_HW_UNIT_INT_MUL, 3, 1},
				[WM_HW_INT_DIV] = {WM_HW_UNIT_INT_MUL, 20, 19},
				[WM_HW_FP_ADD] = {WM_HW_UNIT_FP, 2, 1},
				[WM_HW_FP_MUL] = {WM_HW_UNIT_FP_MUL, 4, 1},
				[WM_HW_FP_DIV] = {WM_HW_UNIT_FP_MUL, 12, 12},
				[WM_HW_LOAD] = {WM_HW_UNIT_INT, 1, 1},
				[WM_HW_STORE] = {WM_HW_UNIT_INT, 1, 1},
				[WM_HW_BRANCH] = {WM_HW_UNIT_INT, 1, 1},
				[WM_HW_SERIAL] = {WM_HW_UNIT_INT, 1, 1},
			},
	};
}

static bool within(uint32_t value, uint32_t limit)
{
	return value && value <= limit;
}

static uint64_t memory_latency(const struct wm_hw_memory_config *memory)
{
	return (uint64_t)memory->l1_latency + memory->l2_latency + memory->memory_latency;
}

static bool config_valid(const struct wm_hw_core_config *config, const struct wm_hw_memory_config *memory)
{
	bool valid = within(config->fetch_width, MAX_WIDTH) && within(config->dispatch_width, MAX_WIDTH) &&
		     within(config->issue_width, MAX_WIDTH) && within(config->commit_width, MAX_WIDTH) &&
		     within(config->fetch_queue, MAX_QUEUE) && within(config->reorder_buffer, MAX_QUEUE) &&
		     within(config->load_store_queue, MAX_QUEUE) && within(config->forward_latency, MAX_LATENCY) &&
		     config->mispredict_penalty <= MAX_LATENCY && memory->l1_latency &&
		     memory_latency(memory) < MAX_MEMORY_LATENCY;
	for (uint32_t i = 0; i < WM_HW_UNIT_COUNT; i++)
		valid = valid && within(config->units[i], WM_HW_UNITS_MAX);
	for (uint32_t i = 0; i < WM_HW_CLASS_COUNT; i++)
		valid = valid && config->operation[i].unit < WM_HW_UNIT_COUNT &&
			within(config->operation[i].latency, MAX_LATENCY) &&
			within(config->operation[i].interval, MAX_LATENCY);
	return valid;
}

/* Above every latency, so that what completes lies within one turn of the wheel. */
static uint64_t wheel_size(const struct wm_hw_core_config *config, const struct wm_hw_memory_config *memory)
{
	uint64_t longest = memory_latency(memory);
	if (config->forward_latency > longest)
		longest = config->forward_latency;
	for (uint32_t i = 0; i < WM_HW_CLASS_COUNT; i++)
		if (config->operation[i].latency > longest)
			longest = config->operation[i].latency;
	return wm_hw_power_above(longest + WORD);
}

static bool allocate_core(struct wm_hw_core *core, struct wm_arena *arena)
{
	const struct wm_hw_core_config *config = &core->config;
	uint64_t slots = wm_hw_power_above(config->reorder_buffer + config->fetch_queue);
	uint64_t cycles = wheel_size(config, &core->parts.memory->config);
	uint64_t stores = wm_hw_power_above(config->load_store_queue);
	slots = slots < WORD ? WORD : slots;
	core->window = (struct window){
		.uop = WM_NEW(arena, struct uop, slots),
		.link = wm_arena_alloc(arena, slots, sizeof *core->window.link),
		.next = WM_NEW(arena, uint64_t, slots),
		.ready = WM_NEW(arena, uint64_t, slots / WORD),
		.loads = WM_NEW(arena, uint64_t, slots / WORD),
		.mask = slots - 1,
		.head = 1,
		.dispatched = 1,
		.fetched = 1,
	};
	core->wheel = (struct wheel){
		.first = WM_NEW(arena, uint32_t, cycles),
		.occupied = WM_NEW(arena, uint64_t, cycles / WORD),
		.mask = cycles - 1,
	};
	core->stores = (struct store_queue){.entry = WM_NEW(arena, struct store_entry, stores), .mask = stores - 1};
	for (uint64_t i = 0; core->wheel.first && i < cycles; i++)
		core->wheel.first[i] = NONE;
	return core->window.uop && core->window.link && core->window.next && core->window.ready && core->window.loads &&
	       core->wheel.first && core->wheel.occupied && core->stores.entry;
}

enum wm_hw_status wm_hw_core_new(struct wm_hw_core **core, const struct wm_hw_core_config *config,
	const struct wm_hw_core_parts *parts, struct wm_arena *arena)
{
	if (!config_valid(config, &parts->memory->config))
		return WM_HW_BAD_CONFIG;
	struct wm_hw_core *made = WM_NEW(arena, struct wm_hw_core, 1);
	if (!made)
		return WM_HW_NO_MEMORY;
	made->config = *config;
	made->parts = *parts;
	made->fetch = (struct fetch){.first = 1, .block = UINT64_MAX};
	enum wm_hw_status status = wm_hw_branch_queue_init(
		&made->commit.queue, parts->profiler.retire ? parts->profiler.queue : WM_HW_QUEUE_UNBOUNDED, arena);
	if (status == WM_HW_OK && !allocate_core(made, arena))
		status = WM_HW_NO_MEMORY;
	if (status == WM_HW_OK)
		*core = made;
	return status;
}

/* Runs cycles until an operation can be fetched. */
static void wait_for_fetch(struct wm_hw_core *core)
{
	const struct fetch *fetch = &core->fetch;
	const struct window *window = &core->window;
	while (fetch->blocked || core->now < fetch->resume || fetch->count >= core->config.fetch_width ||
		window->fetched - window->dispatched >= core->config.fetch_queue)
		wm_hw_pipeline_cycle(core);
}

/* Reads an instruction from the cache, and waits for it. */
static struct wm_hw_memory_use read_code(struct wm_hw_core *core, const struct wm_hw_insn *insn)
{
	struct wm_hw_memory *memory = core->parts.memory;
	struct fetch *fetch = &core->fetch;
	wait_for_fetch(core);
	struct wm_hw_memory_use use = wm_hw_memory_fetch(memory, insn->address, insn->size, core->now);
	uint64_t first = insn->address >> memory->l1i.block_bits;
	fetch->reads += use.blocks - (first == fetch->block);
	fetch->block = first + use.blocks - 1;
	if (use.latency > memory->config.l1_latency) {
		fetch->resume = core->now + use.latency - memory->config.l1_latency;
		wait_for_fetch(core);
	}
	return use;
}

/* The place of the next operation in the fetch queue, once it can be fetched. */
static struct uop *fetch_uop(struct wm_hw_core *core, const struct wm_hw_insn *insn)
{
	struct window *window = &core->window;
	wait_for_fetch(core);
	struct uop *uop = &window->uop[slot_of(window, window->fetched++)];
	*uop = (struct uop){.insn = insn, .consumers = {NONE, NONE}};
	core->fetch.count++;
	core->acted = true;
	return uop;
}

/* The operations of one instruction, in order: the loads before its first store, what it
 * computes, and the other accesses. */
struct cracked {
	const struct wm_hw_insn *insn;
	const struct wm_hw_access *access;
	size_t access_count;
	size_t early_loads;
	bool executes;
	size_t count; /* operations */
};

static struct cracked crack(const struct wm_hw_insn *insn, const struct wm_hw_access *access, size_t access_count)
{
	struct cracked cracked = {.insn = insn, .access = access, .access_count = access_count};
	while (cracked.early_loads < access_count && !access[cracked.early_loads].store)
		cracked.early_loads++;
	cracked.executes = !access_count || (insn->class != WM_HW_LOAD && insn->class != WM_HW_STORE);
	cracked.count = access_count + cracked.executes;
	return cracked;
}

/* The operation whose completion decides a branch. */
static size_t deciding(const struct cracked *cracked)
{
	return cracked->executes ? cracked->early_loads : cracked->count - 1;
}

/* What an instruction computes needs its registers and the last two of its early loads: those
 * that make more are rare. */
static void set_execute(struct uop *uop, const struct cracked *cracked)
{
	const struct wm_hw_insn *insn = cracked->insn;
	uop->role = ROLE_EXECUTE;
	uop->flags |= FLAG_RESULT | (cracked->access_count ? 0 : FLAG_UPDATES);
	if (insn->class == WM_HW_NOP)
		return; /* it is done at dispatch and waits for nothing */
	uop->source_first = cracked->access_count ? insn->address_count : 0;
	uop->source_end = insn->source_count;
	for (size_t i = 0; i < PRODUCERS && i < cracked->early_loads; i++)
		uop->producer[i] = (uint8_t)(i + 1);
}

/* An access needs the registers of its address. */
static void set_access(struct uop *uop, const struct cracked *cracked, size_t index)
{
	const struct wm_hw_access *access = &cracked->access[index];
	bool first = index == 0, last = index == cracked->access_count - 1;
	uop->role = access->store ? ROLE_STORE : ROLE_LOAD;
	uop->address = access->address;
	uop->size = access->size;
	uop->address_links = uop->source_end = cracked->insn->address_count;
	uop->flags |= first ? FLAG_UPDATES : 0;
	uop->flags |= last && !cracked->executes ? FLAG_RESULT : 0;
}

/* A store also needs what it writes: the other registers of an instruction that only stores, and the result of the operation
 * `producer` places before it; 0: there is none. */
static void set_stored_data(struct uop *uop, const struct wm_hw_insn *insn, size_t producer)
{
	if (insn->class == WM_HW_STORE)
		uop->source_end = insn->source_count;
	if (producer <= UINT8_MAX)
		uop->producer[0] = (uint8_t)producer;
}

/* What fetch knows about an instruction: flags of its first operation, of the one that decides
 * a branch, and of its last, and what reading it did. */
struct fetched {
	uint8_t first_flags, deciding_flags, last_flags;
	struct wm_hw_memory_use use;
};

static void set_first(struct uop *uop, const struct fetched *fetched)
{
	const struct wm_hw_memory_use *use = &fetched->use;
	uop->flags |= fetched->first_flags;
	uop->energy = use->l1_energy + use->lower_energy;
	uop->cycle_energy = use->lower_energy;
	uop->l1_misses = (uint8_t)use->l1_misses;
	uop->l2_misses = (uint8_t)use->l2_misses;
}

static void fetch_cracked(struct wm_hw_core *core, const struct cracked *cracked, const struct fetched *fetched)
{
	size_t access = 0, producer = SIZE_MAX;
	for (size_t i = 0; i < cracked->count; i++) {
		struct uop *uop = fetch_uop(core, cracked->insn);
		if (cracked->executes && i == cracked->early_loads)
			set_execute(uop, cracked);
		else
			set_access(uop, cracked, access++);
		if (uop->role == ROLE_STORE)
			set_stored_data(uop, cracked->insn, producer == SIZE_MAX ? 0 : i - producer);
		else
			producer = i;
		if (i == 0)
			set_first(uop, fetched);
		uop->flags |= i == deciding(cracked) ? fetched->deciding_flags : 0;
		uop->flags |= i == cracked->count - 1 ? fetched->last_flags : 0;
	}
}

/* Closes or blocks fetch after the branch that was just fetched.  Its deciding operation,
 * `sequence`, may have gone on already while others were fetched. */
static void end_branch(struct wm_hw_core *core, uint64_t sequence, enum wm_hw_prediction prediction, bool taken)
{
	const struct window *window = &core->window;
	bool done = sequence < window->head || window->uop[slot_of(window, sequence)].state == STATE_DONE;
	bool decided = prediction == WM_HW_MISPREDICTED ? done : sequence < window->dispatched;
	if (prediction != WM_HW_PREDICTED && !decided)
		core->fetch.blocked = true;
	else if (prediction != WM_HW_PREDICTED)
		core->fetch.resume = core->fetch.decided;
	if (taken)
		core->fetch.count = core->config.fetch_width;
}

/* Fetches instruction `index` of a step with the accesses it made. */
static void fetch_insn(
	struct wm_hw_core *core, const struct wm_hw_step *step, uint32_t index, const struct cracked *cracked)
{
	static const uint8_t flags[] = {
		[WM_HW_PREDICTED] = 0, [WM_HW_MISFETCHED] = FLAG_MISFETCHED, [WM_HW_MISPREDICTED] = FLAG_MISPREDICTED};
	const struct wm_hw_insn *insn = cracked->insn;
	struct fetched fetched = {.use = read_code(core, insn)};
	bool branch = index == step->block->insn_count - 1 && insn->branch != WM_HW_NO_BRANCH;
	enum wm_hw_prediction prediction =
		branch ? wm_hw_predictor_branch(core->parts.predictor, insn, step->next, step->taken) : WM_HW_PREDICTED;
	fetched.first_flags = insn->class == WM_HW_SERIAL ? FLAG_WAITS : 0;
	fetched.deciding_flags = flags[prediction];
	fetched.last_flags = FLAG_LAST | (branch && step->taken ? FLAG_TAKEN : 0);
	fetched.last_flags |= insn->class == WM_HW_SERIAL ? FLAG_BARRIER : 0;
	fetch_cracked(core, cracked, &fetched);
	core->window.next[slot_of(&core->window, core->window.fetched - 1)] = step->next;
	if (branch)
		end_branch(core, core->window.fetched - cracked->count + deciding(cracked), prediction, step->taken);
}

void wm_hw_core_run(struct wm_hw_core *core, const struct wm_hw_step *step)
{
	uint32_t count = wm_hw_step_end(step);
	size_t access = 0;
	for (uint32_t i = step->first; i < count; i++) {
		while (access < step->access_count && step->access[access].insn < i)
			access++;
		size_t end = access;
		while (end < step->access_count && step->access[end].insn == i)
			end++;
		const struct wm_hw_access *own = end > access ? &step->access[access] : NULL;
		struct cracked cracked = crack(&step->block->insn[i], own, end - access);
		fetch_insn(core, step, i, &cracked);
		access = end;
	}
	if (step->diverted)
		wm_hw_core_finish(core);
}

void wm_hw_core_finish(struct wm_hw_core *core)
{
	while (core->window.head < core->window.fetched)
		wm_hw_pipeline_cycle(core);
}

struct wm_hw_events wm_hw_core_take_events(struct wm_hw_core *core)
{
	struct commit *commit = &core->commit;
	struct wm_hw_events events = commit->events;
	events.count[WM_HW_CYCLES] = commit->stats.cycles - commit->counted;
	commit->counted = commit->stats.cycles;
	commit->events = (struct wm_hw_events){0};
	return events;
}

struct wm_hw_core_stats wm_hw_core_stats(const struct wm_hw_core *core)
{
	return core->commit.stats;
}
