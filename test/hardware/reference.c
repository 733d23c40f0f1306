/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test/hardware/reference.h"
#include "test/core/support.h"
#include <stdlib.h>
#include <string.h>

uint32_t random_next(uint64_t *state)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(*state >> 33);
}

static struct wm_hw_committed random_branch(uint64_t *state)
{
	static const enum wm_hw_type types[] = {WM_HW_TYPE_FORWARD, WM_HW_TYPE_FORWARD, WM_HW_TYPE_FORWARD,
		WM_HW_TYPE_FORWARD, WM_HW_TYPE_CALL, WM_HW_TYPE_RETURN, WM_HW_TYPE_BACKWARD, WM_HW_TYPE_INDIRECT};
	struct wm_hw_committed branch = {
		.type = types[random_next(state) % COUNT(types)], .next = 16 * (random_next(state) % 8)};
	branch.taken = branch.type != WM_HW_TYPE_FORWARD || random_next(state) % 2;
	branch.events.count[WM_HW_INSTRUCTIONS] = 1 + random_next(state) % 9;
	branch.events.count[WM_HW_L2_MISSES] = random_next(state) % 8 ? 0 : random_next(state) % 200;
	return branch;
}

void trace_random(struct trace *trace, uint64_t *state, size_t count)
{
	trace->branch = malloc(count * sizeof(*trace->branch));
	assert_non_null(trace->branch);
	trace->count = count;
	for (size_t i = 0; i < count; i++)
		trace->branch[i] = random_branch(state);
}

void trace_release(struct trace *trace)
{
	free(trace->branch);
}

static void append(struct paths *paths, const struct wm_hw_finished *path)
{
	if (paths->count == paths->capacity) {
		paths->capacity = paths->capacity ? 2 * paths->capacity : 64;
		paths->path = realloc(paths->path, paths->capacity * sizeof(*paths->path));
		assert_non_null(paths->path);
	}
	paths->path[paths->count] = *path;
	paths->path[paths->count++].events.count[WM_HW_FREQUENCY] = 1;
}

void paths_release(struct paths *paths)
{
	free(paths->path);
	*paths = (struct paths){0};
}

struct descent {
	const struct trace *trace;
	const struct wm_hw_control *control;
	struct paths *paths;
};

/* Runs one procedure, which starts at `start`, from branch `at` on.  Returns the index
 * after its return; the trace's end is after every return. */
static size_t procedure(struct descent *descent, uint64_t start, size_t at)
{
	const struct wm_hw_control *control = descent->control;
	struct wm_hw_finished path = {.path.start = start};
	uint32_t extended = 0;
	size_t inside = 0; /* callees that paths of this procedure span */
	for (; at < descent->trace->count; at++) {
		const struct wm_hw_committed *b = &descent->trace->branch[at];
		bool loops = control->extension == WM_HW_EXTEND_LOOPS, calls = control->extension == WM_HW_EXTEND_CALLS;
		bool call = b->type == WM_HW_TYPE_CALL, back = b->type == WM_HW_TYPE_RETURN;
		bool more = extended < control->extension_max;
		bool expands = (loops && b->type == WM_HW_TYPE_BACKWARD && more) || (calls && call && more) ||
			       (calls && back && extended > 0);
		wm_hw_events_add(&path.events, &b->events);
		if (call && !expands) {
			at = procedure(descent, b->next, at + 1) - 1;
			continue;
		}
		if (back && !expands && inside) {
			append(descent->paths, &path);
			path = (struct wm_hw_finished){.path.start = b->next};
			inside--;
			continue;
		}
		if (back && !expands) {
			append(descent->paths, &path);
			return at + 1;
		}
		inside += calls && expands ? (back ? SIZE_MAX : 1) : 0;
		bool full = path.path.length == control->max_branches;
		if (!full && b->taken)
			path.path.outcomes |= 1u << path.path.length;
		path.path.length += !full;
		extended = !expands ? extended : back ? extended - 1 : extended + 1;
		if (full || (!expands && b->type != WM_HW_TYPE_FORWARD)) {
			append(descent->paths, &path);
			path = (struct wm_hw_finished){.path.start = b->next};
			extended = 0;
		}
	}
	return at + 1;
}

void reference_paths(struct paths *paths, const struct trace *trace, const struct wm_hw_control *control)
{
	struct descent descent = {trace, control, paths};
	size_t at = procedure(&descent, 0, 0);
	while (at <= trace->count)
		at = procedure(&descent, trace->branch[at - 1].next, at);
}

void detector_paths(struct paths *paths, const struct trace *trace, const struct wm_hw_detector_config *config)
{
	struct wm_hw_detector *detector = wm_hw_detector_new(config);
	assert_non_null(detector);
	assert_int_equal(wm_hw_detector_begin(detector, 0), WM_HW_OK);
	for (size_t i = 0; i < trace->count; i++) {
		struct wm_hw_finished finished;
		bool done;
		assert_int_equal(wm_hw_detector_branch(detector, &trace->branch[i], &finished, &done), WM_HW_OK);
		if (done)
			append(paths, &finished);
	}
	assert_int_equal(wm_hw_detector_stats(detector)->finished, paths->count);
	wm_hw_detector_free(detector);
}
