/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "hardware/model/analysis.h"
#include <stdlib.h>
#include <string.h>

struct thread {
	struct wm_hw_detector *detector;
	struct wm_hw_events block; /* the block event counter */
};

struct wm_hw_analysis_state {
	struct wm_hw_analysis_config config;
	struct thread *thread; /* by number */
	size_t thread_count;
	struct wm_hw_pathmap window;
	uint64_t window_start; /* in instructions */
};

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
	wm_hw_phases_init(&analysis->phases, config->phase_threshold);
	if (wm_hw_pathmap_init(&analysis->paths) || wm_hw_pathmap_init(&analysis->state->window))
		return WM_HW_NO_MEMORY;
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
		wm_hw_detector_free(state->thread[i].detector);
	if (state) {
		wm_hw_pathmap_release(&state->window);
		free(state->thread);
		free(state);
	}
	*analysis = (struct wm_hw_analysis){0};
}

static struct thread *find_thread(struct wm_hw_analysis_state *state, uint32_t number)
{
	if (number < state->thread_count)
		return &state->thread[number];
	size_t count = (size_t)number + 1 > 2 * state->thread_count ? (size_t)number + 1 : 2 * state->thread_count;
	struct thread *thread = realloc(state->thread, count * sizeof(*thread));
	if (!thread)
		return NULL;
	memset(thread + state->thread_count, 0, (count - state->thread_count) * sizeof(*thread));
	state->thread = thread;
	state->thread_count = count;
	return &thread[number];
}

static bool begin_thread(struct wm_hw_analysis *analysis, struct thread *thread, uint64_t start)
{
	thread->detector = wm_hw_detector_new(&analysis->state->config.detector);
	return thread->detector && !wm_hw_detector_begin(thread->detector, start);
}

static void end_thread(struct wm_hw_analysis *analysis, struct thread *thread)
{
	if (!thread->detector)
		return;
	wm_hw_detector_end(thread->detector);
	wm_hw_detector_stats_add(&analysis->stats, wm_hw_detector_stats(thread->detector));
	wm_hw_detector_free(thread->detector);
	thread->detector = NULL;
}

static enum wm_hw_status finish_path(struct wm_hw_analysis *analysis, const struct wm_hw_finished *finished)
{
	bool missed, windows = analysis->state->config.window;
	if (wm_hw_pathmap_add(&analysis->paths, finished))
		return WM_HW_NO_MEMORY;
	for (size_t i = 0; i < analysis->judged_count; i++) {
		wm_hw_table_update(&analysis->judged[i].complete, finished, &missed);
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
		if (state->window.total.count[judged->window.config.metric]) {
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

static enum wm_hw_status retire(struct wm_hw_analysis *analysis, struct thread *thread, const struct wm_hw_step *step)
{
	const struct wm_hw_insn *last = wm_hw_block_last(step->block);
	struct wm_hw_committed branch = {.type = wm_hw_branch_type(last, step->next),
		.taken = step->taken,
		.next = step->next,
		.frame = step->frame,
		.events = thread->block};
	struct wm_hw_finished finished;
	bool done;
	thread->block = (struct wm_hw_events){0};
	enum wm_hw_status status = wm_hw_detector_branch(thread->detector, &branch, &finished, &done);
	if (!status && done)
		status = finish_path(analysis, &finished);
	return status;
}

static enum wm_hw_status interrupt(struct thread *thread, uint64_t handler)
{
	enum wm_hw_status status = wm_hw_detector_interrupt(thread->detector, handler, &thread->block);
	thread->block = (struct wm_hw_events){0};
	return status;
}

enum wm_hw_status wm_hw_analysis_step(struct wm_hw_analysis *analysis, const struct wm_hw_step *step)
{
	struct thread *thread = find_thread(analysis->state, step->thread);
	if (!thread || (!thread->detector && !begin_thread(analysis, thread, step->block->start)))
		return WM_HW_NO_MEMORY;
	thread->block.count[WM_HW_INSTRUCTIONS] += step->end - step->first;
	analysis->instructions += step->end - step->first;
	enum wm_hw_status status = WM_HW_OK;
	if (!step->diverted && wm_hw_block_last(step->block)->branch != WM_HW_NO_BRANCH)
		status = retire(analysis, thread, step);
	else if (step->signalled)
		status = interrupt(thread, step->next);
	if (step->ended)
		end_thread(analysis, thread);
	uint64_t window = analysis->state->config.window;
	if (!status && window && analysis->instructions - analysis->state->window_start >= window)
		status = end_window(analysis);
	return status;
}

enum wm_hw_status wm_hw_analysis_finish(struct wm_hw_analysis *analysis)
{
	struct wm_hw_analysis_state *state = analysis->state;
	for (size_t i = 0; i < state->thread_count; i++)
		end_thread(analysis, &state->thread[i]);
	uint64_t open = analysis->instructions - state->window_start, window = state->config.window;
	bool counts = window && open && (open >= window / 2 || !analysis->phases.window_count);
	return counts ? end_window(analysis) : WM_HW_OK;
}

double wm_hw_judged_window_overlap(const struct wm_hw_judged *judged)
{
	return judged->windows ? judged->window_overlap / (double)judged->windows : 1;
}
