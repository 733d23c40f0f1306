/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/probes/passes.h"
#include "core/probes/cells.h"
#include "core/probes/early.h"
#include "core/probes/ends.h"
#include "core/probes/guess.h"
#include "core/probes/iteration_window.h"
#include "core/probes/pieces_probes.h"
#include "core/probes/reduce.h"
#include "core/probes/silence.h"
#include "core/probes/trips.h"
#include <assert.h>
#include <string.h>

struct run {
	const struct wm_probe_request *request;
	struct wm_counting *counting;
	struct wm_probe_program *program;
	struct wm_arena *arena;
};

static bool is_optimal(const struct run *run)
{
	return run->request->placement == WM_PLACE_OPTIMAL;
}

/* Whether a residual build checks paths by a lookup, a sign or a guess. */
static bool tells_tested(const struct run *run)
{
	return wm_counting_checks(run->counting) && run->request->plan->events_are_edges;
}

/* Whether a residual build counts all paths, in cells or slots that show whether the path was seen. */
static bool counts_all_untested(const struct run *run)
{
	return run->counting->residual && !wm_counting_checks(run->counting);
}

/* ---- guesses ------------------------------------------------------------------- */

static enum wm_status guess(struct run *run)
{
	struct wm_counting *counting = run->counting;
	if (!counting->membership.member || !run->request->plan->events_are_edges)
		return WM_OK;
	return wm_guesses_make(counting, run->request->plan, run->arena);
}

/* ---- values -------------------------------------------------------------------- */

/* Whether the end of a path only compares the sum with a constant, into which an addition can be folded. */
static bool only_compares(const struct wm_counting *counting, uint32_t e)
{
	switch ((enum wm_member)counting->membership.member[e]) {
	case WM_MEMBER_NONE:
	case WM_MEMBER_ALL:
	case WM_MEMBER_ONE:
		return true;
	case WM_MEMBER_CLEAN:
	case WM_MEMBER_CORE:
	case WM_MEMBER_SOME:
	case WM_MEMBER_UNDECIDED:
		return counting->has_guess[e];
	}
	return false;
}

/* Updates after the edge on which a path is checked are never executed, and an update on that edge is free if it folds
 * into a comparison: such edges have weight 0 for placement. */
static enum wm_status weigh_updates(const struct run *run, struct wm_weights *weights, bool *adds)
{
	const struct wm_plan *plan = run->request->plan;
	const struct wm_dag *dag = &plan->dag;
	const struct wm_counting *counting = run->counting;
	bool *behind = WM_NEW(run->arena, bool, dag->node_count);
	weights->edge = WM_NEW(run->arena, double, plan->graph->edge_count);
	if (!weights->edge || !behind)
		return WM_NO_MEMORY;
	for (uint32_t e = 0; e < plan->graph->edge_count; e++)
		weights->edge[e] = run->request->weights->edge[e];
	for (uint32_t i = 0; i < dag->node_count; i++)
		for (uint32_t e = dag->first_edge[dag->order[i]]; e < dag->first_edge[dag->order[i] + 1]; e++) {
			bool checked = counting->membership.checked[e], free = only_compares(counting, e);
			adds[e] = checked && !free;
			if (dag->edge[e].kind != WM_EDGE_REAL)
				continue;
			if (behind[dag->order[i]] || (checked && free))
				weights->edge[dag->edge[e].cfg_edge] = 0;
			behind[dag->edge[e].to] |= checked || behind[dag->order[i]];
		}
	return WM_OK;
}

static enum wm_status place_values(struct run *run)
{
	const struct wm_plan *plan = run->request->plan;
	enum wm_placement placement = run->request->placement;
	struct wm_weights weights = *run->request->weights;
	if (plan->iterations && plan->iterations->count && !wm_plan_has_pieces(plan))
		return wm_window_place(plan, placement, &weights, run->program, run->arena);
	if (wm_plan_has_pieces(plan))
		return wm_sequence_place(plan, placement, &weights, run->program, run->arena);
	if (tells_tested(run)) {
		bool *adds = WM_NEW(run->arena, bool, plan->dag.edge_count);
		if (!adds || weigh_updates(run, &weights, adds) != WM_OK)
			return WM_NO_MEMORY;
		run->counting->sums.adds = adds;
	}
	return wm_place_sums(plan, &run->counting->sums, placement, &weights, run->program, run->arena);
}

/* ---- regions -------------------------------------------------------------------- */

/* Regions do not pay where an end only compares with zero or with a constant.  Their cells cannot tell when a path was seen
 * first. */
static bool wants_regions(const struct run *run)
{
	if (counts_all_untested(run))
		return false;
	switch (run->counting->store) {
	case WM_COUNT_HASH:
	case WM_COUNT_PACKED:
	case WM_COUNT_PERFECT:
		return run->request->regions && !run->request->resumes && is_optimal(run);
	case WM_COUNT_ARRAY:
	case WM_COUNT_CALL:
	case WM_COUNT_STREAM:
	case WM_COUNT_SIGN:
		return false;
	}
	return false;
}

static enum wm_status find_regions(struct run *run)
{
	const struct wm_probe_request *request = run->request;
	struct wm_loops loops;
	if (!wants_regions(run))
		return WM_OK;
	enum wm_status status = wm_loops_run(&loops, request->plan->graph, &request->plan->dfs, run->arena);
	if (status != WM_OK)
		return status;
	return wm_place_regions(
		request->plan, &loops, request->weights, request->may_not_return, request->region_limits, run->program);
}

/* ---- asked and silence -------------------------------------------------------------- */

static enum wm_status count_where_checked(struct run *run)
{
	if (!tells_tested(run))
		return WM_OK;
	return wm_place_early(run->request->plan, run->counting->membership.checked, run->program, run->arena);
}

static enum wm_status silence(struct run *run)
{
	const struct wm_membership *membership = &run->counting->membership;
	uint32_t edges = run->request->plan->dag.edge_count;
	if (!tells_tested(run))
		return WM_OK;
	bool *silent = WM_NEW(run->arena, bool, edges);
	if (!silent)
		return WM_NO_MEMORY;
	for (uint32_t e = 0; e < edges; e++)
		silent[e] = membership->checked[e] && membership->member[e] == WM_MEMBER_ALL;
	return wm_place_silence(run->request->plan, silent, run->program, run->arena);
}

/* ---- the rest ----------------------------------------------------------------------- */

static enum wm_status fold_trips(struct run *run)
{
	const struct wm_probe_request *request = run->request;
	const struct wm_plan *plan = request->plan;
	struct wm_loops loops;
	if (!is_optimal(run) || !request->trips || run->counting->store == WM_COUNT_STREAM)
		return WM_OK;
	if (plan->events_are_edges) {
		enum wm_status status = wm_loops_run(&loops, plan->graph, &plan->dfs, run->arena);
		return status == WM_OK ? wm_place_trips(plan, &loops, request->weights, request->may_not_return,
						 run->program, run->arena)
				       : status;
	}
	return run->program->window_count ? wm_window_count_trips(plan, request->weights, request->may_not_return,
						    run->program, run->arena)
					  : WM_OK;
}

static enum wm_status reduce(struct run *run)
{
	if (run->counting->store == WM_COUNT_PACKED)
		wm_reduce_program(&run->counting->pack, run->request->plan->graph, run->program);
	return WM_OK;
}

static enum wm_status give_cells(struct run *run)
{
	if (run->counting->store == WM_COUNT_ARRAY || run->counting->store == WM_COUNT_CALL ||
		run->counting->store == WM_COUNT_STREAM || counts_all_untested(run))
		return WM_OK;
	return wm_cells_make(run->counting, run->request->plan, run->program, run->arena);
}

/* Functions with landing pads or setjmp identify their activations. */
static enum wm_status identify(struct run *run)
{
	const struct wm_parts *parts = run->request->parts;
	struct wm_probe_program *program = run->program;
	struct wm_action land = wm_action(WM_ACTION_LAND, 0);
	if (run->counting->store != WM_COUNT_STREAM || !parts || !wm_parts_has_frames(parts))
		return WM_OK;
	wm_probe_insert_first(program, &program->entry, wm_action(WM_ACTION_FRAME, 0));
	for (uint32_t e = 0; e < parts->graph.edge_count; e++) {
		uint32_t call = parts->before[parts->graph.edge_from[e]];
		if (run->request->plan->dfs.position[parts->graph.edge_from[e]] == WM_NONE)
			continue;
		if (wm_parts_unwinds(parts, e))
			wm_probe_insert_first(program, &program->edge[e], land);
		else if (parts->graph.call_edge[e] && parts->function->call[call].twice)
			wm_probe_append(program, &program->edge[e], land);
	}
	return program->failed ? WM_NO_MEMORY : WM_OK;
}

static enum wm_status make_ends(struct run *run)
{
	return wm_ends_make(run->counting, run->request->plan, run->request->weights, run->program, run->arena);
}

static enum wm_status spare(struct run *run)
{
	if (is_optimal(run))
		wm_spare_updates(run->counting, run->request->plan->graph, run->program);
	return WM_OK;
}

/* ---- The list ------------------------------------------------------------------------- */

/* Properties of a program between passes. */
enum {
	GUESSED = 1, /* guesses have been made */
	PLACED = 2, /* sums have been placed */
	WHOLE = 4, /* every path is counted, on its last edge */
	AUDIBLE = 8, /* every path is counted */
	TRIPPED = 16, /* trips have been folded: the body of such a loop has no counts */
	REDUCED = 32, /* values have been reduced to the width of the register */
	CELLED = 64, /* cells have been assigned: ids must not change any more */
	ENDED = 128, /* ends have been written: counts must not move any more */
};

static const struct probe_pass {
	const char *name, *summary;
	enum wm_status (*run)(struct run *run);
	unsigned
		requires,
	forbids, makes, breaks;
} passes[] = {
	{"guesses", "find the likely path of each place where paths are checked", guess, 0, PLACED, GUESSED, 0},
	{"values", "place the sums on chords of a spanning tree", place_values, GUESSED, PLACED,
		PLACED | WHOLE | AUDIBLE, 0},
	{"regions", "number small loops on their own", find_regions, PLACED | WHOLE | AUDIBLE, TRIPPED, 0, 0},
	{"asked", "count paths where it is checked whether they are tested", count_where_checked, PLACED | AUDIBLE,
		TRIPPED, 0, WHOLE},
	{"silence", "take away counts of tested paths, and updates for them", silence, PLACED, TRIPPED, 0, AUDIBLE},
	{"trips", "count the trips of loops with one path in a register", fold_trips, PLACED, CELLED, TRIPPED, WHOLE},
	{"reduce", "reduce values to the width of the register", reduce, PLACED, CELLED, REDUCED, 0},
	{"cells", "give counters to paths that the compiler knows", give_cells, PLACED | REDUCED, ENDED, CELLED, 0},
	{"ends", "say what is done with the total at the end of a path", make_ends, PLACED | REDUCED | CELLED, ENDED,
		ENDED, 0},
	{"frames", "identify activations in which exceptions and longjmp may land", identify, ENDED, 0, 0, 0},
	{"spare", "skip updates where the likely path needs none", spare, ENDED, 0, 0, 0},
};
const uint32_t wm_pass_count = sizeof passes / sizeof *passes;

const char *wm_pass_name(uint32_t pass)
{
	return passes[pass].name;
}

const char *wm_pass_summary(uint32_t pass)
{
	return passes[pass].summary;
}

static bool is_known(const char *name)
{
	for (uint32_t i = 0; i < wm_pass_count; i++)
		if (!strcmp(passes[i].name, name))
			return true;
	return false;
}

enum wm_status wm_passes_run(const struct wm_probe_request *request, struct wm_counting *counting, const char *after,
	struct wm_probe_program *program, struct wm_arena *arena)
{
	struct run run = {.request = request, .counting = counting, .program = program, .arena = arena};
	unsigned facts = 0;
	if (after && !is_known(after))
		return WM_UNKNOWN;
	*program = (struct wm_probe_program){0};
	enum wm_status status = WM_OK;
	for (uint32_t i = 0; i < wm_pass_count && status == WM_OK; i++) {
		const struct probe_pass *pass = &passes[i];
		assert((facts & pass->requires) == pass->requires && !(facts & pass->forbids));
		status = pass->run(&run);
		facts = (facts & ~pass->breaks) | pass->makes;
		if (after && !strcmp(pass->name, after))
			break;
	}
	program->probe_count =
		status == WM_OK && program->edge ? wm_probe_program_count(program, request->plan->graph) : 0;
	return status;
}
