/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Paths in source terms. */
#include "library/handle.h"
#include "support/xalloc.h"

/* ---- Making ------------------------------------------------------------------------------ */

struct telling {
	struct waymark *counts;
	const struct wm_story_function *function;
	uint64_t id;
	struct waymark_trail *trail;
};

/* A copy of the line, because the text of a file does not stay where it is. */
static char *source_of(const struct telling *telling, const struct wm_source_step *step)
{
	size_t length;
	const char *line = wm_step_source(&telling->counts->sources, step, telling->function, &length);
	return line ? wm_xprintf("%.*s", (int)length, line) : NULL;
}

static void tell_trail(void *argument)
{
	struct telling *telling = argument;
	struct waymark_trail *trail = wm_xmalloc(sizeof *trail);
	struct wm_path_ends ends;
	bool silent = telling->counts->sources.off;
	*trail = (struct waymark_trail){
		.counts = telling->counts, .steps.sources = silent ? NULL : &telling->counts->sources};
	wm_steps_tell(&trail->steps, telling->function, telling->id, &ends);
	trail->step = wm_xmalloc((trail->steps.count + 1) * sizeof *trail->step);
	for (size_t i = 0; i < trail->steps.count; i++)
		trail->step[i] =
			(struct waymark_step){&trail->steps.step[i], source_of(telling, &trail->steps.step[i])};
	telling->trail = trail;
}

enum waymark_status waymark_trail_new(struct waymark *counts, const struct waymark_function *function,
	const struct waymark_path *path, struct waymark_trail **trail, struct waymark_error *error)
{
	static const enum waymark_status stage = WAYMARK_DEFECT; /* the user can make no mistake here */
	struct telling telling = {counts, (const struct wm_story_function *)function, waymark_path_id(path), NULL};
	if (counts->broken.status)
		return wm_library_fail(error, counts->broken.status, counts->broken.text);
	enum waymark_status status = wm_library_attempt(counts, tell_trail, &telling, &stage, &counts->broken);
	wm_library_fail(error, status, counts->broken.text);
	if (!status)
		*trail = telling.trail;
	return status;
}

void waymark_trail_free(struct waymark_trail *trail)
{
	if (!trail)
		return;
	struct wm_heap *before = wm_heap_use(&trail->counts->heap);
	for (size_t i = 0; i < trail->steps.count; i++)
		free(trail->step[i].source);
	free(trail->step);
	wm_steps_release(&trail->steps);
	free(trail);
	wm_heap_use(before);
}

/* ---- Steps ------------------------------------------------------------------------------- */

size_t waymark_step_count(const struct waymark_trail *trail)
{
	return trail->steps.count;
}

const struct waymark_step *waymark_step_at(const struct waymark_trail *trail, size_t index)
{
	return &trail->step[index];
}

enum waymark_step_kind waymark_step_kind(const struct waymark_step *step)
{
	switch (step->step->way) {
	case WM_WAY_CALL:
		return WAYMARK_STEP_CALL;
	case WM_WAY_BACK:
	case WM_WAY_RETURN:
		return WAYMARK_STEP_RETURN;
	case WM_WAY_ON:
	case WM_WAY_INSIDE:
	case WM_WAY_FROM_ENTRY:
	case WM_WAY_FROM_LOOP:
	case WM_WAY_FROM_CUT:
	case WM_WAY_AFTER_CALL:
		break;
	}
	return WAYMARK_STEP_GO;
}

const struct waymark_function *waymark_step_function(const struct waymark_step *step)
{
	return (const struct waymark_function *)step->step->function;
}

uint32_t waymark_step_depth(const struct waymark_step *step)
{
	return step->step->depth;
}

const char *waymark_step_file(const struct waymark_step *step)
{
	return step->step->file;
}

uint32_t waymark_step_line(const struct waymark_step *step)
{
	return step->step->line;
}

uint32_t waymark_step_column(const struct waymark_step *step)
{
	return step->step->column;
}

const char *waymark_step_source(const struct waymark_step *step)
{
	return step->source;
}

const char *waymark_step_outcome(const struct waymark_step *step)
{
	return step->step->decision.outcome;
}

const char *waymark_step_condition(const struct waymark_step *step)
{
	return step->step->decision.condition;
}

const char *waymark_step_begins(const struct waymark_step *step)
{
	return step->step->begins;
}
