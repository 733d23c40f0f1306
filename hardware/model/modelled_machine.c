/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "hardware/model/modelled_machine.h"
#include <stdlib.h>

/* Branches between fetch and commit: more than queues and buffer hold. */
enum { FRAMES = 1 << 14 };

struct wm_hw_machine {
	struct wm_hw_machine_config config;
	struct wm_hw_machine_sink sink;
	struct wm_arena arena;
	struct wm_hw_memory memory;
	struct wm_hw_predictor predictor;
	struct wm_hw_core *core;
	struct wm_hw_committed branch; /* the next one, without a core: its events add up here */
	uint64_t *frame; /* with a core: a ring of the frames of branches in flight */
	uint32_t frame_in, frame_out;
};

struct wm_hw_machine_config wm_hw_machine_table_5_3(void)
{
	return (struct wm_hw_machine_config){.memory_config = wm_hw_memory_table_5_3(),
		.predictor_config = wm_hw_predictor_table_5_3(),
		.core_config = wm_hw_core_table_5_3(),
		.queue = WM_HW_QUEUE_UNBOUNDED};
}

void wm_hw_machine_set_energy(struct wm_hw_machine_config *config)
{
	struct wm_hw_memory_config *memory = &config->memory_config;
	memory->energy = wm_hw_energy_relative(&(struct wm_hw_energy_config){.l1i = memory->l1i,
						       .l1d = memory->l1d,
						       .l2 = memory->l2,
						       .l1d_ports = config->core_config.units[WM_HW_UNIT_PORT],
						       .scale = 1},
		&WM_HW_TECHNOLOGY);
}

static uint32_t retire(void *closure, const struct wm_hw_retired *retired)
{
	struct wm_hw_machine *machine = closure;
	struct wm_hw_committed branch = {.type = wm_hw_branch_type(retired->insn, retired->next),
		.next = retired->next,
		.frame = machine->frame[machine->frame_out++ % FRAMES],
		.taken = retired->taken,
		.events = retired->events};
	return machine->sink.branch(machine->sink.closure, &branch);
}

static enum wm_hw_status init_parts(struct wm_hw_machine *machine)
{
	const struct wm_hw_machine_config *config = &machine->config;
	enum wm_hw_status status = WM_HW_OK;
	if (config->caches || config->core)
		status = wm_hw_memory_init(&machine->memory, &config->memory_config, &machine->arena);
	if (!status && (config->predictor || config->core))
		status = wm_hw_predictor_init(&machine->predictor, &config->predictor_config, &machine->arena);
	if (status || !config->core)
		return status;
	machine->frame = WM_NEW(&machine->arena, uint64_t, FRAMES);
	struct wm_hw_core_parts parts = {.memory = &machine->memory,
		.predictor = &machine->predictor,
		.profiler = {.retire = retire, .closure = machine, .queue = config->queue}};
	return machine->frame ? wm_hw_core_new(&machine->core, &config->core_config, &parts, &machine->arena)
			      : WM_HW_NO_MEMORY;
}

enum wm_hw_status wm_hw_machine_new(struct wm_hw_machine **machine, const struct wm_hw_machine_config *config,
	const struct wm_hw_machine_sink *sink)
{
	struct wm_hw_machine *result = calloc(1, sizeof(*result));
	if (!result)
		return WM_HW_NO_MEMORY;
	result->config = *config;
	result->sink = *sink;
	wm_arena_init(&result->arena);
	enum wm_hw_status status = init_parts(result);
	if (status)
		wm_hw_machine_free(result);
	else
		*machine = result;
	return status;
}

void wm_hw_machine_free(struct wm_hw_machine *machine)
{
	if (!machine)
		return;
	wm_arena_release(&machine->arena);
	free(machine);
}

static void count_events(struct wm_hw_machine *machine, const struct wm_hw_step *step)
{
	if (machine->config.caches)
		wm_hw_memory_step(&machine->memory, step, &machine->branch.events);
	else
		machine->branch.events.count[WM_HW_INSTRUCTIONS] += wm_hw_step_end(step) - step->first;
	if (machine->config.predictor)
		wm_hw_predictor_step(&machine->predictor, step, &machine->branch.events);
}

void wm_hw_machine_step(struct wm_hw_machine *machine, const struct wm_hw_step *step)
{
	if (machine->core) {
		if (wm_hw_step_retires_branch(step))
			machine->frame[machine->frame_in++ % FRAMES] = step->frame;
		wm_hw_core_run(machine->core, step);
		return;
	}
	count_events(machine, step);
	if (!wm_hw_step_retires_branch(step))
		return;
	struct wm_hw_committed *branch = &machine->branch;
	wm_hw_committed_set(branch, step);
	machine->sink.branch(machine->sink.closure, branch);
	branch->events = (struct wm_hw_events){0};
}

struct wm_hw_events wm_hw_machine_take(struct wm_hw_machine *machine)
{
	if (machine->core)
		return wm_hw_core_take_events(machine->core);
	struct wm_hw_events events = machine->branch.events;
	machine->branch.events = (struct wm_hw_events){0};
	return events;
}

void wm_hw_machine_finish(struct wm_hw_machine *machine)
{
	if (machine->core)
		wm_hw_core_finish(machine->core);
}

struct wm_hw_core_stats wm_hw_machine_stats(const struct wm_hw_machine *machine)
{
	return machine->core ? wm_hw_core_stats(machine->core) : (struct wm_hw_core_stats){0};
}
