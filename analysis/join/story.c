/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/join/story.h"
#include "analysis/join/names.h"
#include "analysis/join/recorded_plan.h"
#include "analysis/join/rescheme.h"
#include "core/scheme/kiter.h"
#include "profile/map/identity.h"
#include "support/fail.h"
#include "support/progress.h"
#include "support/xalloc.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void refuse_function(struct wm_story_function *function, char *reason)
{
	free(function->refusal);
	function->refusal = reason;
	function->state = WM_STORY_REFUSED;
}

/* Collecting the functions of all maps */

/* Of the entries of one function, skipped ones come last, so that an instrumented one represents the function. */
static int by_identity(const void *left, const void *right)
{
	const struct wm_story_function *a = left, *b = right;
	int order = wm_story_identity(a, b);
	if (order)
		return order;
	if ((a->map->status == WM_SKIPPED) != (b->map->status == WM_SKIPPED))
		return a->map->status == WM_SKIPPED ? 1 : -1;
	return a->map < b->map ? -1 : a->map > b->map;
}

static size_t count_functions(const struct wm_story *story)
{
	size_t count = 0;
	for (size_t i = 0; i < story->object_count; i++)
		for (uint32_t m = 0; m < story->object[i].map.module_count; m++)
			count += story->object[i].map.module[m].function_count;
	for (size_t u = 0; u < story->units.count; u++)
		count += story->units.unit[u].binary->unit.function_count;
	return count;
}

static size_t collect_map(const struct wm_object *object, size_t program, struct wm_story_function *into)
{
	size_t count = 0;
	for (uint32_t m = 0; m < object->map.module_count; m++) {
		const struct wm_map_module *module = &object->map.module[m];
		for (uint32_t f = 0; f < module->function_count; f++)
			if (!wm_counts_across(&module->function[f]))
				into[count++] = (struct wm_story_function){.map = &module->function[f],
					.module = module,
					.object = object,
					.program = program};
	}
	return count;
}

/* A function that counts paths across calls and is in no unit is not in the binary: the linker took another copy. */
static size_t collect_unit(struct wm_story_unit *unit, size_t program, struct wm_story_function *into)
{
	const struct wm_binary_unit *binary = unit->binary;
	for (uint32_t f = 0; f < binary->unit.function_count; f++)
		into[f] = (struct wm_story_function){.map = binary->member[f].map,
			.module = binary->member[f].module,
			.object = binary->object,
			.program = program,
			.across = {.unit = unit, .index = f}};
	return binary->unit.function_count;
}

static size_t collect_all(struct wm_story *story, struct wm_story_function *all)
{
	size_t count = 0;
	for (size_t i = 0; i < story->object_count; i++)
		count += collect_map(&story->object[i], i, all + count);
	for (size_t u = 0; u < story->units.count; u++) {
		size_t program = (size_t)(story->units.unit[u].binary->object - story->object);
		count += collect_unit(&story->units.unit[u], program, all + count);
	}
	for (size_t i = 0; i < count; i++)
		all[i].source = wm_story_source(&all[i]);
	return count;
}

/* Several modules of a binary may have the function.  If they have it from different files, its source is not known. */
static size_t join_modules(struct wm_story_function *all, size_t count)
{
	size_t kept = 0;
	for (size_t i = 0; i < count; i++) {
		struct wm_story_function *last = kept ? &all[kept - 1] : NULL;
		if (!last || wm_story_identity(last, &all[i]) != 0)
			all[kept++] = all[i];
		else
			last->source = wm_common_source(last->source, all[i].source);
	}
	return kept;
}

static bool is_same(const struct wm_story *story, const struct wm_story_function *a, const struct wm_story_function *b)
{
	const struct wm_function_identity x = {a->map->key, wm_story_hash(a), a->source};
	const struct wm_function_identity y = {b->map->key, wm_story_hash(b), b->source};
	return wm_same_function(&x, &y, story->profile && story->profile->any_program);
}

void wm_story_add_binary(const struct wm_story *story, struct wm_story_function *function, size_t binary)
{
	if (!function->binary) {
		function->binary = wm_xmalloc((story->object_count + 1) * sizeof *function->binary);
		memset(function->binary, 0, story->object_count * sizeof *function->binary);
		function->binary[function->program] = true;
	}
	function->binary[binary] = true;
}

/* An instrumented copy represents the function. */
static void join_copy(
	const struct wm_story *story, struct wm_story_function *into, const struct wm_story_function *from)
{
	if (into->map->status == WM_SKIPPED && from->map->status != WM_SKIPPED) {
		into->map = from->map;
		into->module = from->module;
		into->object = from->object;
		into->across = from->across;
	}
	wm_story_add_binary(story, into, from->program);
}

static size_t join_binaries(const struct wm_story *story, struct wm_story_function *all, size_t count)
{
	size_t kept = 0, first = 0; /* first: of the kept ones with the key and graph hash of the current one */
	for (size_t i = 0; i < count; i++) {
		size_t same = first;
		if (kept && (all[first].map->key != all[i].map->key ||
				    wm_story_hash(&all[first]) != wm_story_hash(&all[i])))
			same = first = kept;
		while (same < kept && !is_same(story, &all[same], &all[i]))
			same++;
		if (same < kept)
			join_copy(story, &all[same], &all[i]);
		else
			all[kept++] = all[i];
	}
	return kept;
}

static void collect_functions(struct wm_story *story)
{
	struct wm_story_function *all = wm_xmalloc((count_functions(story) + 1) * sizeof *all);
	size_t count = collect_all(story, all);
	qsort(all, count, sizeof *all, by_identity);
	count = join_modules(all, count);
	if (story->kind != WM_STORY_OF_BINARIES || (story->profile && story->profile->any_program))
		count = join_binaries(story, all, count);
	for (size_t i = 0; i < count; i++) {
		wm_arena_init(&all[i].arena);
		all[i].display = wm_demangle(all[i].map->name);
		all[i].brief = wm_name_shortened(all[i].display);
		all[i].state = all[i].map->status == WM_SKIPPED ? WM_STORY_SKIPPED : WM_STORY_IDLE;
	}
	story->function = all;
	story->function_count = count;
}

/* Counts of one function */

static struct wm_story_loop loop_of(const struct wm_plan *plan, uint32_t index)
{
	const struct wm_iterations *iterations = plan->iterations;
	uint32_t head = iterations->loops.loop[index].head;
	enum wm_loop_mode mode = (enum wm_loop_mode)iterations->mode[index];
	if (mode != WM_LOOP_ITERATED)
		return (struct wm_story_loop){head, 1, wm_loop_mode_text(mode)};
	uint32_t k = iterations->iterated[iterations->of[head]].k;
	return (struct wm_story_loop){head, k, k == plan->most_iterations ? wm_loop_mode_text(WM_LOOP_WIDE) : NULL};
}

static void tell_loops(struct wm_story_function *function)
{
	const struct wm_plan *plan = &function->made_plan;
	struct wm_loops loops;
	if (!plan->iterations && !plan->scheme->contexts)
		return;
	if (wm_loops_run(&loops, plan->graph, &plan->dfs, &function->arena) != WM_OK)
		wm_no_memory();
	free(function->loops.loop); /* of an earlier call */
	function->loops.count = 0;
	function->loops.loop = wm_xmalloc((loops.count + 1) * sizeof *function->loops.loop);
	for (uint32_t i = 0; i < loops.count; i++) {
		if (plan->iterations)
			function->loops.loop[function->loops.count++] = loop_of(plan, i);
		else if (loops.loop[i].irreducible)
			function->loops.loop[function->loops.count++] =
				(struct wm_story_loop){loops.loop[i].head, 1, wm_loop_mode_text(WM_LOOP_IRREDUCIBLE)};
	}
}

/* A recorded function has the plan of its parts. */
static enum wm_status plan_recorded(struct wm_story_function *function)
{
	struct wm_walk_function recorded;
	enum wm_status status = wm_recorded_plan(&recorded, function->map, &function->arena);
	if (status == WM_OK)
		function->made_plan = *recorded.plan;
	return status;
}

static enum wm_status number(struct wm_story_function *function)
{
	struct wm_scheme_choice choice;
	enum wm_status status = wm_scheme_parse(function->map->scheme, &choice);
	if (status == WM_OK && choice.scheme->at_calls)
		status = plan_recorded(function);
	else if (status == WM_OK && choice.scheme->crosses)
		status = WM_UNKNOWN; /* its unit could not be read */
	else if (status == WM_OK)
		status = wm_plan_choose(&function->made_plan, &function->map->graph, &choice, 0, &function->arena);
	if (status == WM_NO_MEMORY)
		wm_no_memory();
	return status;
}

static bool make_plan(struct wm_story_function *function)
{
	enum wm_status status = number(function);
	if (status != WM_OK) {
		refuse_function(function,
			wm_xprintf(
				"its graph cannot be numbered again (scheme '%s': %s); use the Waymark that built it",
				function->map->scheme, wm_status_text(status)));
		return false;
	}
	function->possible.count = function->possible.ids = function->made_plan.numbering.path_count;
	function->possible.log10 = function->made_plan.log10_paths;
	function->possible.countable = function->made_plan.cut_count == 0 && !wm_plan_has_pieces(&function->made_plan);
	tell_loops(function);
	return true;
}

static void forget_paths(struct wm_story_function *function)
{
	free(function->path);
	free(function->unfinished);
	function->path = NULL;
	function->unfinished = NULL;
	function->unfinished_count = 0;
	free(function->records.names.name);
	function->records.names = (struct wm_story_names){0};
	function->ran_count = function->total_count = 0;
	function->executions = 0;
}

void wm_story_refuse(struct wm_story_function *function, char *reason)
{
	refuse_function(function, reason);
	forget_paths(function);
}

static void tell_alone(struct wm_story_function *function)
{
	struct wm_story_unit unit = {.count = 1, .plan = &function->made_plan, .function = &function};
	wm_story_tell(&unit);
}

/* `counts`: there is a profile to tell of. */
static void tell_function(struct wm_story_function *function, bool counts)
{
	if (wm_story_crosses_calls(function) || function->state == WM_STORY_SKIPPED || !make_plan(function))
		return;
	if (counts && function->made_plan.scheme->at_calls)
		refuse_function(
			function, wm_xstrdup("it is recorded (-fwaymark-wpp), and so its paths are not counted"));
	if (function->records.count || function->records.apart_doubt)
		tell_alone(function);
	wm_story_forget_plan(function);
}

/* Totals and order */

int wm_story_by_place(const struct wm_story_function *a, const struct wm_story_function *b)
{
	const char *file_a = wm_story_file(a), *file_b = wm_story_file(b);
	int order = strcmp(file_a ? file_a : "", file_b ? file_b : "");
	if (order)
		return order;
	if (a->map->line != b->map->line)
		return a->map->line < b->map->line ? -1 : 1;
	order = strcmp(a->map->name, b->map->name);
	return order ? order : wm_story_identity(a, b);
}

static int by_executions(const void *left, const void *right)
{
	const struct wm_story_function *a = left, *b = right;
	if (a->executions != b->executions)
		return a->executions > b->executions ? -1 : 1;
	if (a->state != b->state && (a->state == WM_STORY_RAN || b->state == WM_STORY_RAN))
		return a->state == WM_STORY_RAN ? -1 : 1;
	return wm_story_by_place(a, b);
}

/* Adds two numbers that are given as logarithms: a function may have more paths than a double can represent. */
static double log10_of_sum(double a, double b)
{
	double larger = a > b ? a : b, smaller = a > b ? b : a;
	return larger + log10(1 + pow(10, smaller - larger));
}

const struct wm_story_totals wm_story_no_totals = {.paths_possible_log10 = -INFINITY};

void wm_story_totals_add(struct wm_story_totals *totals, const struct wm_story_function *function)
{
	if (__builtin_add_overflow(totals->executions, function->executions, &totals->executions))
		totals->executions = UINT64_MAX;
	totals->paths_ran += function->ran_count;
	totals->functions++;
	totals->functions_ran += function->state == WM_STORY_RAN;
	totals->functions_skipped += function->state == WM_STORY_SKIPPED;
	totals->functions_residual += function->residual;
	totals->functions_refused += function->state == WM_STORY_REFUSED;
	if (function->state == WM_STORY_SKIPPED || !function->possible.count)
		return;
	totals->paths_possible +=
		function->possible.countable ? (double)function->possible.count : pow(10, function->possible.log10);
	totals->paths_possible_log10 = log10_of_sum(totals->paths_possible_log10, function->possible.log10);
}

void wm_story_add_up(struct wm_story *story)
{
	story->total = wm_story_no_totals;
	for (size_t i = 0; i < story->function_count; i++)
		wm_story_totals_add(&story->total, &story->function[i]);
}

static void sum_up(struct wm_story *story)
{
	wm_story_add_up(story);
	for (size_t i = 0; i < story->function_count; i++) {
		struct wm_story_function *function = &story->function[i];
		if (function->refusal)
			wm_story_list_refusal(story, function, function->refusal);
	}
	qsort(story->function, story->function_count, sizeof *story->function, by_executions);
}

static int by_key(const void *left, const void *right)
{
	const struct wm_story_function *a = *(struct wm_story_function *const *)left;
	const struct wm_story_function *b = *(struct wm_story_function *const *)right;
	return (a->map->key > b->map->key) - (a->map->key < b->map->key);
}

static void mark_elsewhere(struct wm_story *story)
{
	struct wm_story_function **list = wm_xmalloc((story->function_count + 1) * sizeof *list);
	for (size_t i = 0; i < story->function_count; i++)
		list[i] = &story->function[i];
	qsort(list, story->function_count, sizeof *list, by_key);
	for (size_t first = 0, end; first < story->function_count; first = end) {
		bool several = false;
		for (end = first; end < story->function_count && by_key(&list[first], &list[end]) == 0; end++)
			several |= list[end]->program != list[first]->program;
		for (size_t i = first; i < end; i++)
			list[i]->records.elsewhere = several;
	}
	free(list);
}

static void tell_functions(struct wm_story *story)
{
	mark_elsewhere(story);
	for (size_t i = 0; i < story->function_count; i++) {
		wm_progress("joining functions", i, story->function_count);
		tell_function(&story->function[i], story->profile);
	}
	wm_progress_end();
	wm_story_units_tell(story);
	sum_up(story);
	wm_story_units_point(story);
}

void wm_story_build(struct wm_story *story, enum wm_story_kind kind, const struct wm_profile *profile,
	struct wm_object *objects, size_t object_count)
{
	*story = (struct wm_story){.profile = profile,
		.kind = kind & (enum wm_story_kind) ~WM_STORY_TEMPLATES,
		.object = objects,
		.object_count = object_count};
	wm_rescheme(objects, object_count, profile);
	wm_story_units_read(story);
	collect_functions(story);
	wm_story_place(story);
	if (kind & WM_STORY_TEMPLATES)
		wm_story_join_instances(story);
	tell_functions(story);
	if (story->total.functions_residual)
		wm_story_note(story,
			wm_xprintf("only untested paths were counted (in %zu function%s built with "
				   "-fwaymark-residual)",
				story->total.functions_residual, story->total.functions_residual == 1 ? "" : "s"));
}

void wm_story_build_bare(struct wm_story *story, struct wm_object *objects, size_t object_count)
{
	*story = (struct wm_story){.object = objects, .object_count = object_count};
	wm_story_units_read(story);
	collect_functions(story);
	tell_functions(story);
}

bool wm_story_number(struct wm_story_function *function)
{
	bool numbered = wm_story_crosses_calls(function) || function->state == WM_STORY_RAN;
	return function->state != WM_STORY_SKIPPED && (numbered || make_plan(function));
}

void wm_story_function_release(struct wm_story_function *function)
{
	free(function->display);
	free(function->brief);
	free(function->refusal);
	free(function->path);
	free(function->unfinished);
	free(function->records.record);
	free(function->records.names.name);
	free(function->loops.loop);
	free(function->binary);
	wm_story_instances_release(&function->instances);
	wm_arena_release(&function->arena);
}

void wm_story_release(struct wm_story *story)
{
	for (size_t i = 0; i < story->function_count; i++)
		wm_story_function_release(&story->function[i]);
	for (size_t i = 0; i < story->refused_count; i++) {
		free(story->refused[i].name);
		free(story->refused[i].reason);
	}
	for (size_t i = 0; i < story->note_count; i++)
		free(story->note[i]);
	wm_story_units_release(story);
	wm_arena_release(&story->checks.arena);
	free(story->owner);
	free(story->function);
	free(story->refused);
	free(story->note);
	*story = (struct wm_story){0};
}

/* The plan is a cache: it follows from the map alone, and the functions of stories are in memory that can be written. */
static void number_again(const struct wm_story_function *function)
{
	if (number((struct wm_story_function *)function) != WM_OK)
		wm_bug("function %s: its graph cannot be numbered twice", function->map->name);
}

const struct wm_plan *wm_story_plan(const struct wm_story_function *function)
{
	const struct wm_story_across *across = &function->across;
	if (across->unit)
		return &across->unit->binary->plan.function[across->index];
	if (function->state == WM_STORY_RAN && !function->made_plan.scheme)
		number_again(function);
	return &function->made_plan;
}

void wm_story_forget_plan(const struct wm_story_function *function)
{
	struct wm_story_function *cache = (struct wm_story_function *)function;
	wm_arena_release(&cache->arena);
	cache->made_plan = (struct wm_plan){0};
}

void wm_story_need_match(const struct wm_story *story, const char *what)
{
	if (story->matched)
		return;
	size_t functions = 0;
	for (size_t i = 0; i < story->profile->object_count; i++)
		functions += story->profile->object[i].function_count;
	if (!functions)
		wm_fail("%s is empty: no instrumented function was loaded", what);
	if (story->refused_count)
		wm_fail("no function in %s has the same graph in %s (the first is %s); was the profile made by this "
			"program, with the same -fwaymark-cfg and scheme?",
			what, story->object[0].path, story->refused[0].name);
	const char *program = story->profile->object[0].program;
	wm_fail("%s has no counts of %s%s%s%s; give the binary that ran, or use --any-program to match functions by "
		"name and graph alone",
		what, story->object[0].path, story->object_count > 1 ? " or the other binaries" : "",
		*program ? "; it has counts of " : "", program);
}

const char *wm_story_all_refused(const struct wm_story *story)
{
	if (!story->doubtful_runs || story->total.functions_ran)
		return NULL;
	for (size_t i = 0; i < story->function_count; i++)
		if (story->function[i].state == WM_STORY_REFUSED && story->function[i].records.apart_doubt)
			return story->function[i].refusal;
	return NULL;
}

_Noreturn void wm_story_no_path(const struct wm_story_function *function, uint64_t id)
{
	wm_fail("function %s has %s path%s, with ids from 0; there is no path %" PRIu64, function->display,
		wm_thousands(function->possible.ids), function->possible.ids == 1 ? "" : "s", id);
}
