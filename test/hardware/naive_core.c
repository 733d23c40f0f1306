/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test/hardware/naive_core.h"
#include <stdlib.h>
#include <string.h>

#define NEVER UINT64_MAX
enum { OPERATIONS = PROGRAM_MAX * (PROGRAM_ACCESSES + 1), NEEDS = 10 };

/* That operation `on` is done, or has its address. */
struct need {
	uint32_t on;
	bool address;
};

struct op {
	const struct line *line;
	const struct wm_hw_access *access; /* NULL: the operation executes */
	bool first, last, decides, serial, after_diversion;
	struct need need[2][NEEDS]; /* for the address; for the rest */
	uint32_t needs[2];
	enum wm_hw_prediction prediction;
	uint64_t fetched, dispatched, issued, addressed, done, committed;
	bool accessed;
	struct wm_hw_events events;
};

struct machine {
	const struct wm_hw_core_config *config;
	const struct wm_hw_core_parts *parts;
	struct op op[OPERATIONS];
	uint32_t count;
	struct need writer[WM_HW_REGISTERS];
	bool written[WM_HW_REGISTERS];
	uint64_t now;
	uint64_t unit_free[WM_HW_UNIT_COUNT][WM_HW_UNITS_MAX];
	uint32_t fetched, dispatched, committed; /* so many operations are */
	uint64_t code_ready;	     /* fetch waits for the instruction cache until then */
	bool code_read; /* the next instruction has been asked for */
	uint32_t code_reads;
	uint32_t cycle_access[WM_HW_UNITS_MAX], cycle_blocks[WM_HW_UNITS_MAX], cycle_accesses;
	uint32_t queue, (*cost)(uint32_t);
	uint64_t start[PROGRAM_MAX], finish[PROGRAM_MAX]; /* of the profiler, for each branch */
	struct naive_run *run;
};

static bool is_store(const struct op *op)
{
	return op->access && op->access->store;
}

static bool is_load(const struct op *op)
{
	return op->access && !op->access->store;
}

/* Cracking and renaming, for the whole program in advance. */

static void need(struct op *op, int group, struct need what)
{
	op->need[group][op->needs[group]++] = what;
}

static void need_register(struct machine *machine, struct op *op, int group, uint8_t source)
{
	if (machine->written[source])
		need(op, group, machine->writer[source]);
}

static struct op *add_op(struct machine *machine, const struct line *line, const struct wm_hw_access *access)
{
	struct op *op = &machine->op[machine->count++];
	*op = (struct op){.line = line, .access = access};
	op->fetched = op->dispatched = op->issued = op->addressed = op->done = op->committed = NEVER;
	for (uint32_t i = 0; access && i < line->insn.address_count; i++)
		need_register(machine, op, 0, line->insn.source[i]);
	return op;
}

static void add_data(struct machine *machine, struct op *op, uint32_t from)
{
	for (uint32_t i = from; i < op->line->insn.source_count; i++)
		need_register(machine, op, 1, op->line->insn.source[i]);
}

static void write_registers(
	struct machine *machine, const struct line *line, uint32_t begin, uint32_t end, struct need by)
{
	for (uint32_t i = begin; i < end; i++) {
		machine->writer[line->insn.destination[i]] = by;
		machine->written[line->insn.destination[i]] = true;
	}
}

static void add_execute(struct machine *machine, const struct line *line, uint32_t loads)
{
	uint32_t index = machine->count;
	struct op *op = add_op(machine, line, NULL);
	add_data(machine, op, line->step.access_count ? line->insn.address_count : 0);
	for (uint32_t i = 1; i <= loads && i <= 2; i++)
		need(op, 1, (struct need){index - i, false});
	op->decides = true;
}

static void crack(struct machine *machine, const struct line *line)
{
	const struct wm_hw_insn *insn = &line->insn;
	uint32_t begin = machine->count, accesses = (uint32_t)line->step.access_count, loads = 0, source = UINT32_MAX;
	bool executes = !accesses || (insn->class != WM_HW_LOAD && insn->class != WM_HW_STORE);
	while (loads < accesses && !line->access[loads].store)
		loads++;
	for (uint32_t i = 0; i <= accesses; i++) {
		if (i == loads && executes) {
			source = machine->count;
			add_execute(machine, line, loads);
		}
		if (i == accesses)
			break;
		uint32_t index = machine->count;
		struct op *op = add_op(machine, line, &line->access[i]);
		if (is_load(op))
			source = index;
		if (is_store(op) && insn->class == WM_HW_STORE)
			add_data(machine, op, insn->address_count);
		if (is_store(op) && source != UINT32_MAX)
			need(op, 1, (struct need){source, false});
	}
	uint32_t last = machine->count - 1, results = insn->destination_count - insn->updated_count;
	machine->op[begin].first = machine->op[last].last = true;
	machine->op[begin].after_diversion = begin && machine->op[begin - 1].line->step.diverted;
	machine->op[begin].serial = machine->op[last].serial = insn->class == WM_HW_SERIAL;
	if (!executes)
		machine->op[last].decides = true;
	uint32_t result = executes ? begin + loads : last;
	/* The first access updates; with execution before it, when there are no loads, it is the second. */
	uint32_t updater = accesses && executes && !loads ? begin + 1 : begin;
	write_registers(machine, line, 0, results, (struct need){result, false});
	write_registers(machine, line, results, insn->destination_count, (struct need){updater, accesses > 0});
}

/* Stages. */

static bool met(const struct machine *machine, const struct op *op, int group)
{
	for (uint32_t i = 0; i < op->needs[group]; i++) {
		const struct op *on = &machine->op[op->need[group][i].on];
		if ((op->need[group][i].address ? on->addressed : on->done) > machine->now)
			return false;
	}
	return true;
}

static bool take(struct machine *machine, enum wm_hw_unit unit, uint32_t interval, bool really)
{
	for (uint32_t i = 0; i < machine->config->units[unit]; i++)
		if (machine->unit_free[unit][i] <= machine->now) {
			if (really)
				machine->unit_free[unit][i] = machine->now + interval;
			return true;
		}
	return false;
}

static bool is_branch_end(const struct op *op)
{
	return op->last && op->line->insn.branch;
}

/* Whether a branch fits: those that wait now are accepted and have not started. */
static bool queue_has_room(const struct machine *machine)
{
	uint32_t waiting = 0, accepted = machine->run->branch_count;
	if (machine->queue == WM_HW_QUEUE_UNBOUNDED)
		return true;
	for (uint32_t i = 0; i < accepted; i++)
		waiting += machine->start[i] > machine->now;
	return waiting < machine->queue || !accepted || machine->finish[accepted - 1] <= machine->now;
}

static void commit_branch(struct machine *machine)
{
	uint32_t index = machine->run->branch_count++;
	uint64_t idle = index ? machine->finish[index - 1] : 0;
	machine->start[index] = idle > machine->now ? idle : machine->now;
	machine->finish[index] = machine->start[index] + machine->cost(index);
	machine->run->branch[index].cycle = machine->now;
}

static uint32_t access_data(struct machine *machine, uint32_t index)
{
	struct op *op = &machine->op[index];
	struct wm_hw_memory_use use = wm_hw_memory_data(machine->parts->memory, op->access, machine->now);
	op->events.count[WM_HW_L1_MISSES] += use.l1_misses;
	op->events.count[WM_HW_L2_MISSES] += use.l2_misses;
	op->events.count[WM_HW_ENERGY] += use.l1_energy + use.lower_energy;
	op->events.count[WM_HW_CYCLE_ENERGY] += use.lower_energy;
	op->accessed = true;
	machine->cycle_access[machine->cycle_accesses] = index;
	machine->cycle_blocks[machine->cycle_accesses++] = use.blocks;
	return use.latency;
}

static void commit(struct machine *machine)
{
	for (uint32_t i = 0; i < machine->config->commit_width && machine->committed < machine->dispatched; i++) {
		struct op *op = &machine->op[machine->committed];
		if (op->done >= machine->now)
			return;
		if (is_store(op) && !take(machine, WM_HW_UNIT_PORT, 1, false))
			return;
		if (is_branch_end(op) && !queue_has_room(machine))
			return;
		if (is_branch_end(op))
			commit_branch(machine);
		if (is_store(op)) {
			take(machine, WM_HW_UNIT_PORT, 1, true);
			access_data(machine, machine->committed);
		}
		op->committed = machine->now;
		machine->committed++;
		machine->run->cycles = machine->now + 1;
	}
}

static void complete_stores(struct machine *machine)
{
	for (uint32_t i = machine->committed; i < machine->dispatched; i++) {
		struct op *op = &machine->op[i];
		if (is_store(op) && op->done == NEVER && op->addressed <= machine->now && met(machine, op, 1))
			op->done = machine->now;
	}
}

static void issue(struct machine *machine)
{
	uint32_t issued = 0;
	for (uint32_t i = machine->committed; i < machine->dispatched && issued < machine->config->issue_width; i++) {
		struct op *op = &machine->op[i];
		uint8_t class = op->line->insn.class;
		if (op->access || class == WM_HW_LOAD || class == WM_HW_STORE)
			class = WM_HW_INT_ALU;
		const struct wm_hw_operation *operation = &machine->config->operation[class];
		if (op->issued != NEVER || op->done != NEVER || !met(machine, op, op->access ? 0 : 1) ||
			!take(machine, operation->unit, operation->interval, true))
			continue;
		op->issued = machine->now;
		*(op->access ? &op->addressed : &op->done) = machine->now + operation->latency;
		issued++;
	}
}

/* The youngest older store in the queue that overlaps; sets `unknown` if an older one has no address. */
static const struct op *older_store(const struct machine *machine, uint32_t load, bool *unknown)
{
	const struct op *found = NULL;
	const struct wm_hw_access *l = machine->op[load].access;
	*unknown = false;
	for (uint32_t i = machine->committed; i < load; i++) {
		const struct op *op = &machine->op[i];
		if (!is_store(op))
			continue;
		*unknown |= op->addressed > machine->now;
		for (uint64_t b = 0; b < l->size; b++)
			if (l->address + b - op->access->address < op->access->size)
				found = op;
	}
	return found;
}

static void access_loads(struct machine *machine)
{
	for (uint32_t i = machine->committed; i < machine->dispatched; i++) {
		struct op *op = &machine->op[i];
		if (!is_load(op) || op->accessed || op->addressed > machine->now)
			continue;
		bool unknown;
		const struct op *store = older_store(machine, i, &unknown);
		if (unknown)
			return;
		uint64_t offset = store ? op->access->address - store->access->address : 0;
		if (store && (offset >= store->access->size || offset + op->access->size > store->access->size))
			continue;
		if (store && store->done > machine->now)
			continue;
		if (!take(machine, WM_HW_UNIT_PORT, 1, true))
			return;
		op->accessed = true;
		machine->run->forwarded += store != NULL;
		op->done = machine->now + (store ? machine->config->forward_latency : access_data(machine, i));
	}
}

static void share_data_energy(struct machine *machine)
{
	uint32_t blocks = 0, ports = machine->config->units[WM_HW_UNIT_PORT];
	for (uint32_t i = 0; i < machine->cycle_accesses; i++)
		blocks += machine->cycle_blocks[i];
	for (uint32_t i = 0; i < machine->cycle_accesses; i++)
		machine->op[machine->cycle_access[i]].events.count[WM_HW_CYCLE_ENERGY] +=
			(uint64_t)machine->cycle_blocks[i] *
			(machine->parts->memory->config.energy.l1d / (blocks < ports ? blocks : ports));
	machine->cycle_accesses = 0;
}

static bool can_dispatch(const struct machine *machine, const struct op *op)
{
	uint32_t queued = 0, in_flight = machine->dispatched - machine->committed;
	for (uint32_t i = machine->committed; i < machine->dispatched; i++) {
		queued += machine->op[i].access != NULL;
		if (machine->op[i].serial && machine->op[i].last)
			return false;
	}
	return !(op->serial && op->first && in_flight) && in_flight < machine->config->reorder_buffer &&
	       !(op->access && queued == machine->config->load_store_queue);
}

static void dispatch(struct machine *machine)
{
	for (uint32_t i = 0; i < machine->config->dispatch_width && machine->dispatched < machine->fetched; i++) {
		struct op *op = &machine->op[machine->dispatched];
		if (!can_dispatch(machine, op))
			return;
		op->dispatched = machine->now;
		if (!op->access && op->line->insn.class == WM_HW_NOP)
			op->done = machine->now;
		machine->dispatched++;
	}
}

static const struct op *deciding_op(const struct machine *machine, uint32_t last)
{
	while (!machine->op[last].decides)
		last--;
	return &machine->op[last];
}

/* Whether a branch that was fetched before operation `next` lets fetch go on in this cycle. */
static bool branch_allows(const struct machine *machine, uint32_t next)
{
	const struct op *last = next ? &machine->op[next - 1] : NULL;
	if (!last || !machine->op[next].first || !is_branch_end(last))
		return true;
	const struct op *op = deciding_op(machine, next - 1);
	if (last->line->step.taken && last->fetched == machine->now)
		return false;
	if (op->prediction == WM_HW_MISPREDICTED)
		return op->done <= machine->now && op->done + machine->config->mispredict_penalty <= machine->now;
	return op->prediction == WM_HW_PREDICTED || op->dispatched < machine->now;
}

/* Asks the instruction cache once for each instruction. */
static void read_code(struct machine *machine, struct op *op, uint64_t *block)
{
	struct wm_hw_memory *memory = machine->parts->memory;
	const struct wm_hw_insn *insn = &op->line->insn;
	struct wm_hw_memory_use use = wm_hw_memory_fetch(memory, insn->address, insn->size, machine->now);
	for (uint64_t i = 0; i < insn->size; i++)
		if ((insn->address + i) / memory->config.l1i.block != *block) {
			*block = (insn->address + i) / memory->config.l1i.block;
			machine->code_reads++;
		}
	machine->code_read = true;
	machine->code_ready = machine->now + use.latency - memory->config.l1_latency;
	op->events.count[WM_HW_L1_MISSES] += use.l1_misses;
	op->events.count[WM_HW_L2_MISSES] += use.l2_misses;
	op->events.count[WM_HW_ENERGY] += use.l1_energy + use.lower_energy;
	op->events.count[WM_HW_CYCLE_ENERGY] += use.lower_energy;
}

static void predict(struct machine *machine, uint32_t first)
{
	const struct line *line = machine->op[first].line;
	uint32_t last = first;
	while (!machine->op[last].last)
		last++;
	if (!line->insn.branch)
		return;
	struct op *op = &machine->op[deciding_op(machine, last) - machine->op];
	op->prediction =
		wm_hw_predictor_branch(machine->parts->predictor, &line->insn, line->step.next, line->step.taken);
	op->events.count[WM_HW_MISPREDICTIONS] = op->prediction == WM_HW_MISPREDICTED;
}

static void fetch(struct machine *machine)
{
	uint32_t begin = machine->fetched;
	uint64_t block = NEVER;
	while (machine->fetched < machine->count && machine->fetched - begin < machine->config->fetch_width &&
		machine->fetched - machine->dispatched < machine->config->fetch_queue) {
		struct op *op = &machine->op[machine->fetched];
		if (!branch_allows(machine, machine->fetched))
			break;
		if (op->first && op->after_diversion && machine->committed < machine->fetched)
			break;
		if (op->first && !machine->code_read) {
			read_code(machine, op, &block);
			predict(machine, machine->fetched);
		}
		if (machine->now < machine->code_ready)
			break;
		if (op->last)
			machine->code_read = false;
		op->fetched = machine->now;
		machine->fetched++;
	}
	for (uint32_t i = begin; i < machine->fetched; i++)
		machine->op[i].events.count[WM_HW_CYCLE_ENERGY] += (uint64_t)machine->code_reads *
								   machine->parts->memory->config.energy.l1i /
								   (machine->fetched - begin);
	if (machine->fetched > begin)
		machine->code_reads = 0;
}

static void sum_events(struct machine *machine)
{
	uint32_t branch = 0;
	uint64_t counted = 0;
	struct wm_hw_events sum = {0};
	for (uint32_t i = 0; i < machine->count; i++) {
		const struct op *op = &machine->op[i];
		sum.count[WM_HW_INSTRUCTIONS] += op->last;
		sum.count[WM_HW_L1_MISSES] += op->events.count[WM_HW_L1_MISSES];
		sum.count[WM_HW_L2_MISSES] += op->events.count[WM_HW_L2_MISSES];
		sum.count[WM_HW_MISPREDICTIONS] += op->events.count[WM_HW_MISPREDICTIONS];
		sum.count[WM_HW_ENERGY] += op->events.count[WM_HW_ENERGY];
		sum.count[WM_HW_CYCLE_ENERGY] += op->events.count[WM_HW_CYCLE_ENERGY];
		if (!is_branch_end(op))
			continue;
		sum.count[WM_HW_CYCLES] = machine->run->branch[branch].cycle + 1 - counted;
		counted += sum.count[WM_HW_CYCLES];
		machine->run->branch[branch++].events = sum;
		sum = (struct wm_hw_events){0};
	}
	machine->run->operations = machine->count;
}

void naive_core_run(struct naive_run *run, const struct program *program, const struct wm_hw_core_config *config,
	const struct wm_hw_core_parts *parts, uint32_t queue, uint32_t (*cost)(uint32_t index))
{
	struct machine *machine = calloc(1, sizeof *machine);
	if (!machine)
		abort();
	memset(run, 0, sizeof *run);
	machine->config = config, machine->parts = parts, machine->queue = queue, machine->cost = cost;
	machine->run = run;
	for (uint32_t i = 0; i < program->count; i++)
		crack(machine, &program->line[i]);
	for (; machine->committed < machine->count; machine->now++) {
		commit(machine);
		complete_stores(machine);
		issue(machine);
		access_loads(machine);
		share_data_energy(machine);
		dispatch(machine);
		fetch(machine);
	}
	sum_events(machine);
	free(machine);
}
