/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a story tells of functions and paths.  Nothing here allocates or fails. */
#include "library/handle.h"

/* The values of the public enumerations are those of the story. */
_Static_assert((int)WAYMARK_EXACT == WM_EXACT && (int)WAYMARK_SPLIT == WM_SPLIT && (int)WAYMARK_SKIPPED == WM_SKIPPED,
	"enum waymark_function_status");
_Static_assert((int)WAYMARK_START_ENTRY == WM_START_ENTRY && (int)WAYMARK_START_LOOP == WM_START_LOOP &&
		       (int)WAYMARK_START_CUT == WM_START_CUT && (int)WAYMARK_START_CALL == WM_START_CALL,
	"enum waymark_path_start");
_Static_assert((int)WAYMARK_END_RETURN == WM_END_RETURN && (int)WAYMARK_END_NORETURN == WM_END_NORETURN &&
		       (int)WAYMARK_END_UNWIND == WM_END_UNWIND && (int)WAYMARK_END_BACKEDGE == WM_END_BACKEDGE &&
		       (int)WAYMARK_END_CUT == WM_END_CUT && (int)WAYMARK_END_CALL == WM_END_CALL,
	"enum waymark_path_end");

static const struct wm_story_function *told(const struct waymark_function *function)
{
	return (const struct wm_story_function *)function;
}

static const struct wm_story_path *counted(const struct waymark_path *path)
{
	return (const struct wm_story_path *)path;
}

/* ---- As a whole -------------------------------------------------------------------------- */

uint64_t waymark_executions(const struct waymark *counts)
{
	return counts->story.total.executions;
}

size_t waymark_note_count(const struct waymark *counts)
{
	return counts->story.note_count;
}

const char *waymark_note(const struct waymark *counts, size_t index)
{
	return counts->story.note[index];
}

size_t waymark_refused_count(const struct waymark *counts)
{
	return counts->story.refused_count;
}

const char *waymark_refused_name(const struct waymark *counts, size_t index)
{
	return counts->story.refused[index].name;
}

const char *waymark_refused_reason(const struct waymark *counts, size_t index)
{
	return counts->story.refused[index].reason;
}

const char *waymark_refused_binary(const struct waymark *counts, size_t index)
{
	return counts->story.refused[index].binary;
}

/* ---- Functions --------------------------------------------------------------------------- */

size_t waymark_function_count(const struct waymark *counts)
{
	return counts->story.function_count;
}

const struct waymark_function *waymark_function_at(const struct waymark *counts, size_t index)
{
	return (const struct waymark_function *)&counts->story.function[index];
}

const char *waymark_function_name(const struct waymark_function *function)
{
	return told(function)->map->name;
}

const char *waymark_function_display(const struct waymark_function *function)
{
	return told(function)->display;
}

const char *waymark_function_file(const struct waymark_function *function)
{
	return wm_story_file(told(function));
}

uint32_t waymark_function_line(const struct waymark_function *function)
{
	return told(function)->map->line;
}

const char *waymark_function_binary(const struct waymark_function *function)
{
	return told(function)->object->path;
}

const char *waymark_function_scheme(const struct waymark_function *function)
{
	return told(function)->map->scheme;
}

enum waymark_function_status waymark_function_status(const struct waymark_function *function)
{
	if (told(function)->state == WM_STORY_REFUSED)
		return WAYMARK_REFUSED;
	return (enum waymark_function_status)told(function)->map->status;
}

const char *waymark_function_reason(const struct waymark_function *function)
{
	return wm_story_reason(told(function));
}

bool waymark_function_is_residual(const struct waymark_function *function)
{
	return told(function)->residual;
}

static bool has_possible(const struct wm_story_function *function)
{
	return function->state != WM_STORY_SKIPPED && function->possible.count;
}

bool waymark_function_paths_possible(const struct waymark_function *function, uint64_t *count)
{
	const struct wm_story_function *f = told(function);
	if (!has_possible(f) || !f->possible.countable)
		return false;
	*count = f->possible.count;
	return true;
}

double waymark_function_paths_possible_log10(const struct waymark_function *function)
{
	return has_possible(told(function)) ? told(function)->possible.log10 : 0;
}

static bool has_counts(const struct wm_story_function *function)
{
	return function->state == WM_STORY_RAN || function->state == WM_STORY_IDLE;
}

bool waymark_function_entries(const struct waymark_function *function, uint64_t *count)
{
	const struct wm_story_function *f = told(function);
	if (!has_counts(f) || f->residual)
		return false;
	*count = f->balance.entries;
	return true;
}

bool waymark_function_executions(const struct waymark_function *function, uint64_t *count)
{
	if (!has_counts(told(function)))
		return false;
	*count = told(function)->executions;
	return true;
}

/* ---- Paths ------------------------------------------------------------------------------- */

size_t waymark_path_count(const struct waymark_function *function)
{
	return told(function)->ran_count;
}

const struct waymark_path *waymark_path_at(const struct waymark_function *function, size_t index)
{
	return (const struct waymark_path *)&told(function)->path[index];
}

uint64_t waymark_path_id(const struct waymark_path *path)
{
	return counted(path)->id;
}

uint64_t waymark_path_executions(const struct waymark_path *path)
{
	return counted(path)->count;
}

enum waymark_path_start waymark_path_start(const struct waymark_path *path)
{
	return (enum waymark_path_start)counted(path)->start;
}

enum waymark_path_end waymark_path_end(const struct waymark_path *path)
{
	return (enum waymark_path_end)counted(path)->end;
}
