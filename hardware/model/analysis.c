/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "hardware/model/analysis.h"
#include <stdlib.h>
#include <string.h>

struct thread {
	struct wm_hw_analysis_state *state;
	uint32_t number;
	struct wm_hw_machine *machine; /* NULL: no part of a machine is modelled */
	struct wm_hw_committed branch; /* the next one, without a machine: its instructions add up here */
	struct wm_hw_detector *detector;
	struct wm_hw_finished finished; /* the last path; a plain detector does not touch all of it */
};

struct wm_hw_analysis_state {
	struct wm_hw_analysis *analysis;
	struct wm_hw_analysis_config config;
	struct thread **thread; /* by number; NULL: not seen, or ended */
	size_t thread_count;
	struct wm_hw_pathmap window;
	uint64_t window_start; /* in instructions */
	enum wm_hw_status status; /* of what the machines called back */
	bool plain; /* no part of a machine is modelled: only paths and instructions are counted */
	bool nests; /* the control register: the return of a signal handler is a return like any other */
};

static void free_thread(struct thread *thread)
{
	if (!thread)
		return;
	wm_hw_machine_free(thread->machine);
	wm_hw_detector_free(thread->detector);
	free(thread);
}

static enum wm_hw_status init_tables(struct wm_hw_analysis *analysis, const struct wm_hw_analysis_config *config)
{
	analysis->judged = calloc(config->table_count ? config->table_count : 1, sizeof(*analysis->judged));
	if (!analysis->judged)
		return WM_HW_NO_MEMORY;
	for (size_t i = 0; i < config->table_count; i++) {
		struct wm_hw_judged *judged = &analysis->judged[analysis->judged_count++];
		enum wm_hw_status status = wm_hw_table_init(&judged->complete, &config->table[i]);
		if (!status)
			status = wm_hw_table_init(&judged->window, &config->table[i]);
		if (status)
			return status;
	}
	return WM_HW_OK;
}

static enum wm_hw_status init_parts(struct wm_hw_analysis *analysis, const struct wm_hw_analysis_config *config)
{
	if (wm_hw_detector_check(&config->detector))
		return WM_HW_BAD_CONFIG;
	analysis->state = calloc(1, sizeof(*analysis->state));
	if (!analysis->state)
		return WM_HW_NO_MEMORY;
	analysis->state->config = *config;
	analysis->state->nests = wm_hw_control_nests(&config->detector.control);
	bool plain = !config->machine.caches && !config->machine.predictor && !config->machine.core;
	analysis->state->plain = analysis->state->config.detector.plain = plain;
	wm_hw_phases_init(&analysis->phases, config->phase_threshold);
	if (wm_hw_pathmap_init(&analysis->paths) || wm_hw_pathmap_init(&analysis->state->window))
		return WM_HW_NO_MEMORY;
	analysis->paths.plain = analysis->state->window.plain = plain;
	return init_tables(analysis, config);
}

enum wm_hw_status wm_hw_analysis_init(struct wm_hw_analysis *analysis, const struct wm_hw_analysis_config *config)
{
	struct wm_hw_analysis result = {0};
	enum wm_hw_status status = init_parts(&result, config);
	if (status)
		wm_hw_analysis_release(&result);
	else
		*analysis = result;
	return status;
}

void wm_hw_analysis_release(struct wm_hw_analysis *analysis)
{
	for (size_t i = 0; i < analysis->judged_count; i++) {
		wm_hw_table_release(&analysis->judged[i].complete);
		wm_hw_table_release(&analysis->judged[i].window);
	}
	free(analysis->judged);
	wm_hw_pathmap_release(&analysis->paths);
	wm_hw_phases_release(&analysis->phases);
	struct wm_hw_analysis_state *state = analysis->state;
	for (size_t i = 0; state && i < state->thread_count; i++)
		free_thread(state->thread[i]);
	if (state) {
		wm_hw_pathmap_release(&state->window);
		free(state->thread);
		free(state);
	}
	*analysis = (struct wm_hw_analysis){0};
}

static bool make_room(struct wm_hw_analysis_state *state, uint32_t number)
{
	if (number < state->thread_count)
		return true;
	size_t count = (size_t)number + 1 > 2 * state->thread_count ? (size_t)number + 1 : 2 * state->thread_count;
	struct thread **thread = realloc(state->thread, count * sizeof(struct thread *));
	if (!thread)
		return false;
	memset(thread + state->thread_count, 0, (count - state->thread_count) * sizeof(struct thread *));
	state->thread = thread;
	state->thread_count = count;
	return true;
}

static uint32_t take_branch(void *closure, const struct wm_hw_committed *branch);

static enum wm_hw_status begin_thread(struct wm_hw_analysis_state *state, uint32_t number, uint64_t start)
{
	struct thread *thread = make_room(state, number) ? calloc(1, sizeof(*thread)) : NULL;
	if (!thread)
		return WM_HW_NO_MEMORY;
	thread->state = state;
	thread->number = number;
	thread->detector = wm_hw_detector_new(&state->config.detector);
	enum wm_hw_status status = thread->detector ? wm_hw_detector_begin(thread->detector, start) : WM_HW_NO_MEMORY;
	if (!status && !state->plain)
		status = wm_hw_machine_new(
			&thread->machine, &state->config.machine, &(struct wm_hw_machine_sink){take_branch, thread});
	if (status)
		free_thread(thread);
	else
		state->thread[number] = thread;
	return status;
}

static void add_core_stats(struct wm_hw_core_stats *sum, const struct wm_hw_core_stats *more)
{
	sum->cycles += more->cycles;
	sum->instructions += more->instructions;
	sum->operations += more->operations;
	sum->forwarded += more->forwarded;
	sum->queue_stall_cycles += more->queue_stall_cycles;
}

static void end_thread(struct wm_hw_analysis *analysis, uint32_t number)
{
	struct thread *thread = analysis->state->thread[number];
	if (!thread)
		return;
	if (thread->machine) {
		wm_hw_machine_finish(thread->machine);
		struct wm_hw_core_stats core = wm_hw_machine_stats(thread->machine);
		add_core_stats(&analysis->core, &core);
	}
	wm_hw_detector_end(thread->detector);
	wm_hw_detector_stats_add(&analysis->stats, wm_hw_detector_stats(thread->detector));
	free_thread(thread);
	analysis->state->thread[number] = NULL;
	const struct wm_hw_path_sink *sink = &analysis->state->config.sink;
	enum wm_hw_status status = sink->take ? sink->end(sink->closure, number) : WM_HW_OK;
	if (status)
		analysis->state->status = status;
}

/* *first_missed becomes true when the first table did not have the path. */
static enum wm_hw_status finish_path(struct thread *thread, bool *first_missed)
{
	struct wm_hw_analysis *analysis = thread->state->analysis;
	const struct wm_hw_finished *finished = &thread->finished;
	const struct wm_hw_path_sink *sink = &thread->state->config.sink;
	bool missed, windows = thread->state->config.window;
	if (wm_hw_pathmap_add(&analysis->paths, finished))
		return WM_HW_NO_MEMORY;
	enum wm_hw_status status = sink->take ? sink->take(sink->closure, thread->number, &finished->path) : WM_HW_OK;
	if (status)
		return status;
	for (size_t i = 0; i < analysis->judged_count; i++) {
		wm_hw_table_update(&analysis->judged[i].complete, finished, &missed);
		*first_missed |= missed && i == 0;
		if (windows)
			wm_hw_table_update(&analysis->judged[i].window, finished, &missed);
	}
	return windows ? wm_hw_pathmap_add(&analysis->state->window, finished) : WM_HW_OK;
}

static enum wm_hw_status end_window(struct wm_hw_analysis *analysis)
{
	struct wm_hw_analysis_state *state = analysis->state;
	for (size_t i = 0; i < analysis->judged_count; i++) {
		struct wm_hw_judged *judged = &analysis->judged[i];
		if (wm_hw_pathmap_total(&state->window, judged->window.config.metric)) {
			judged->window_overlap += wm_hw_table_overlap(&judged->window, &state->window);
			judged->windows++;
		}
		wm_hw_table_clear(&judged->window);
	}
	enum wm_hw_status status = wm_hw_phases_add(&analysis->phases, &state->window);
	wm_hw_pathmap_clear(&state->window);
	state->window_start = analysis->instructions;
	return status;
}

/* What a set of operations on the path stack costs the profiler. */
static uint32_t cost_of(const struct wm_hw_analysis *analysis, unsigned operations, bool missed)
{
	uint32_t ways = analysis->judged_count ? analysis->judged[0].complete.config.ways : 1;
	struct wm_hw_profiler_work work = {.updates = operations & WM_HW_UPDATE ? 1 : 0,
		.update_counts = operations & WM_HW_UPDATE_COUNT ? 1 : 0,
		.pops = operations & WM_HW_POP ? 1 : 0,
		.pushes = operations & WM_HW_PUSH ? 1 : 0,
		.table_misses = missed};
	return wm_hw_profiler_cycles(&WM_HW_PROFILER_COSTS, &work, ways);
}

static uint32_t take_branch(void *closure, const struct wm_hw_committed *branch)
{
	struct thread *thread = closure;
	struct wm_hw_analysis *analysis = thread->state->analysis;
	bool done, missed = false;
	enum wm_hw_status status = wm_hw_detector_branch(thread->detector, branch, &thread->finished, &done);
	if (!status && done)
		status = finish_path(thread, &missed);
	if (status)
		thread->state->status = status;
	return thread->state->config.machine.core
		       ? cost_of(analysis, wm_hw_detector_stats(thread->detector)->performed, missed)
		       : 0;
}

/* What wm_hw_machine_step does when no part of a machine is modelled. */
static inline void step_plainly(struct thread *thread, const struct wm_hw_step *step)
{
	uint64_t *instructions = &thread->branch.events.count[WM_HW_INSTRUCTIONS];
	*instructions += wm_hw_step_end(step) - step->first;
	if (!wm_hw_step_retires_branch(step))
		return;
	wm_hw_committed_set(&thread->branch, step);
	take_branch(thread, &thread->branch);
	*instructions = 0;
}

static enum wm_hw_status interrupt(struct thread *thread, uint64_t handler)
{
	struct wm_hw_events events = thread->machine ? wm_hw_machine_take(thread->machine) : thread->branch.events;
	thread->branch.events = (struct wm_hw_events){0};
	return wm_hw_detector_interrupt(thread->detector, handler, &events);
}

static enum wm_hw_status need_thread(struct wm_hw_analysis *analysis, uint32_t number, uint64_t start)
{
	struct wm_hw_analysis_state *state = analysis->state;
	state->analysis = analysis;
	if (__builtin_expect(number >= state->thread_count || !state->thread[number], 0))
		return begin_thread(state, number, start);
	return WM_HW_OK;
}

bool wm_hw_analysis_takes_runs(const struct wm_hw_analysis *analysis)
{
	return analysis->state->plain && !analysis->state->config.window;
}

/* How many steps of a run are executed before at least `most` instructions are; adds their instructions to *executed. */
static uint32_t steps_below(const struct wm_hw_run *run, uint64_t most, uint64_t *executed)
{
	uint32_t count = 0;
	if (most - *executed > run->instructions) {
		*executed += run->instructions;
		return run->count;
	}
	while (count < run->count && *executed < most)
		*executed += run->step[count++].instructions;
	return count;
}

enum wm_hw_status wm_hw_analysis_run(struct wm_hw_analysis *analysis, const struct wm_hw_run *run, uint64_t most)
{
	struct wm_hw_analysis_state *state = analysis->state;
	enum wm_hw_status status = need_thread(analysis, run->thread, run->start);
	struct thread *thread = status ? NULL : state->thread[run->thread];
	uint32_t count = steps_below(run, most, &analysis->instructions);
	struct wm_hw_span span = {run->step, run->step + count};
	bool done, ignored;
	while (!status && span.at < span.end) {
		status = wm_hw_detector_run(thread->detector, &span, &thread->branch, &thread->finished, &done);
		if (done && !status)
			status = finish_path(thread, &ignored);
	}
	if (status)
		state->status = status;
	return state->status;
}

/* The events since the last branch, which was that of the handler's return, belong to no path. */
static void return_from_handler(struct thread *thread)
{
	if (thread->machine)
		wm_hw_machine_take(thread->machine);
	thread->branch.events = (struct wm_hw_events){0};
	wm_hw_detector_return(thread->detector);
}

enum wm_hw_status wm_hw_analysis_step(struct wm_hw_analysis *analysis, const struct wm_hw_step *step)
{
	struct wm_hw_analysis_state *state = analysis->state;
	enum wm_hw_status status = need_thread(analysis, step->thread, step->block->start);
	if (status)
		return status;
	if (step->returned && !state->nests)
		return_from_handler(state->thread[step->thread]);
	if (state->plain)
		step_plainly(state->thread[step->thread], step);
	else
		wm_hw_machine_step(state->thread[step->thread]->machine, step);
	analysis->instructions += wm_hw_step_end(step) - step->first;
	if (step->signalled && !state->status)
		state->status = interrupt(state->thread[step->thread], step->next);
	if (step->ended)
		end_thread(analysis, step->thread);
	if (!state->status && state->config.window &&
		analysis->instructions - state->window_start >= state->config.window)
		state->status = end_window(analysis);
	return state->status;
}

enum wm_hw_status wm_hw_analysis_finish(struct wm_hw_analysis *analysis)
{
	struct wm_hw_analysis_state *state = analysis->state;
	for (uint32_t i = 0; i < state->thread_count; i++)
		end_thread(analysis, i);
	if (state->status)
		return state->status;
	uint64_t open = analysis->instructions - state->window_start, window = state->config.window;
	bool counts = window && open && (open >= window / 2 || !analysis->phases.window_count);
	return counts ? end_window(analysis) : WM_HW_OK;
}

double wm_hw_judged_window_overlap(const struct wm_hw_judged *judged)
{
	return judged->windows ? judged->window_overlap / (double)judged->windows : 1;
}
