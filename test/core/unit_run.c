/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test/core/unit_run.h"
#include "test/core/support.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CALM_STEPS 120 /* from here on a run makes for its exits */
#define MOST_STEPS 1200
#define MOST_DEPTH 40

/* A path that is being written down; dead: it is abandoned. */
struct reference {
	char *text;
	bool dead;
};

enum outcome { RETURNED, UNWOUND };

static struct reference start_reference(const char *text, bool dead)
{
	return (struct reference){strdup(text), dead};
}

static void put(struct reference *r, const char *format, uint32_t first, uint32_t second)
{
	char word[64];
	size_t used = strlen(r->text), length = (size_t)snprintf(word, sizeof word, format, first, second);
	r->text = realloc(r->text, used + length + 1);
	memcpy(r->text + used, word, length + 1);
}

static void record(struct unit_run *run, struct reference *r, const char *format, uint32_t block)
{
	put(r, format, block, 0);
	if (r->dead)
		return;
	uint32_t id = unit_oracle_find(run->oracle, r->text);
	if (id == WM_NONE)
		fail_msg("the definition has no path %s", r->text);
	if (!run->tested || wm_path_set_find(run->tested, id) == WM_NONE)
		run->expected[id]++;
}

static bool chance(struct unit_run *run, uint32_t percent)
{
	return random_below(run->random, 100) < percent;
}

/* ---- One activation ---------------------------------------------------------------- */

struct activation {
	uint32_t function, block;
	bool crossed;
	struct reference path;
	struct reference origin; /* the path on entry */
	bool inside; /* of its block, whose first calls have been made: a call has returned for the second time */
	/* The last call of setjmp; no text: there was none. */
	uint32_t marked_site;
	struct reference marked_path;
	struct wm_saved_frame marked_frame;
};

static enum outcome run_function(struct unit_run *run, uint32_t function, struct reference *path, bool inlined);

static void begin_again(struct unit_run *run, struct activation *a, const char *format, uint32_t where)
{
	free(a->path.text);
	a->path = run->oracle->pieces ? start_reference("", false) : start_reference(a->origin.text, a->origin.dead);
	put(&a->path, format, a->function, where);
}

static uint32_t choose_edge(struct unit_run *run, const struct activation *a)
{
	const struct wm_unit_function *f = &run->oracle->plan->unit->function[a->function];
	uint32_t first = f->graph->first_edge[a->block], last = f->graph->first_edge[a->block + 1];
	for (uint32_t i = 0; i < f->call_count; i++)
		last -= f->call[i].block == a->block && f->call[i].unwinds;
	uint32_t edge = first + random_below(run->random, last - first);
	for (uint32_t e = first; e < last && run->steps > CALM_STEPS; e++)
		if (distance_to_exit(f->graph, f->graph->edge_to[e]) <
			distance_to_exit(f->graph, f->graph->edge_to[edge]))
			edge = e;
	return edge;
}

static void take_edge(struct unit_run *run, struct activation *a, uint32_t edge, bool caught)
{
	uint32_t to = run->oracle->plan->unit->function[a->function].graph->edge_to[edge];
	if (caught && unit_oracle_unwinds(run->oracle, a->function, edge)) {
		begin_again(run, a, "S%u.%u ", to);
	} else if (unit_oracle_stops(run->oracle, a->function, edge)) {
		record(run, &a->path, "g%u", to);
		begin_again(run, a, "S%u.%u ", to);
	}
	a->block = to;
}

/* What a callee that is not in the unit does. */
static enum outcome run_unknown(struct unit_run *run)
{
	enum outcome outcome = RETURNED;
	if (chance(run, 40) && run->entry_count)
		outcome = run_function(run, run->entry[random_below(run->random, run->entry_count)], NULL, false);
	return chance(run, 10) ? UNWOUND : outcome;
}

/* The callee turns out not to be instrumented.  `last`: the call does not return. */
static enum outcome vanish(struct unit_run *run, struct activation *a, bool last)
{
	enum outcome outcome = last || chance(run, 30) ? UNWOUND : RETURNED;
	run->abandoned += outcome == RETURNED && !a->path.dead;
	run->poisoned++;
	a->path.dead = true;
	return outcome;
}

static enum outcome run_crossed(struct unit_run *run, struct activation *a, uint32_t site, bool inlined)
{
	put(&a->path, "( ", 0, 0);
	enum outcome outcome =
		run_function(run, run->oracle->plan->unit->function[a->function].call[site].callee, &a->path, inlined);
	put(&a->path, ")%u.%u ", a->function, site);
	return outcome;
}

/* setjmp is called. */
static void mark(struct unit_run *run, struct activation *a, uint32_t site)
{
	if (!run->oracle->plan->unit->function[a->function].call[site].twice)
		return;
	free(a->marked_path.text);
	a->marked_site = site;
	a->marked_path = start_reference(a->path.text, a->path.dead);
	wm_machine_save(&run->machine, &a->marked_frame);
}

/* The call does not return. */
static void end_in_call(struct unit_run *run, struct activation *a, uint32_t site)
{
	bool waits = unit_oracle_waits(run->oracle, a->function, site);
	if (!waits || run->oracle->plan->unit->function[a->function].call[site].twice)
		return;
	assert_int_equal(wm_machine_waits(&run->machine), !a->path.dead);
	record(run, &a->path, "p%u", site);
	run->pending++;
}

/* longjmp out of a callee. */
static bool jump_back(struct unit_run *run, struct activation *a, uint32_t site)
{
	if (!a->marked_path.text || chance(run, 50))
		return false;
	run->jumps++;
	end_in_call(run, a, site);
	wm_machine_return_again(&run->machine, &a->marked_frame);
	free(a->path.text);
	a->path = start_reference(a->marked_path.text, a->marked_path.dead);
	if (unit_oracle_cuts(run->oracle, a->function, a->marked_site))
		begin_again(run, a, "B%u.%u ", a->marked_site);
	a->block = a->marked_frame.frame.block;
	a->inside = true;
	return true;
}

/* What the path does before the call. */
static void record_call(struct unit_run *run, struct activation *a, uint32_t site, bool crossed, bool last)
{
	if (unit_oracle_cuts(run->oracle, a->function, site))
		record(run, &a->path, "c%u", site);
	else if (last && !crossed)
		record(run, &a->path, "n", 0);
	run->last_crossed += last && crossed;
	run->last_over += last && !crossed;
}

/* False when an exception leaves the function.  If the graph of the callee has a return, but the call does not return, the
 * program does what no program does; then the path is lost, as after an exception. */
static bool run_call(struct unit_run *run, struct activation *a, uint32_t site, bool *caught)
{
	const struct wm_unit_function *f = &run->oracle->plan->unit->function[a->function];
	uint32_t callee = f->call[site].callee;
	bool crossed = run->oracle->plan->function[a->function].pairs->site[site].crossing == WM_CROSSED;
	bool last = wm_unit_is_last_call(f, site);
	bool cuts = unit_oracle_cuts(run->oracle, a->function, site);
	bool vanishes = crossed && run->vanishes && chance(run, 25);
	bool inlined = callee != WM_NONE && !vanishes && chance(run, 40);
	record_call(run, a, site, crossed, last);
	run->inlined += inlined;
	wm_machine_call(&run->machine, inlined);
	mark(run, a, site);
	if (run->stopped) {
		end_in_call(run, a, site);
		return false;
	}
	enum outcome outcome = f->call[site].twice ? RETURNED
			       : vanishes	   ? vanish(run, a, last)
			       : crossed	   ? run_crossed(run, a, site, inlined)
			       : callee == WM_NONE ? run_unknown(run)
						   : run_function(run, callee, NULL, inlined);
	if (run->stopped) {
		end_in_call(run, a, site);
		return false;
	}
	if (outcome == RETURNED && !last) {
		wm_machine_go_on(&run->machine);
		if (cuts)
			begin_again(run, a, "B%u.%u ", site);
		return !run->stopped;
	}
	*caught = true;
	if (jump_back(run, a, site))
		return true;
	if (!f->call[site].unwinds) {
		end_in_call(run, a, site);
		return false;
	}
	run->caught++;
	run->resumed += crossed || unit_oracle_waits(run->oracle, a->function, site);
	if (unit_oracle_waits(run->oracle, a->function, site))
		record(run, &a->path, "p%u", site);
	assert_int_equal(wm_machine_catch(&run->machine), WM_OK);
	take_edge(run, a, f->graph->first_edge[a->block + 1] - 1, true);
	return true;
}

static enum outcome leave(struct unit_run *run, struct activation *a, enum wm_end end)
{
	if (end != WM_END_RETURN)
		record(run, &a->path, "n", 0);
	else if (!a->crossed)
		record(run, &a->path, "x", 0);
	assert_int_equal(wm_machine_leave(&run->machine), WM_OK);
	return end == WM_END_RETURN ? RETURNED : UNWOUND;
}

/* The calls of a block, then what follows it: false when the activation is over. */
static bool run_block(struct unit_run *run, struct activation *a, enum outcome *outcome)
{
	const struct wm_graph *graph = run->oracle->plan->unit->function[a->function].graph;
	const struct wm_call *last = NULL;
	bool caught = false;
	if (!a->inside)
		put(&a->path, "%u.%u ", a->function, a->block);
	a->inside = false;
	run->stopped |= ++run->steps > MOST_STEPS;
	*outcome = UNWOUND;
	if (run->stopped) {
		wm_machine_unwind(&run->machine);
		return false;
	}
	for (uint32_t site; !caught && (site = wm_machine_next_call(&run->machine)) != WM_NONE;) {
		const struct wm_unit_function *f = &run->oracle->plan->unit->function[a->function];
		if (wm_unit_is_last_call(f, site) && (f->call[site].tail || f->call[site].opaque)) {
			last = &f->call[site];
			break;
		}
		if (!run_call(run, a, site, &caught)) {
			wm_machine_unwind(&run->machine);
			return false;
		}
	}
	if (caught)
		return true;
	if (graph->end[a->block] != WM_END_NONE) {
		/* machine.h: a handler that has interrupted a message makes no tail call of code outside the unit. */
		bool interrupts = run->machine.frame[run->machine.depth - 1].saved.token != 0;
		*outcome = leave(run, a, (enum wm_end)graph->end[a->block]);
		run->held += last && last->tail && interrupts && last->callee != WM_NONE;
		if (last && last->tail && !run->stopped && (!interrupts || last->callee != WM_NONE))
			*outcome = last->callee == WM_NONE ? run_unknown(run)
							   : run_function(run, last->callee, NULL, false);
		return false;
	}
	uint32_t edge = choose_edge(run, a);
	assert_int_equal(wm_machine_step(&run->machine, graph->edge_to[edge]), WM_OK);
	take_edge(run, a, edge, false);
	return true;
}

/* `path`: that of the caller if it crosses into the function, and on return as far as the callee has brought it. */
static enum outcome run_function(struct unit_run *run, uint32_t function, struct reference *path, bool inlined)
{
	struct activation a = {.function = function, .crossed = path};
	enum outcome outcome = UNWOUND;
	if (path) {
		a.path = *path;
	} else {
		a.path = start_reference("", !run->oracle->root[function]);
		put(&a.path, "E%u ", function, 0);
	}
	a.origin = start_reference(a.path.text, a.path.dead);
	run->stopped |= ++run->depth > MOST_DEPTH;
	if (inlined)
		assert_int_equal(run->machine.mailbox.token, 0); /* on which plugin/emit/messages.c relies */
	assert_int_equal(wm_machine_enter(&run->machine, function, inlined), WM_OK);
	while (run_block(run, &a, &outcome))
		continue;
	run->depth--;
	free(a.origin.text);
	free(a.marked_path.text);
	if (path)
		*path = a.path;
	else
		free(a.path.text);
	return outcome;
}

void unit_run(struct unit_run *run, uint32_t function)
{
	run->steps = run->depth = 0;
	run->stopped = false;
	run_function(run, function, NULL, false);
	wm_machine_end(&run->machine);
	run->cut_short |= run->stopped;
	/* What exceptions and the end of the run have left behind. */
	run->machine.depth = 0;
	run->machine.mailbox = (struct wm_mailbox){.token = 0};
}

void unit_run_interrupt(void *closure)
{
	struct unit_run *run = closure;
	if (run->stopped || run->depth > 6 || !run->handler_count || !chance(run, 4))
		return;
	run->interrupts++;
	/* An exception that leaves a signal handler ends the program. */
	if (run_function(run, run->handler[random_below(run->random, run->handler_count)], NULL, false) == UNWOUND)
		run->stopped = true;
}

static void count_path(void *closure, uint64_t id, uint64_t amount)
{
	struct unit_run *run = closure;
	if (id >= run->oracle->count)
		fail_msg("path %llu does not exist", (unsigned long long)id);
	run->counted[id] += amount;
}

/* The table has what the runtime has seen. */
static bool find_path(void *closure, uint64_t id, uint64_t amount)
{
	struct unit_run *run = closure;
	bool found = id < run->oracle->count && run->counted[id];
	assert_null(run->tested);
	if (found)
		run->counted[id] += amount;
	return found;
}

static void count_cell(void *closure, uint32_t cell, uint64_t amount)
{
	struct unit_run *run = closure;
	assert_null(run->tested);
	count_path(closure, wm_probed_cell(&run->machine.probed[run->machine.counts_in], cell), amount);
}

struct wm_counters unit_run_counters(struct unit_run *run)
{
	return (struct wm_counters){.closure = run, .cell = count_cell, .find = find_path, .call = count_path};
}
